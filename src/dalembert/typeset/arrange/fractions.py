"""Lay out a ring element as a print tree: a polynomial, and fractions as they stand apart.

Fractions that have something in common are joined where that is shorter to read. A single one may
be written over another denominator, as a sum of a whole part and a rest, or apart for each product
of velocities.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import compress
from math import gcd, lcm

import flint

from dalembert.errors import TooLarge
from dalembert.expr import Kind, Symbol, is_kind
from dalembert.ring.elements.denominators import Denominator
from dalembert.ring.elements.element import Element, Quotient, common_denominator
from dalembert.ring.elements.vanishing import linked
from dalembert.ring.ring import Ring
from dalembert.typeset.arrange.exponentials import spell_with_exponentials
from dalembert.typeset.arrange.grouping import group, join, positive_first, product, raised
from dalembert.typeset.arrange.layout import PARTS, lay_out
from dalembert.typeset.arrange.letters import (
    ACCELERATION,
    INPUT,
    MULTIPLIER,
    VELOCITY,
    Alphabet,
    Poly,
    base_rank,
    common_monomial,
    divide,
)
from dalembert.typeset.arrange.quotient import finish, over, shorter_quotient
from dalembert.typeset.arrange.rates import by_rates
from dalembert.typeset.arrange.spelling import spell
from dalembert.typeset.render.names import is_gravity
from dalembert.typeset.tree import (
    Power,
    Product,
    Sum,
    SymbolLeaf,
    cost,
    leaves,
    negative,
    number,
    open_sum,
    sum_tree,
    times,
)

# how much longer a sum of quotients may be than one over a common denominator
EVEN = 1.4
_PARTS = (
    (MULTIPLIER, "multipliers"),
    (ACCELERATION, "accelerations"),
    (VELOCITY, "velocities"),
    (INPUT, "inputs"),
)
MAX_JOINED = 4
"""Fractions that are tried over one denominator, to see whether that is shorter."""
MAX_JOINED_TERMS = 60
"""Terms of all of them together."""
MAX_MULTIPLIED_OUT = 60
"""Terms of a denominator that is also tried multiplied out, not by its factors alone."""


def element_tree(
    element: Element, order: Sequence[Symbol] = (), in_equation: bool = False
) -> Product:
    """Return the print tree of a ring element; ``order`` lists the coordinates as they are read.

    ``in_equation`` says that the terms follow others: they keep their order and their factors.
    """
    if element.is_empty:
        return number(0)
    spelled = spell_with_exponentials(element, order)
    if spelled is not None:
        return finish(lay_out(*spelled, in_equation=in_equation))
    if element.is_polynomial:
        alphabet, (p,) = spell(element.ring, [element.polynomial], order)
        return finish(lay_out(alphabet, p, in_equation=in_equation))
    groups = linked(element)
    if len(groups) == 1 and _is_single(groups[0]):
        return _fraction(groups[0], order, in_equation)
    trees = [_in_order([_group_tree(x, order, in_equation) for x in groups], in_equation)]
    if (split := _shared(element)) is not None:
        rest, factor, inside = split
        terms = [element_tree(rest, order, in_equation)]
        terms.append(join(element_tree(factor, order), element_tree(inside, order)))
        trees.append(_in_order(terms, in_equation))
    if (whole := _joined(element)) is not None:
        trees.append(
            element_tree(whole, order)
            if whole.is_polynomial
            else _fraction(whole, order, in_equation)
        )
    return min(trees, key=cost)


def _shared(x: Element) -> tuple[Element, Element, Element] | None:
    """Return (rest, factor, inside) with x = rest + factor · inside for one fraction, else None.

    The factor moves and so does the denominator, as in k x (1 - l/√(x² + y²)).
    """
    if not x.whole or len(x.fractions or ()) != 1 or len(x) > MAX_JOINED_TERMS:
        return None
    ring = x.ring
    ((key, p),) = (x.fractions or {}).items()
    moving = [any(not is_kind(s, Kind.PARAMETER) for s in g.symbols) for g in ring.generators]

    if not any(moving[i] for i in ring.denominators.used(key)):
        return None

    def moves(q: flint.fmpq_mpoly) -> bool:
        return any(compress(q.degrees(), moving))

    # the whole polynomial, or the most terms that share one coordinate with the numerator
    part, factor = x.whole, x.whole.gcd(p)
    if not moves(factor):
        terms = max(
            (
                [k * m for m, k in _monomials(x.whole) if m.degrees()[i]]
                for i, n in enumerate(p.term_content().degrees())
                if n and moving[i]
            ),
            key=len,
            default=[],
        )
        if not terms:
            return None
        part = sum(terms, ring.zero_poly)
        factor = part.gcd(p)
    whole = part / factor
    if not whole.is_constant():
        # a potential stands apart from what momenta give
        return None
    inside = ring.polynomial(whole) + ring.polynomial(p / factor).over(key)
    k = inside.content() * (1 if whole.leading_coefficient() > 0 else -1)
    return ring.polynomial(x.whole - part), ring.polynomial(factor) * k, inside * (1 / k)


def _monomials(p: flint.fmpq_mpoly) -> list[tuple[flint.fmpq_mpoly, flint.fmpq]]:
    context = p.context()
    return [(context.from_dict({e: 1}), k) for e, k in p.to_dict().items()]


def _group_tree(x: Element, order: Sequence[Symbol], in_equation: bool) -> Product:
    """Return the tree of fractions that have something in common."""
    if x.is_polynomial:
        return element_tree(x, order, in_equation)
    if _is_single(x):
        return _fraction(x, order, in_equation)
    if x.is_surely_zero:
        return number(0)
    ring = x.ring
    parts = [ring.polynomial(p).over(key) for key, p in x.parts()]
    apart = _in_order([_group_tree(part, order, in_equation) for part in parts], in_equation)
    whole = _joined(x)
    if whole is None:
        return apart
    joined = element_tree(whole, order, in_equation)
    return joined if cost(joined) < cost(apart) else apart


def _is_single(x: Element) -> bool:
    return not x.whole and len(x.fractions or ()) == 1


def _joined(x: Element) -> Element | None:
    """Return an element over one denominator, or None where that is long."""
    if len(x.fractions or ()) > MAX_JOINED or len(x) > MAX_JOINED_TERMS:
        return None
    if x.ring.denominators.max_terms(common_denominator([x])) > MAX_MULTIPLIED_OUT:
        return None
    try:
        whole = x.as_one()
    except TooLarge:
        return None
    return whole if whole.is_polynomial or _is_single(whole) else None


def _in_order(trees: Sequence[Product], in_equation: bool) -> Product:
    """Return the sum of trees: an energy starts with a positive term, an equation keeps order."""
    terms = [term for tree in trees if tree.coefficient for term in open_sum(tree)]
    terms.sort(key=_rank)
    terms = _with_like_brackets(terms)
    parts = {PARTS[_rank(term)] for term in terms}
    is_equation = "accelerations" in parts or ("velocities" in parts and len(parts) > 1)
    if in_equation or is_equation:
        return sum_tree(terms)
    if parts <= {"gravity", "rest"}:
        # momenta over masses come before a potential
        terms.sort(key=lambda term: (term.coefficient < 0, not (term.under and _moves(term))))
    return sum_tree(positive_first(terms))


def _with_like_brackets(terms: Sequence[Product]) -> list[Product]:
    """Return the terms with (x₁ - x₂) where another has it, not (x₂ - x₁)."""
    seen: set[frozenset[Product]] = set()
    found: list[Product] = []
    for term in terms:
        for i, x in enumerate(term.factors):
            if not isinstance(x.base, Sum):
                continue
            other = tuple(map(negative, x.base.terms))
            if x.exponent % 2 and frozenset(other) in seen:
                turned = Power(Sum(tuple(positive_first([*other]))), x.exponent)
                factors = (*term.factors[:i], turned, *term.factors[i + 1 :])
                term = Product(-term.coefficient, factors, term.under)
            else:
                seen.add(frozenset(x.base.terms))
        found.append(term)
    return found


def _moves(term: Product) -> bool:
    """Tell whether a coordinate stands above the line."""
    above = leaves(Product(term.coefficient, term.factors))
    return any(isinstance(x, SymbolLeaf) and x.symbol.kind is Kind.COORDINATE for x in above)


def _rank(term: Product) -> int:
    """Order terms as `PARTS` does: accelerations, velocities, gravity, …, multipliers."""
    kinds = {base_rank(x.base)[0] for x in term.factors}
    for kind, part in _PARTS:
        if kind in kinds:
            return PARTS.index(part)
    is_weight = any(isinstance(x, SymbolLeaf) and is_gravity(x.symbol) for x in leaves(term))
    return PARTS.index("gravity" if is_weight else "rest")


def _fraction(x: Element, order: Sequence[Symbol], in_equation: bool) -> Product:
    """Return the tree of a fraction."""
    ring = x.ring
    key = _below(x)
    factors = [ring.denominators.factors[number] for number, _ in key]
    best = _over_factors(x, order)
    # r³ is not r times what is under the root
    has_root = any(f.place is not None and ring.generators[f.place].op == "pow" for f in factors)
    if not has_root and ring.denominators.max_terms(key) <= MAX_MULTIPLIED_OUT:
        other = _over_one(ring, shorter_quotient(ring, x.over_one()), order)
        best = other if cost(other) <= cost(best) else best
    return best if len(open_sum(best)) > 1 else _apart(x, order, in_equation, best)


def _apart(x: Element, order: Sequence[Symbol], in_equation: bool, joined: Product) -> Product:
    """Return a quotient for each product of velocities: always in an equation, unless it is long.

    Elsewhere, as in an energy, where a denominator such as m₁ + m₂ disappears from some of them.
    """
    parts, known = by_rates(x, order), x.ring.denominators
    is_simpler = min(map(known.max_terms, map(_below, parts))) < known.max_terms(_below(x))
    if len(parts) == 1 or not (in_equation or is_simpler):
        return joined
    apart = sum_tree([element_tree(part, order) for part in parts])
    return apart if cost(apart) <= (2 if in_equation else EVEN) * cost(joined) else joined


def _below(x: Element) -> Denominator:
    """Return the denominator of a fraction."""
    ((key, _),) = x.parts()
    return key


def _over_one(ring: Ring, q: Quotient, order: Sequence[Symbol]) -> Product:
    """Return the tree of numerator over denominator, or of a whole part and what is left."""
    alphabet, (top, bottom) = spell(ring, q, order)
    joined = _quotient(alphabet, top, [(bottom, 1)])
    split = _split_quotient(ring, q, order)
    return joined if split is None or cost(joined) <= cost(split) else split


def _split_quotient(ring: Ring, q: Quotient, order: Sequence[Symbol]) -> Product | None:
    """Return rest/denominator + whole, where the division leaves a whole part."""
    # p/(m d) = rest/(m d) + whole/m, where m is a product of letters
    letters = q.den.term_content()
    whole, rest = divmod(q.num, q.den / letters)
    if not whole or not rest or len(q.den) == 1:
        return None
    fraction = element_tree(ring.quotient(rest, q.den), order)
    return sum_tree([fraction, element_tree(ring.quotient(whole, letters), order)])


def _over_factors(x: Element, order: Sequence[Symbol]) -> Product:
    """Return the tree of a numerator over powers of factors."""
    ((key, p),) = (x.fractions or {}).items()
    known = x.ring.denominators.factors
    alphabet, (top, *below) = spell(x.ring, [p, *(known[i].poly for i, _ in key)], order)
    return _quotient(alphabet, top, [(q, e) for q, (_, e) in zip(below, key, strict=True)])


def _quotient(alphabet: Alphabet, p: Poly, below: Sequence[tuple[Poly, int]]) -> Product:
    """Return the tree of p / Π q ** e."""
    if not p:
        return number(0)
    k, p = _primitive(p)
    bottom = number(1)
    for q, e in below:
        k2, q = _primitive(q)
        tree = group(alphabet, q)
        if tree.coefficient < 0:
            k2, tree = -k2, negative(tree)
        k /= k2**e
        bottom = join(bottom, raised(tree, e))
    if k < 0:
        k, p = -k, {m: -x for m, x in p.items()}
    # a sum that starts with minus has its sign in front of the fraction
    top = _numerator(alphabet, p)
    terms = open_sum(top)
    if len(terms) > 1 and terms[0].coefficient < 0:
        top = Product(Fraction(-1), (Power(Sum(tuple(map(negative, terms)))),))
    joined = finish(times(over(top, bottom), k))
    if len(p) == 1 or any(len(q) > 1 for q, _ in below):
        return joined
    # a denominator of one term may cancel term by term: (F - m g s)/m = F/m - g s
    for q, e in below:
        ((m, _),) = q.items()
        for _ in range(e):
            p = divide(p, m)
    spread = finish(lay_out(alphabet, {x: c * k for x, c in p.items()}))
    return spread if cost(spread) <= cost(joined) else joined


def _numerator(alphabet: Alphabet, p: Poly) -> Product:
    """Return what all terms share, times the rest as it is collected or grouped."""
    common = common_monomial(p)
    if len(p) == 1 or not common:
        return lay_out(alphabet, p, is_closed_form=True)
    return join(product(alphabet, Fraction(1), common), _numerator(alphabet, divide(p, common)))


def _primitive(p: Poly) -> tuple[Fraction, Poly]:
    """Return (k, rest) with whole coefficients without common factor in the rest."""
    bottom = lcm(*(k.denominator for k in p.values()))
    k = Fraction(gcd(*(int(x * bottom) for x in p.values())), bottom)
    return k, {m: x / k for m, x in p.items()}
