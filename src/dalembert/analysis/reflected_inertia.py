"""The effective mass at the tool: force over acceleration along a direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.analysis.rest_torque import check_open
from dalembert.analysis.table import numbers, table
from dalembert.display import Printed
from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

AXES = np.eye(3)


@dataclass(frozen=True)
class ReflectedInertia(Printed):
    """Effective mass in kg (or inertia in kg m²) along directions.

    ``directions`` ``(d, 3)`` of length one; ``values`` ``(..., d)``, infinite along a direction
    that the tool cannot move in.
    """

    frame: str
    is_angular: bool
    directions: Array
    values: Array

    def __str__(self) -> str:
        unit = "kg m²" if self.is_angular else "kg"
        values = self.values.reshape(-1, len(self.directions))
        rows = [
            (numbers(u), f"{v.min():.4g}", f"{np.median(v):.4g}", f"{v.max():.4g}")
            for u, v in zip(self.directions, values.T, strict=True)
        ]
        header = ("direction", f"least {unit}", "median", "largest")
        return f"reflected inertia at {self.frame!r}\n{table(header, rows)}"


def reflected_inertia(
    model: Model, q: ArrayLike, frame: str, directions: ArrayLike = AXES, *, angular: bool = False
) -> ReflectedInertia:
    """Return 1/(uᵀ J M⁻¹ Jᵀ u): force over acceleration along u, all joints free.

    Rotors count with the square of their gear ratio, which often is most of it.

    Args:
        q: Configurations ``(..., nq)``.
        directions: World directions ``(d, 3)``; x, y, z unless given.
        angular: Whether they are axes to turn about instead.

    Reference: O. Khatib, Inertial properties in robotic manipulation, IJRR 14(1), 1995.
    """
    check_open(model)
    u = np.atleast_2d(finite_array(directions, "the directions"))
    length = np.linalg.norm(u, axis=-1, keepdims=True)
    if u.shape[-1] != 3 or not (length > 0).all():
        raise EvaluationError(
            f"expected directions (d, 3) of some length, got shape {u.shape}, lengths from "
            f"{length.min():g}"
        )
    u = u / length
    J = model.jacobian(q, frame)[..., 3:, :] if angular else model.jacobian(q, frame)[..., :3, :]
    Ju = np.einsum("dk,...kj->...jd", u, J)
    mobility = np.einsum("...jd,...jd->...d", Ju, np.linalg.solve(model.mass_matrix(q), Ju))
    # what rounding leaves of a direction without motion is no mobility
    moves = mobility > 1e-14 * mobility.max(axis=-1, keepdims=True)
    values = np.divide(1.0, mobility, out=np.full(mobility.shape, np.inf), where=moves)
    return ReflectedInertia(frame, angular, u, values)
