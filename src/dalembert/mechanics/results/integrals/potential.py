"""Potentials: a function with a given gradient, found by integration and verified."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr import ZERO, Expr
from dalembert.expr.calculus import diff
from dalembert.mechanics.results.integrals.antiderivative import antiderivative
from dalembert.ring import canonical, equal, rebuild, ring_of


def integrates(F: Expr, components: Sequence[Expr], symbols: Sequence[Expr]) -> bool:
    """Tell whether the gradient of F is what is given, exactly."""
    return all(equal(diff(F, x), f) for x, f in zip(symbols, components, strict=True))


def potential(components: Sequence[Expr], symbols: Sequence[Expr]) -> Expr | None:
    """Return F with ∂F/∂xᵢ = fᵢ, or None if none is found; what is returned is verified.

    >>> from dalembert import coordinates
    >>> x, y = coordinates("x y")
    >>> potential([2 * x * y, x**2], [x, y])
    x² y
    """
    F = ZERO
    for x, f in zip(symbols, components, strict=True):
        left = _simplified(f - diff(F, x))
        if left is ZERO:
            continue
        part = antiderivative(left, x)
        if part is None:
            return None
        F = F + part
    return _simplified(F) if integrates(F, components, symbols) else None


def _simplified(e: Expr) -> Expr:
    """Return the canonical form of an expression as an expression."""
    return rebuild(canonical(ring_of([e]), e))
