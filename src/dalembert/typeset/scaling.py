"""Long numbers near the size of what they stand for: 4·10⁻⁸ (2·10⁷ x + 10⁶) is 0.8 x + 0.04.

A common factor of exact numbers leaves whole numbers in the bracket. Of numbers with many digits
it leaves huge ones, beside a tiny factor; rounded ones are easier to read inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from dalembert.typeset.tree import Leaf, Power, Product, Sum, open_sum, times

IsLong = Callable[[Fraction], bool]


def scaled(p: Product, is_long: IsLong) -> Product:
    """Return an equal tree whose long numbers stand inside sums, in all sums of it."""
    factors, under = list(p.factors), list(p.under)
    if any(_has_long(x.base, is_long) for x in (*factors, *under)) or (
        is_long(abs(p.coefficient)) and any(_is_open(x) for x in factors)
    ):
        p = _absorbed(p, factors, under, is_long)
    return Product(p.coefficient, _inside(p.factors, is_long), _inside(p.under, is_long))


def _absorbed(p: Product, factors: list[Power], under: list[Power], is_long: IsLong) -> Product:
    """Return the product with its number in its first sum, other sums with terms of size one."""
    coefficient = p.coefficient
    first = next((i for i, x in enumerate(factors) if _is_open(x)), None)
    for powers, sign in ((factors, 1), (under, -1)):
        for i, (base, exponent) in enumerate((x.base, x.exponent) for x in powers):
            if (
                isinstance(base, Sum)
                and _has_long(base, is_long)
                and not (powers is factors and i == first)
            ):
                largest = max(abs(term.coefficient) for term in base.terms)
                powers[i] = Power(_times(base, 1 / largest), exponent)
                coefficient *= largest ** (sign * exponent)
    if first is not None:
        base = factors[first].base
        assert isinstance(base, Sum)
        factors[first] = Power(_times(base, abs(coefficient)))
        coefficient = Fraction(1 if coefficient > 0 else -1)
    return Product(coefficient, tuple(factors), tuple(under))


def _is_open(x: Power) -> bool:
    """Tell whether a number can be multiplied into a factor."""
    return isinstance(x.base, Sum) and x.exponent == 1


def _has_long(base: Leaf | Sum, is_long: IsLong) -> bool:
    return isinstance(base, Sum) and any(is_long(abs(x.coefficient)) for x in base.terms)


def _times(base: Sum, k: Fraction) -> Sum:
    return Sum(tuple(times(term, k) for term in base.terms))


def _inside(powers: Sequence[Power], is_long: IsLong) -> tuple[Power, ...]:
    return tuple(
        Power(_opened(x.base, is_long), x.exponent) if isinstance(x.base, Sum) else x
        for x in powers
    )


def _opened(base: Sum, is_long: IsLong) -> Sum:
    """Return a sum whose terms are scaled; a bracket that lost its factor is opened."""
    return Sum(tuple(x for term in base.terms for x in open_sum(scaled(term, is_long))))
