"""Numbers that are too long to read are printed with six digits; what holds them says ≈, not =.

The exact number stays beside the digits that stand for it. Different numbers of one print have
different digits: a second one that rounds to 0.612700 is printed as 0.6127000.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from fractions import Fraction

from dalembert.typeset.render.renderer import split_number
from dalembert.typeset.scaling import scaled
from dalembert.typeset.tree import (
    CallLeaf,
    Leaf,
    NumberLeaf,
    PartialLeaf,
    Power,
    Product,
    RootLeaf,
    Sum,
    TrigLeaf,
    arguments,
    leaves,
)

DIGITS = 6
"""Digits of a rounded number."""

PLAIN_EXPONENTS = range(-5, 5)
"""Powers of ten that are written with zeros."""


class Rounding:
    """The numbers of one print that are rounded, by the digits that stand for each."""

    def __init__(self, most: int) -> None:
        """Round numbers, and parts of fractions, of more than so many digits."""
        self.most = most
        self.exact: dict[str, Fraction] = {}

    def trees(self, trees: Sequence[Product]) -> list[Product]:
        """Return all trees of a print with long numbers rounded."""
        if not any(self._is_long(x) for tree in trees for x in _numbers(tree)):
            return list(trees)
        trees = [scaled(tree, self._is_long) for tree in trees]
        values = dict.fromkeys(x for tree in trees for x in _numbers(tree))
        long = [value for value in values if self._is_long(value)]
        taken = {part for x in values if not self._is_long(x) for part in split_number(x)}
        found: dict[Fraction, NumberLeaf] = {}
        for value in long:
            leaf = _first_free(value, taken)
            taken.add(leaf.digits)
            found[value] = leaf
            self.exact[leaf.digits] = value / Fraction(10) ** leaf.exponent
        return [_tree(tree, found) for tree in trees]

    def _is_long(self, value: Fraction) -> bool:
        top, bottom = value.numerator, value.denominator
        if top < 10**DIGITS and bottom < 10**DIGITS:
            return False
        above, below = split_number(value)
        if "." in above:
            return len(above.replace(".", "").lstrip("0")) > self.most
        return max(len(above), len(below)) > self.most


def is_rounded(tree: Product) -> bool:
    """Tell whether a tree holds a rounded number."""
    return any(isinstance(leaf, NumberLeaf) for leaf in leaves(tree))


def relation(trees: Iterable[Product]) -> str:
    """Return the sign between two sides: ≈ if a number of theirs is rounded."""
    return "≈" if any(map(is_rounded, trees)) else "="


def _numbers(tree: Product) -> Iterable[Fraction]:
    """Yield the size of every number of a tree, of those that are rounded already too."""
    stack = [tree]
    while stack:
        p = stack.pop()
        yield abs(p.coefficient)
        for power in (*p.factors, *p.under):
            base = power.base
            if isinstance(base, NumberLeaf):
                yield base.value
            stack.extend(base.terms if isinstance(base, Sum) else arguments(base))


def _first_free(value: Fraction, taken: set[str]) -> NumberLeaf:
    """Return the rounded number with the fewest digits, from six, that no other one has."""
    count = DIGITS
    while True:
        leaf = _rounded(value, count)
        if leaf.digits not in taken:
            return leaf
        count += 1


def _rounded(value: Fraction, count: int) -> NumberLeaf:
    """Return a positive number with so many digits, and a power of ten where zeros are many."""
    context = Context(prec=count)
    found = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    digits = "".join(map(str, found.as_tuple().digits)).ljust(count, "0")
    exponent = found.adjusted()
    if exponent not in PLAIN_EXPONENTS:
        return NumberLeaf(value, f"{digits[0]}.{digits[1:]}", exponent)
    if exponent < 0:
        return NumberLeaf(value, f"0.{'0' * (-exponent - 1)}{digits}", 0)
    return NumberLeaf(value, f"{digits[: exponent + 1]}.{digits[exponent + 1 :]}", 0)


def _tree(p: Product, found: dict[Fraction, NumberLeaf]) -> Product:
    factors, under = _powers(p.factors, found), _powers(p.under, found)
    leaf = found.get(abs(p.coefficient))
    if leaf is None:
        return Product(p.coefficient, factors, under)
    sign = Fraction(1 if p.coefficient > 0 else -1)
    return Product(sign, (Power(leaf), *factors), under)


def _powers(powers: Sequence[Power], found: dict[Fraction, NumberLeaf]) -> tuple[Power, ...]:
    return tuple(Power(_base(x.base, found), x.exponent) for x in powers)


def _base(base: Leaf | Sum, found: dict[Fraction, NumberLeaf]) -> Leaf | Sum:
    def inside(trees: Sequence[Product]) -> tuple[Product, ...]:
        return tuple(_tree(x, found) for x in trees)

    match base:
        case Sum(terms=terms):
            return Sum(inside(terms))
        case TrigLeaf(function=function, angle=angle):
            return TrigLeaf(function, inside(angle))
        case CallLeaf(function, args):
            return CallLeaf(function, inside(args))
        case PartialLeaf(function, orders, args):
            return PartialLeaf(function, orders, inside(args))
        case RootLeaf(arg, degree):
            return RootLeaf(_tree(arg, found), degree)
        case NumberLeaf(value, _, _):
            return found[value]
        case _:
            return base
