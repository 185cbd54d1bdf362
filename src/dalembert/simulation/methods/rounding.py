"""Implicit steps solved to rounding, and sums that carry what rounding takes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dalembert.errors import EvaluationError

# relative changes of this size that no longer shrink are rounding, and so are these
SMALL = 1e-11
ROUNDING = 1e-17
MAX_SWEEPS = 60


def iterate(sweep: Callable[[], float], where: str) -> None:
    """Repeat a sweep, which returns its relative change, until changes no longer shrink.

    So implicit steps are solved to the last digit, and their rounding errors have no preferred
    direction (Hairer, McLachlan & Razakarivony, BIT 48, 2008).

    Raises:
        EvaluationError: the changes do not become small.
    """
    last = math.inf
    for _ in range(MAX_SWEEPS):
        change = sweep()
        if change <= ROUNDING or (change >= last and change <= SMALL):
            return
        if not math.isfinite(change):
            break
        last = change
    raise not_converged(last, where)


def not_converged(change: float, where: str) -> EvaluationError:
    """Return the error of an implicit step whose sweeps do not settle."""
    return EvaluationError(
        f"expected an implicit step of {where} to converge, got a change of {change:.3g} after "
        f"{MAX_SWEEPS} sweeps: take a smaller step="
    )


class CompensatedSum:
    """A vector to which changes are added; ``value + carry`` is the sum.

    Errors are those of rounding the changes, not the much larger value. What rounding takes is
    found without branches: D. E. Knuth, The Art of Computer Programming 2,
    4.2.2, theorem B.
    """

    def __init__(self, value: np.ndarray, carry: np.ndarray | None = None) -> None:
        self.value = value
        self.carry = np.zeros_like(value) if carry is None else carry

    def add(self, change: np.ndarray) -> np.ndarray:
        """Add a change and return the new value."""
        x, change = self.value, change + self.carry
        new = x + change
        taken = new - x
        self.carry = (x - (new - taken)) + (change - taken)
        self.value = new
        return new
