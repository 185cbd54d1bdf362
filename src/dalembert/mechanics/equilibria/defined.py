"""Where a point of rest belongs to a system: all that describes the system is defined there.

The equations of rest are simplified: of V = (x + exp log x)², they know nothing of x > 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dalembert.errors import DalembertError, DivisionByZero, EvaluationError, InvalidExpression
from dalembert.expr import ONE, Expr, substitute
from dalembert.mechanics.proofs.domain import Condition, conditions, restricted
from dalembert.mechanics.proofs.signs import sign_of

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def conditions_at(eq: Equations, point: Mapping[Expr, Expr]) -> tuple[str, ...] | None:
    """Return what parameters must satisfy for a system to be defined at rest at a point.

    None says that it is defined for no positive parameters.
    """
    where = restricted(eq.system)
    if not where:
        return ()
    values = dict(point) | dict.fromkeys(eq.velocities, 0)
    texts: dict[str, None] = {}
    try:
        for c in conditions(substitute(where, values), of_constants=True):
            verdict = _holds(c)
            if verdict is False:
                return None
            if verdict is None:
                texts[str(c)] = None
    except (DivisionByZero, InvalidExpression):
        # 1/0, or the logarithm of -1
        return None
    return tuple(texts)


def _holds(c: Condition) -> bool | None:
    """Decide a condition for positive parameters; None where they decide."""
    try:
        signs = [sign_of(x) for x in _nonnegative(c)]
    except DivisionByZero:
        return False
    except DalembertError:
        return None
    if c.relation in ("cut", "origin"):
        return any(s.sign for s in signs)
    (sign,) = signs
    if c.relation == "≠":
        return bool(sign.sign)
    if sign.is_negative or (not sign.sign and c.relation in (">", "<1")):
        return False
    return True if not sign.factors else None


def _nonnegative(c: Condition) -> tuple[Expr, ...]:
    """Return what a condition compares with zero."""
    return tuple(ONE - x**2 for x in c.args) if c.relation in ("<1", "≤1") else c.args


def is_defined_at(eq: Equations, values: Mapping[Expr, float]) -> bool:
    """Tell whether a system is defined at rest at a point in numbers."""
    numbers = dict(values) | dict.fromkeys(eq.velocities, 0.0)
    try:
        for e in restricted(eq.system):
            if numbers.keys() >= set(e.symbols):
                e.evaluate({x: numbers[x] for x in e.symbols})
    except EvaluationError:
        return False
    return True
