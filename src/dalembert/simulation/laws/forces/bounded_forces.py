"""Forces between bounds: the linear complementarity problem of contacts and dry friction."""

from __future__ import annotations

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.laws.sizes import scaled_solution

ROUNDING = 1e-12
"""A rate that is this part of what it is the sum of is zero."""


def bounded_forces(
    W: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, sizes: np.ndarray
) -> np.ndarray:
    """Return z with lower ≤ z ≤ upper for which w = W z + b is zero, or pushed back by a bound.

    wᵢ = 0 where zᵢ is between its bounds, wᵢ ≥ 0 at the lower one, wᵢ ≤ 0 at the upper one. These
    are the conditions of the smallest ½ zᵀ W z + bᵀ z, so that w is unique for every positive
    semidefinite W; z is, if the directions are independent. Active sets: from a force that is
    allowed, free the row that is violated most, and go to the smallest value of the free rows or to
    the first bound on the way. Each round lowers the value, so no set comes back (Lawson & Hanson,
    Solving Least Squares Problems, chapter 23).

    Args:
        W: A M⁻¹ Aᵀ, ``(n, n)``.
        b: Rates without forces.
        lower: Bounds, at most zero; -∞ where there is none.
        upper: Bounds, at least zero; ∞ where there is none.
        sizes: What the diagonal of W is beside; see `scaled_solution`.

    Raises:
        EvaluationError: no forces were found.
    """
    n = len(b)
    z = np.zeros(n)
    free = (lower < 0) & (upper > 0)
    _descend(W, b, lower, upper, sizes, z, free)
    for _ in range(10 * n + 10):
        w = W @ z + b
        # by how much w at a bound has the wrong sign, beyond the rounding of w
        fault = np.where(z <= lower, -w, np.where(z >= upper, w, 0.0))
        fault -= ROUNDING * (np.abs(W) @ np.abs(z) + np.abs(b))
        fault[free | (lower == upper)] = 0.0
        k = int(fault.argmax()) if n else 0
        if not n or fault[k] <= 0:
            return z
        # free the worst row
        free[k] = True
        _descend(W, b, lower, upper, sizes, z, free)
    raise EvaluationError(
        f"expected forces of {n} contacts and dry frictions, got none after {10 * n + 10} rounds: "
        "surfaces leave no room between them, or their directions are nearly dependent"
    )


def _descend(
    W: np.ndarray,
    b: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    sizes: np.ndarray,
    z: np.ndarray,
    free: np.ndarray,
) -> None:
    """Move the free entries of z to where their w vanishes; those that meet a bound stay there."""
    while free.any():
        # W_ff z_f = -(b_f + W_fb z_b), f the free rows and b the bound ones
        rest = b[free] + W[np.ix_(free, ~free)] @ z[~free]
        goal = scaled_solution(W[np.ix_(free, free)], -rest, sizes[free])
        # the part of the change after which each row meets a bound
        start, lo, hi = z[free], lower[free], upper[free]
        change = goal - start
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(
                change > 0,
                (hi - start) / change,
                np.where(change < 0, (lo - start) / change, np.inf),
            )
        first = float(part.min())
        if first >= 1:
            z[free] = goal
            return
        # go to the first bound, and bind the rows that meet it
        z[free] = np.clip(start + first * change, lo, hi)
        met = np.flatnonzero(free)[part <= first]
        z[met] = np.where(change[part <= first] > 0, upper[met], lower[met])
        free[met] = False
