"""The verdict on a numerical equilibrium, with margins for its rounding errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dalembert.expr import Expr, postorder
from dalembert.mechanics.equilibria.power import power_near_rest
from dalembert.mechanics.equilibria.statics import neutral_coordinates
from dalembert.mechanics.equilibria.verdict import Stability
from dalembert.ring import partials, rebuild_matrix

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.types import Array

# eigenvalues against the largest: nearer to the axis than this they say nothing. A multiple one of
# four-fold multiplicity moves by the fourth root of the rounding errors
MARGIN = 1e-3
RANK = 1e-9
KINK = 1e-6


def numerical_stability(
    eq: Equations, point: Mapping[Expr, float], lam: Sequence[float], fixed: Mapping[Expr, Expr]
) -> Stability:
    """Return the verdict from M, D and K at a point of numbers, on the admissible directions."""
    import numpy as np

    kinks = _kinks(eq, point, fixed)
    if kinks:
        return Stability("undecided", f"{kinks} has a kink or a jump there")
    if eq.system.velocity_constraints:
        return Stability("undecided", "velocity constraints act, which are not linearised")
    M, D, K, A = _matrices(eq, point, lam, fixed)
    Z = np.eye(len(eq.coordinates))
    if len(A):
        _, s, vt = np.linalg.svd(A)
        rank = int((s > RANK * max(s[0], 1e-300)).sum())
        if rank < len(A):
            return Stability("undecided", "the constraints depend on each other there: singular")
        Z = vt[rank:].T
    M, D, K = (Z.T @ a @ Z for a in (M, D, K))
    unused = neutral_coordinates(eq, fixed)
    flat = [k for k, q in enumerate(eq.coordinates) if q in unused]
    # directions along unused coordinates alone: K vanishes on them
    kept = _complement(Z, flat)
    if len(M) and np.linalg.eigvalsh(M)[0] <= RANK * np.linalg.eigvalsh(M)[-1]:
        return Stability("undecided", "M is not certainly positive definite there", unused)
    inverse = np.linalg.inv(M)
    n, m = len(M), kept.shape[1]
    state = np.block([[np.zeros((m, m)), kept.T], [-inverse @ K @ kept, -inverse @ D]])
    shown = tuple(complex(v) for v in np.linalg.eigvals(state)) if n else ()
    real = np.array([v.real for v in shown])
    size = max((abs(v) for v in shown), default=0.0)
    if (real > MARGIN * size).any():
        return Stability("unstable", f"eigenvalue {real.max():.6g} 1/s", unused, shown)
    if size and (real < -MARGIN * size).all():
        slowest = -real.max()
        return Stability(
            "asymptotically stable", f"eigenvalues left of -{slowest:.4g} 1/s", unused, shown
        )
    k = kept.T @ K @ kept
    symmetric = np.abs(k - k.T).max(initial=0) <= RANK * max(np.abs(k).max(initial=0), 1e-300)
    curvature = np.linalg.eigvalsh((k + k.T) / 2) if m else np.zeros(0)
    power = power_near_rest(eq, dict(fixed))
    if symmetric and m and power != "open" and curvature[0] > RANK * curvature[-1] > 0:
        return Stability(
            "stable", "V has a strict minimum there and the energy never grows", unused, shown
        )
    return Stability("undecided", "eigenvalues near the imaginary axis do not tell", unused, shown)


def _kinks(eq: Equations, point: Mapping[Expr, float], fixed: Mapping[Expr, Expr]) -> str:
    """Return a function that is not smooth at rest there, or an empty text."""
    rest = dict.fromkeys(eq.velocities, 0.0)
    numbers = {x: float(v) for x, v in fixed.items()} | dict(point) | rest
    for node in postorder([*eq.system.differentiated(), *eq.system.forces]):
        is_root = node.op == "pow" and node.value.denominator != 1
        if (is_root or node.op in ("sign", "abs")) and abs(node.args[0].evaluate(numbers)) < KINK:
            return str(node)
    return ""


def _complement(Z: Array, flat: Sequence[int]) -> Array:
    """Return an orthonormal basis, in the reduced coordinates, of what moves other coordinates."""
    import numpy as np

    others = [k for k in range(Z.shape[0]) if k not in flat]
    if not flat:
        return np.eye(Z.shape[1])
    _, s, vt = np.linalg.svd(Z[others])
    rank = int((s > RANK).sum())
    return vt[:rank].T


def _matrices(
    eq: Equations, point: Mapping[Expr, float], lam: Sequence[float], fixed: Mapping[Expr, Expr]
) -> tuple[Array, Array, Array, Array]:
    """Return M, ∂R/∂q̇, ∂R/∂q and A at rest, as arrays."""
    import numpy as np

    numbers = {x: float(v) for x, v in fixed.items()} | dict(point)
    rest = dict.fromkeys((*eq.velocities, *eq.system.accelerations), 0.0)
    numbers |= rest | dict(zip(eq.lam, lam, strict=True))
    n = len(eq.coordinates)

    def slopes(xs: Sequence[Expr]) -> Array:
        columns = [
            rebuild_matrix(d.of_matrix(eq.residual_form)).evaluate(numbers)[:, 0]
            for d in partials(eq.ring, xs)
        ]
        return np.stack(columns, axis=1)

    A = eq.A.evaluate(numbers) if eq.lam else np.zeros((0, n))
    return eq.M.evaluate(numbers), slopes(eq.velocities), slopes(eq.coordinates), A
