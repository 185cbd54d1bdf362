"""Numerical search for singular configurations, where the determinant is too long to write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.analysis.samples import Bounds, box, random_configurations
from dalembert.analysis.table import numbers, table
from dalembert.analysis.workspace import checked_rows
from dalembert.display import Printed
from dalembert.errors import InvalidMechanism

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array

HALVINGS = 12


@dataclass(frozen=True)
class SingularConfigurations(Printed):
    """Local minima of the smallest singular value σ_m within the limits, smallest first.

    ``configurations`` ``(N, nq)``; ``sigma`` ``(N,)``; ``lost`` ``(N, m)`` the unit direction that
    the tool can hardly move in. Those with σ_m ≤ ``tolerance`` are singular, the others are where
    a search ended: at a limit, or at a minimum above zero.
    """

    frame: str
    tolerance: float
    configurations: Array
    sigma: Array
    lost: Array

    @property
    def is_singular(self) -> Array:
        """Which of the configurations are singular."""
        return self.sigma <= self.tolerance

    def __str__(self) -> str:
        count = int(self.is_singular.sum())
        rows = [
            (f"{s:.1e}", numbers(q), numbers(u))
            for s, q, u in zip(self.sigma[:8], self.configurations, self.lost, strict=False)
        ]
        return "\n".join(
            [
                f"{self.frame!r}: {count} of {len(self.sigma)} searches ended at a singularity",
                table(("σ_min", "configuration", "lost direction"), rows),
            ]
        )


def singular_search(
    model: Model,
    frame: str,
    *,
    rows: Sequence[int] = range(6),
    starts: int = 200,
    iterations: int = 60,
    tolerance: float = 1e-9,
    bounds: Bounds | None = None,
    seed: int = 0,
) -> SingularConfigurations:
    """Minimise σ_m of some rows of J from many starts at once, within the joint limits.

    Let r = min(m, n), and U₂, V₂ the singular vectors from the r-th on. J has a rank below r where
    U₂ᵀ J V₂ = 0, which is σ_r and zeros. Its slopes are U₂ᵀ (∂J/∂q_k) V₂, and ∂J/∂q_k is the rate
    of J for q̇ = e_k. So Newton's step is the shortest dq with Σ U₂ᵀ (∂J/∂q_k) V₂ dq_k = -U₂ᵀ J V₂,
    halved until σ_r falls. One condition for a square J, n - m + 1 for a redundant arm.

    Args:
        rows: Of (linear, angular) in world axes.
        starts: Random configurations within the limits.
        bounds: Lower and upper q to search between, instead of the joint limits.
        tolerance: σ_m that counts as zero, in the units of J.
    """
    if not model.configuration.is_flat:
        raise InvalidMechanism(
            f"expected scalar joints, got others in {model.name}: write them as "
            "hinges with Mechanism.with_euler_angles()"
        )
    chosen = checked_rows(rows)
    q = random_configurations(model, starts, seed, bounds)
    # hinges without limits may turn on: only true limits stop a search
    lower, upper = box(model, bounds) if bounds else _limits(model)
    now = _smallest(model, q, frame, chosen)
    active = now.sigma > tolerance
    for _ in range(iterations):
        if not active.any():
            break
        i = np.flatnonzero(active)
        step = _newton_step(q[i], _Values(*(x[i] for x in now)), lower, upper)
        moved = np.zeros(len(i), bool)
        for k in range(HALVINGS):
            todo = np.flatnonzero(~moved)
            at = i[todo]
            trial = np.clip(q[at] + step[todo] / 2**k, lower, upper)
            then = _smallest(model, trial, frame, chosen)
            better = then.sigma < now.sigma[at]
            q[at[better]] = trial[better]
            for old, new in zip(now, then, strict=True):
                old[at[better]] = new[better]
            moved[todo[better]] = True
            if moved.all():
                break
        # no step makes it smaller: a minimum
        active[i[~moved]] = False
        active &= now.sigma > tolerance
    order = np.argsort(now.sigma, kind="stable")
    return SingularConfigurations(frame, tolerance, q[order], now.sigma[order], now.u[order])


def _limits(model: Model) -> tuple[Array, Array]:
    return model.configuration.lower, model.configuration.upper


class _Values(NamedTuple):
    """σ_r, its left vector u, and slopes ``(N, conditions, n)``, the first row that of σ_r."""

    sigma: Array
    u: Array
    slopes: Array


def _smallest(model: Model, q: Array, frame: str, rows: list[int]) -> _Values:
    J = model.jacobian(q, frame)[:, rows, :]
    U, sigma, Vt = np.linalg.svd(J)
    r = sigma.shape[-1]
    # ∂J/∂q_k = J̇ at q̇ = e_k
    dJ = model.jacobian_rate(q[:, None, :], np.eye(model.nv), frame)[:, :, rows, :]
    G = np.einsum("nia,nkij,nbj->nabk", U[:, :, r - 1 :], dJ, Vt[:, r - 1 :, :])
    return _Values(sigma[:, -1], U[:, :, r - 1], G.reshape(len(q), -1, model.nv))


def _newton_step(q: Array, at: _Values, lower: Array, upper: Array) -> Array:
    """Return the shortest step with G dq = -(σ, 0, …), without joints that would leave a limit."""
    step = _shortest(at.slopes, at.sigma)
    blocked = ((q <= lower) & (step < 0)) | ((q >= upper) & (step > 0))
    step = np.where(blocked, 0.0, _shortest(np.where(blocked[:, None], 0.0, at.slopes), at.sigma))
    # where σ is flat the tangent points far away: no joint moves more than a radian at once
    size = np.abs(step).max(axis=1, keepdims=True)
    return step / np.maximum(size, 1.0)


def _shortest(slopes: Array, sigma: Array) -> Array:
    return -np.linalg.pinv(slopes, rcond=1e-6)[:, :, 0] * sigma[:, None]
