"""Name the sums of print trees that occur twice, stand below a line or make a term long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from dalembert.expr import Kind, Symbol
from dalembert.typeset.parts.letters import free_letter, names_in_trees
from dalembert.typeset.render.names import parse_name
from dalembert.typeset.render.text import TextRenderer
from dalembert.typeset.tree import (
    Power,
    Product,
    Sum,
    SymbolLeaf,
    leaf_tree,
    open_sum,
)

MIN_SHARED = 14
MIN_LONG = 30
MAX_TERM = 100
MAX_NAMED = 60


class NamedTrees(NamedTuple):
    """Trees in terms of named sums, and the sums, each before those that it contains."""

    trees: list[Product]
    parts: list[tuple[Symbol, Product]]


def name_sums(trees: Sequence[Product], short: bool, taken: Iterable[str] = ()) -> NamedTrees:
    """Replace long and repeated sums by letters; a denominator is called D.

    ``taken`` are names that must not be used.
    """
    text = TextRenderer(short)
    lengths: dict[Sum, int] = {}

    def length(s: Sum) -> int:
        if s not in lengths:
            lengths[s] = len(text.render(leaf_tree(s)))
        return lengths[s]

    count: Counter[Sum] = Counter()
    below: set[Sum] = set()
    for tree in trees:
        for s, is_below in _sums(tree):
            count[s] += 1
            if is_below:
                below.add(s)
    chosen = [s for s in count if length(s) >= MIN_SHARED and (count[s] > 1 or s in below)]
    # a term that is still too long loses its longest sum
    while len(chosen) < MAX_NAMED:
        names = dict.fromkeys(chosen, SymbolLeaf(Symbol(Kind.PARAMETER, "u1")))
        longest = _longest_sum([*trees, *map(leaf_tree, chosen)], names, text)
        if longest is None or longest in chosen:
            break
        chosen.append(longest)
    names = _names(chosen, below, [*names_in_trees(trees), *taken])
    parts = [(leaf.symbol, _replaced(_inside(s), names)) for s, leaf in names.items()]
    return NamedTrees([_replaced(tree, names) for tree in trees], parts)


def _inside(s: Sum) -> Product:
    return Product(leaf_tree(s).coefficient, (Power(s),))


def _sums(p: Product) -> Iterator[tuple[Sum, bool]]:
    """Yield every sum inside a tree, outer ones first, and whether it stands below a line."""
    for term in open_sum(p):
        for powers, is_below in ((term.factors, False), (term.under, True)):
            for x in powers:
                if isinstance(x.base, Sum):
                    yield x.base, is_below
                    yield from _sums(leaf_tree(x.base))


def _longest_sum(
    trees: Sequence[Product], names: dict[Sum, SymbolLeaf], text: TextRenderer
) -> Sum | None:
    """Return the longest unnamed sum of a term that does not fit on a line, else None."""
    found: list[tuple[int, Sum]] = []
    for tree in trees:
        for term in open_sum(tree):
            if len(text.render(_replaced(term, names))) <= MAX_TERM:
                continue
            # a lone numerator stays: it can be broken between its terms
            top = term.factors[0].base if len(term.factors) == 1 else None
            for s, _ in _sums(term):
                size = len(text.render(_replaced(leaf_tree(s), names)))
                if s not in names and s is not top and size >= MIN_LONG:
                    found.append((size, s))
    return max(found, key=lambda item: item[0])[1] if found else None


def _replaced(p: Product, names: dict[Sum, SymbolLeaf]) -> Product:
    """Return the tree with letters for the named sums; the sum that the tree itself is stays."""
    terms = open_sum(p)
    if len(terms) > 1:
        inner = tuple(_replaced_term(term, names) for term in terms)
        return Product(leaf_tree(Sum(inner)).coefficient, (Power(Sum(inner)),))
    return _replaced_term(p, names)


def _replaced_term(p: Product, names: dict[Sum, SymbolLeaf]) -> Product:
    return Product(p.coefficient, _powers(p.factors, names), _powers(p.under, names))


def _powers(powers: Iterable[Power], names: dict[Sum, SymbolLeaf]) -> tuple[Power, ...]:
    result = []
    for x in powers:
        base = x.base
        if isinstance(base, Sum):
            base = names.get(base) or Sum(tuple(_replaced_term(t, names) for t in base.terms))
        result.append(Power(base, x.exponent))
    return tuple(result)


def _names(chosen: Sequence[Sum], below: set[Sum], used: Sequence[str]) -> dict[Sum, SymbolLeaf]:
    """Return D, D₁ … for denominators and u, u₁ … for other sums, outer ones first."""
    bases = {parse_name(name).base for name in used}
    bottom = "D" if "D" not in bases else free_letter(used, ["u"])
    letter = free_letter(used, [bottom])
    ordered = [s for s in chosen if s in below] + [s for s in chosen if s not in below]
    names: dict[Sum, SymbolLeaf] = {}
    for word, group in (
        (bottom, [s for s in ordered if s in below]),
        (letter, [s for s in ordered if s not in below]),
    ):
        for i, s in enumerate(group):
            name = word if len(group) == 1 else f"{word}{i + 1}"
            names[s] = SymbolLeaf(Symbol(Kind.PARAMETER, name))
    return names
