"""Name the distances of equations: r = √(x² + y²), where it stands again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from dalembert.expr import Kind, Symbol
from dalembert.typeset.parts.letters import names_in_trees
from dalembert.typeset.parts.sums import NamedTrees
from dalembert.typeset.render.names import parse_name
from dalembert.typeset.render.text import TextRenderer
from dalembert.typeset.tree import (
    Power,
    Product,
    RootLeaf,
    Sum,
    SymbolLeaf,
    leaf_tree,
    leaves,
    open_sum,
)

MIN_USES = 2
MIN_LENGTH = 14
"""Characters of a root that is worth a name."""
_LETTERS = ("r", "d", "s", "u", "w")


def name_distances(trees: Sequence[Product], short: bool, taken: Iterable[str] = ()) -> NamedTrees:
    """Replace square roots by letters where all together becomes shorter.

    A sum of squares below a line is the square of a root. ``taken`` are names that stand beside
    the trees: no distance has a letter of theirs.
    """
    count: Counter[Product] = Counter()
    known: set[Product] = set()
    for tree in trees:
        for s, is_distance in _radicands(tree):
            count[s] += 1
            known |= {s} if is_distance else set()
    text = TextRenderer(short).render
    chosen = [
        s
        for s, n in count.items()
        if s in known and n >= MIN_USES and len(text(_root(s))) >= MIN_LENGTH
    ]
    names = _names(chosen, [*names_in_trees(trees), *taken])
    if names is None:
        return NamedTrees(list(trees), [])
    named = [_replaced(tree, names) for tree in trees]
    parts = [(leaf.symbol, _root(s)) for s, leaf in names.items()]
    before = sum(len(text(tree)) for tree in trees)
    after = sum(len(text(tree)) for tree in named)
    after += sum(len(text(leaf_tree(SymbolLeaf(s)))) + len(text(p)) for s, p in parts)
    return NamedTrees(named, parts) if after < before else NamedTrees(list(trees), [])


def is_square_root(tree: Product) -> bool:
    """Tell whether a tree is one square root."""
    return any(tree == _root(x.base.arg) for x in tree.factors if isinstance(x.base, RootLeaf))


def _root(radicand: Product) -> Product:
    return leaf_tree(RootLeaf(radicand, 2))


def _radicand(x: Power) -> Product | None:
    """Return what a power is a power of the square root of: a sum of squares, or under a root."""
    base = x.base
    if isinstance(base, Sum):
        return leaf_tree(base) if all(map(_is_square, base.terms)) else None
    return base.arg if isinstance(base, RootLeaf) and base.degree == 2 else None


def _is_square(term: Product) -> bool:
    return term.coefficient > 0 and all(x.exponent % 2 == 0 for x in (*term.factors, *term.under))


def _radicands(p: Product) -> Iterator[tuple[Product, bool]]:
    """Yield what may be squares of distances, and whether this place says that they are.

    A root does, and a sum of squares below a line.
    """
    for term in open_sum(p):
        for powers, is_below in ((term.factors, False), (term.under, True)):
            for x in powers:
                radicand = _radicand(x)
                if radicand is not None:
                    yield radicand, is_below or isinstance(x.base, RootLeaf)
                elif isinstance(x.base, Sum):
                    yield from _radicands(leaf_tree(x.base))


def _replaced(p: Product, names: dict[Product, SymbolLeaf]) -> Product:
    return Product(p.coefficient, _powers(p.factors, names), _powers(p.under, names))


def _powers(powers: Iterable[Power], names: dict[Product, SymbolLeaf]) -> tuple[Power, ...]:
    result = []
    for x in powers:
        s = _radicand(x)
        if s is not None and s in names:
            result.append(Power(names[s], x.exponent * (1 if isinstance(x.base, RootLeaf) else 2)))
        elif isinstance(x.base, Sum):
            inside = Sum(tuple(_replaced(term, names) for term in x.base.terms))
            result.append(Power(inside, x.exponent))
        else:
            result.append(x)
    return tuple(result)


def _names(chosen: Sequence[Product], taken: Iterable[str]) -> dict[Product, SymbolLeaf] | None:
    """Return r₁₂ for the distance of (x₁, y₁) from (x₂, y₂), else r₁, r₂ … in order."""
    used = {parse_name(name).base for name in taken}
    letter = next((x for x in _LETTERS if x not in used), None)
    if letter is None or not chosen:
        return None
    pairs = ["".join(sorted({parse_name(x.name).digits for x in _moving(s)})) for s in chosen]
    if len(set(pairs)) == len(pairs) and all(len(pair) == 2 for pair in pairs):
        names = [letter + pair for pair in pairs]
    else:
        names = [letter if len(chosen) == 1 else f"{letter}{i + 1}" for i in range(len(chosen))]
    symbols = [SymbolLeaf(Symbol(Kind.PARAMETER, name)) for name in names]
    return dict(zip(chosen, symbols, strict=True))


def _moving(p: Product) -> list[Symbol]:
    symbols = [leaf.symbol for leaf in leaves(p) if isinstance(leaf, SymbolLeaf)]
    return [x for x in symbols if x.kind is Kind.COORDINATE]
