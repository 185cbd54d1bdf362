"""Functions that a person gives: energies of springs and dampers, profiles of cams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import factorial
from typing import Any, NamedTuple

from dalembert.errors import InvalidMechanism
from dalembert.expr import (
    Expr,
    Kind,
    as_expr,
    coordinates,
    free_symbols,
    is_kind,
    substitute,
    time,
    total,
)
from dalembert.expr.calculus import diff
from dalembert.expr.data import packable
from dalembert.spatial.scalar import evaluated
from dalembert.types import Scalar

EXTENSIONS = coordinates(" ".join(f"extension{k}" for k in range(1, 17)))
"""What a law is a function of, as many as it needs; their rates are those of coordinates."""

RATES = tuple(x.dot for x in EXTENSIONS)


@packable
class Law(NamedTuple):
    """A function of the extensions of a part and of their rates, as an expression over any scalar.

    ``expression`` holds `EXTENSIONS`, `RATES`, parameters and ``da.time``; ``values`` stand for the
    last two, in the order of `symbols`.

    >>> import dalembert as da
    >>> (k,) = da.parameters("k")
    >>> law = Law.of(lambda x: k * x**4 / 4, 1, "spring 's'")
    >>> law.diff(EXTENSIONS[0]).at([2.0], scalar=lambda s: 3.0)
    24.0
    """

    expression: Expr
    values: tuple[Any, ...]

    @classmethod
    def of(cls, function: Callable[..., Scalar], num_extensions: int, where: str) -> Law:
        """Return the law of a function of the extensions.

        Raises:
            InvalidMechanism: it is no function of so many arguments, or what it returns holds
                symbols that no mechanism has.
        """
        if num_extensions > len(EXTENSIONS):
            raise InvalidMechanism(
                f"expected at most {len(EXTENSIONS)} arguments for {where}, got {num_extensions}"
            )
        return cls._called(function, EXTENSIONS[:num_extensions], where)

    @classmethod
    def of_rates(cls, function: Callable[..., Scalar], num_extensions: int, where: str) -> Law:
        """Return the law of a function of the extensions, then of their rates; see `of`."""
        n = num_extensions
        return cls._called(function, (*EXTENSIONS[:n], *RATES[:n]), where)

    @classmethod
    def _called(cls, function: Callable[..., Scalar], given: Sequence[Expr], where: str) -> Law:
        if not callable(function):
            raise InvalidMechanism(
                f"expected a function for {where}, got {function!r:.60}: write it as lambda x: …"
            )
        try:
            found = function(*given)
        except TypeError as error:
            raise InvalidMechanism(
                f"expected a function of {len(given)} expressions for {where}, got {error}"
            ) from error
        return cls.from_expression(as_expr(found), given, where)

    @classmethod
    def from_expression(cls, expression: Expr, given: Sequence[Expr], where: str) -> Law:
        """Return the law of an expression of the given extensions and rates."""
        for x in expression.symbols:
            if x not in given and not is_kind(x, Kind.PARAMETER) and x is not time:
                raise InvalidMechanism(
                    f"expected an expression of the function's arguments, parameters and da.time "
                    f"for {where}, got {x} in it"
                )
        return cls(expression, _symbols(expression))

    @classmethod
    def polynomial(cls, coefficients: Sequence[Scalar]) -> Law:
        """Return the law Σ cₖ xᵏ of one extension x."""
        x = EXTENSIONS[0]
        return cls._exact(total([as_expr(c) * x**k for k, c in enumerate(coefficients)]))

    @classmethod
    def linear(cls, factors: Sequence[Scalar], constant: Scalar = 0) -> Law:
        """Return the law constant + Σ factorᵢ xᵢ."""
        pairs = zip(factors, EXTENSIONS, strict=False)
        return cls._exact(as_expr(constant) + total([as_expr(k) * x for k, x in pairs]))

    @classmethod
    def _exact(cls, expression: Expr) -> Law:
        return cls(expression, _symbols(expression))

    def coefficients(self, max_degree: int) -> tuple[Expr, ...] | None:
        """Return c of a law Σ cₖ xᵏ of one extension; None for a higher degree, or no polynomial.

        >>> Law.polynomial([1, 0, 3]).coefficients(4)
        (1, 0, 3)
        """
        e, x, found = self.expression, EXTENSIONS[0], []
        for k in range(max_degree + 1):
            found.append(e.subs({x: 0}) / factorial(k))
            e = diff(e, x)
            if e == 0:
                return tuple(found)
        return None

    def slopes(self, num_extensions: int) -> tuple[Expr, ...] | None:
        """Return the factors of a law that is linear in its extensions; None where it is not."""
        found = tuple(diff(self.expression, x) for x in EXTENSIONS[:num_extensions])
        is_linear = not any(x in EXTENSIONS for e in found for x in e.symbols)
        return found if is_linear else None

    @property
    def symbols(self) -> tuple[Expr, ...]:
        """The parameters and the time in the expression."""
        return _symbols(self.expression)

    @property
    def has_rates(self) -> bool:
        """Whether the law depends on rates."""
        return any(x in RATES for x in self.expression.symbols)

    def map(self, f: Callable[[Any], Any]) -> Law:
        """Return the law with f applied to every value."""
        values = tuple(f(x) for x in self.values)
        if not all(isinstance(x, int | Fraction | Expr) for x in values):
            return self._replace(values=values)
        # exact values join the expression, so that equal laws are equal
        given = dict(zip(self.symbols, values, strict=True))
        (expression,) = substitute([self.expression], given)
        return Law(expression, _symbols(expression))

    def diff(self, x: Expr) -> Law:
        """Return the derivative by an extension, a rate or the time."""
        slope, known = (
            diff(self.expression, x),
            dict(zip(self.symbols, self.values, strict=True)),
        )
        return Law(slope, tuple(known[s] for s in _symbols(slope)))

    def replaced(self, new: dict[Expr, Expr]) -> Law:
        """Return the law with expressions in the place of extensions and rates."""
        (expression,) = substitute([self.expression], new)
        known = dict(zip(self.symbols, self.values, strict=True))
        return Law(expression, tuple(known.get(s, s) for s in _symbols(expression)))

    def at(
        self,
        extensions: Sequence[Scalar],
        rates: Sequence[Scalar] = (),
        *,
        scalar: Callable[[Any], Any] | None = None,
    ) -> Scalar:
        """Return the value at extensions and rates; ``scalar`` is applied to the law's values."""
        own = self.values if scalar is None else tuple(scalar(x) for x in self.values)
        values = dict(zip(self.symbols, own, strict=True))
        values |= dict(zip(EXTENSIONS, extensions, strict=False))
        values |= dict(zip(RATES, rates, strict=False))
        return evaluated(self.expression, values)


def _symbols(expression: Expr) -> tuple[Expr, ...]:
    known = (*EXTENSIONS, *RATES)
    return tuple(x for x in free_symbols([expression]) if x not in known)
