"""The torque that each joint needs to hold the arm at rest, over all configurations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.analysis.samples import Bounds, box, chunks, random_configurations
from dalembert.analysis.table import numbers, table
from dalembert.display import Printed
from dalembert.errors import InvalidMechanism

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array

STARTS = 3


@dataclass(frozen=True)
class RestTorque(Printed):
    """The largest torque at rest of each joint, and where.

    ``maximum`` ``(nv,)`` in N m or N; ``configurations`` ``(nv, nq)`` where each occurs; ``effort``
    the limits; ``compensation`` how much of the weight springs carry: 1 - rms τ/rms g over the
    samples, zero without springs, one for a balanced joint, NaN for one that carries no weight.
    """

    names: tuple[str, ...]
    maximum: Array
    configurations: Array
    effort: Array
    compensation: Array

    @property
    def load(self) -> Array:
        """The part of the effort limit that holding takes at worst; zero without a limit."""
        return self.maximum / self.effort

    def __str__(self) -> str:
        rows = [
            (
                name,
                f"{tau:.4g}",
                f"{e:.4g}" if np.isfinite(e) else "-",
                f"{100 * tau / e:.0f} %" if np.isfinite(e) else "-",
                f"{100 * c:.0f} %" if np.isfinite(c) else "-",
                numbers(q, 2),
            )
            for name, tau, e, c, q in zip(
                self.names,
                self.maximum,
                self.effort,
                self.compensation,
                self.configurations,
                strict=True,
            )
        ]
        return table(("joint", "torque at rest", "effort", "load", "by springs", "at"), rows)


def rest_torque(
    model: Model,
    *,
    samples: int = 20_000,
    bounds: Bounds | None = None,
    seed: int = 0,
    progress: bool = True,
) -> RestTorque:
    """Return the largest |τ| at rest of each joint: τ = g(q) with the springs' pull.

    Random configurations within the limits, then an ascent from the best of them with the exact
    slopes ∂τ/∂q (scalar joints only).

    Args:
        bounds: Lower and upper q to sample between, instead of the joint limits.
    """
    check_open(model)
    q = random_configurations(model, samples, seed, bounds)
    still = np.zeros(model.nv)
    tau, g = [], []
    for part in chunks(q, "torque at rest", progress=progress):
        tau.append(model.bias(part, still))
        g.append(model.gravity(part))
    needed, weight = np.concatenate(tau), np.concatenate(g)
    # rounding of the others is no torque
    needed[:, np.abs(needed).max(axis=0) < 1e-12 * np.abs(needed).max()] = 0.0
    within = box(model, bounds)
    found = [_ascend(model, q, needed[:, k], k, within) for k in range(model.nv)]
    rms_tau, rms_g = (np.sqrt((x**2).mean(axis=0)) for x in (needed, weight))
    carries = rms_g > 1e-9 * max(float(rms_g.max()), 1e-300)
    ratio = np.divide(rms_tau, rms_g, out=np.full(model.nv, np.nan), where=carries)
    return RestTorque(
        model.configuration.v_names,
        np.array([value for value, _ in found]),
        np.array([at for _, at in found]),
        model.configuration.effort,
        1 - ratio,
    )


def check_open(model: Model) -> None:
    """Refuse mechanisms whose torques at rest are not unique."""
    if model.description.has_constraints:
        raise InvalidMechanism(
            f"expected an open mechanism, got {model.name} with loops or couplings: "
            "its torques at rest depend on which joints are driven"
        )


def _ascend(
    model: Model, q: Array, tau: Array, k: int, within: tuple[Array, Array]
) -> tuple[float, Array]:
    """Return the largest |τ_k| near the best samples, and where it is."""
    from scipy.optimize import minimize

    best = np.argsort(-np.abs(tau), kind="stable")[:STARTS]
    found = [(float(abs(tau[best[0]])), q[best[0]])]
    if not model.configuration.is_flat or found[0][0] == 0:
        return found[0]
    still, bounds = np.zeros(model.nv), list(zip(*within, strict=True))
    for i in best:
        sign = float(np.sign(tau[i]))

        def cost(x: Array, sign: float = sign) -> tuple[float, Array]:
            dq = model.inverse_dynamics_derivatives(x, still, still)[0]
            return -sign * float(model.bias(x, still)[k]), -sign * dq[k]

        result = minimize(cost, q[i], jac=True, bounds=bounds, method="L-BFGS-B")
        found.append((-float(result.fun), np.asarray(result.x)))
    return max(found, key=lambda item: item[0])
