"""Polynomials over print leaves (letters): their order in a product, and their arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from dalembert.expr import Kind, Symbol
from dalembert.typeset.render.names import is_gravity, is_mass, name_key
from dalembert.typeset.tree import (
    CallLeaf,
    Leaf,
    NumberLeaf,
    PartialLeaf,
    PiLeaf,
    Power,
    Product,
    RootLeaf,
    Sum,
    SymbolLeaf,
    TextLeaf,
    TrigLeaf,
)

Mono = tuple[tuple[int, int], ...]
"""(letter number, exponent) pairs; exponents may be negative."""

Poly = dict[Mono, Fraction]

# the order of classes inside a product
(
    CONSTANT,
    MASS,
    PARAMETER,
    INPUT,
    TIME,
    COORDINATE,
    TRIG,
    FUNCTION,
    VELOCITY,
    ACCELERATION,
    MULTIPLIER,
    SUM,
) = range(12)

_CLASS = {Kind.INPUT: INPUT, Kind.TIME: TIME, Kind.MULTIPLIER: MULTIPLIER}


class Alphabet:
    """The letters of one printed expression, in product order.

    ``order`` lists coordinates in the order in which terms with them are read; coordinates that it
    does not name follow by name.
    """

    def __init__(self, leaves: Sequence[Leaf], order: Sequence[Symbol] = ()) -> None:
        self.leaves = sorted(leaves, key=leaf_rank)
        self.number = {leaf: i for i, leaf in enumerate(self.leaves)}
        self.kind = [leaf_class(leaf) for leaf in self.leaves]
        self.is_gravity = [
            isinstance(leaf, SymbolLeaf) and is_gravity(leaf.symbol) for leaf in self.leaves
        ]
        places = {symbol._replace(order=0): i for i, symbol in enumerate(order)}
        self.place = [_place(leaf, i, places) for i, leaf in enumerate(self.leaves)]

    def powers(self, m: Mono) -> tuple[tuple[Power, ...], tuple[Power, ...]]:
        """Return the factors above and below the fraction line."""
        above = tuple(Power(self.leaves[i], n) for i, n in m if n > 0)
        below = tuple(Power(self.leaves[i], -n) for i, n in m if n < 0)
        return above, below


def _place(leaf: Leaf, i: int, places: dict[Symbol, int]) -> tuple[int, int]:
    """Return where a letter is read: by its coordinate, else by its own number."""
    coordinate = leaf.symbol._replace(order=0) if isinstance(leaf, SymbolLeaf) else None
    return (places.get(coordinate, len(places)) if coordinate else len(places), i)


def leaf_class(leaf: Leaf) -> int:
    """Return the class that decides the place of a leaf in a product."""
    match leaf:
        case SymbolLeaf(symbol):
            if symbol.kind is Kind.COORDINATE:
                return (COORDINATE, VELOCITY, ACCELERATION)[min(symbol.order, 2)]
            if symbol.order:
                # the rate of a function of time
                return FUNCTION
            return _CLASS.get(symbol.kind, MASS if is_mass(symbol) else PARAMETER)
        case PiLeaf() | NumberLeaf():
            return CONSTANT
        case RootLeaf(arg, _) if not arg.factors and not arg.under:
            return CONSTANT
        case TrigLeaf():
            return TRIG
        case _:
            return FUNCTION


@lru_cache(maxsize=20_000)
def leaf_rank(leaf: Leaf) -> tuple:
    """Return a key that sorts leaves in the order of a product."""
    kind = leaf_class(leaf)
    match leaf:
        case SymbolLeaf(symbol) if kind == FUNCTION:
            return (kind, 2, symbol.name, (), (symbol.order,))
        case SymbolLeaf(symbol):
            return (kind, symbol.order, name_key(symbol.name), symbol.kind.value)
        case TrigLeaf(function=function, angle=angle):
            # the same angle: sin before cos
            return (kind, tuple(map(product_rank, angle)), function[:3] != "sin", function)
        case RootLeaf(arg, degree):
            return (kind, 1, str(degree), (product_rank(arg),))
        case CallLeaf(function, args):
            return (kind, 2, function, tuple(map(product_rank, args)))
        case PartialLeaf(function, orders, args):
            return (kind, 2, function, tuple(map(product_rank, args)), orders)
        case TextLeaf(words):
            return (kind, 3, words, ())
        case NumberLeaf(_, digits, exponent):
            return (kind, 0, digits, (exponent,))
        case PiLeaf():
            return (kind, 0, "", ())


def base_rank(base: Leaf | Sum) -> tuple:
    """Return the key of a factor; a sum stands with the latest of its letters."""
    if not isinstance(base, Sum):
        return (leaf_class(base), 0, leaf_rank(base))
    return base.remember("rank", _sum_rank)


def _sum_rank(base: Sum) -> tuple:
    kinds = [_product_class(term) for term in base.terms]
    # (m₁ a₁ + m₂ a₂) stands where a mass stands
    is_massive = max(kinds) <= PARAMETER and all(_has_mass(term) for term in base.terms)
    kind = MASS if is_massive else max(kinds)
    return (kind, 1, (SUM, tuple(map(product_rank, base.terms))))


def _product_class(p: Product) -> int:
    kinds = [
        base_rank(x.base)[0] if isinstance(x.base, Sum) else leaf_class(x.base)
        for x in (*p.factors, *p.under)
    ]
    return max(kinds, default=CONSTANT)


def _has_mass(p: Product) -> bool:
    return any(base_rank(x.base)[0] == MASS for x in p.factors)


def product_rank(p: Product) -> tuple:
    """Return a key for products by their factors, then their number."""
    return (
        tuple((base_rank(x.base), -x.exponent) for x in p.factors),
        tuple((base_rank(x.base), -x.exponent) for x in p.under),
        p.coefficient,
    )


def multiply(a: Mono, b: Mono) -> Mono:
    """Return the product of monomials."""
    exponents = dict(a)
    for i, n in b:
        exponents[i] = exponents.get(i, 0) + n
    return tuple(sorted((i, n) for i, n in exponents.items() if n))


def inverse(m: Mono) -> Mono:
    """Return 1/m."""
    return tuple((i, -n) for i, n in m)


def divide(p: Poly, m: Mono) -> Poly:
    """Return p/m."""
    if not m:
        return p
    over = inverse(m)
    return {multiply(x, over): k for x, k in p.items()}


def common_monomial(p: Poly) -> Mono:
    """Return the letters that every term has, with the exponent nearest to zero."""
    terms = iter(p)
    common = dict(next(terms))
    for m in terms:
        exponents = dict(m)
        for i in list(common):
            n = exponents.get(i, 0)
            if n * common[i] <= 0:
                del common[i]
            elif abs(n) < abs(common[i]):
                common[i] = n
        if not common:
            break
    return tuple(sorted(common.items()))
