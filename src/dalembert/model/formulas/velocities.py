"""The formulas of velocities of a mechanism: Jacobians, momenta, their rates and derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from dalembert.errors import UnknownName
from dalembert.expr import Expr, as_expr, tangent
from dalembert.model.formulas.formula import Formula, function
from dalembert.model.formulas.tree import Rows, TreeFormulas
from dalembert.recursions import kinematics
from dalembert.recursions.dynamics.momentum import centroidal_map, centroidal_momentum
from dalembert.recursions.manifold import configuration_rate
from dalembert.recursions.tree import Column
from dalembert.spatial.vectors import ratio


class VelocityFormulas(TreeFormulas):
    """Recursions over q, v and a, on the tree as it was described; derivatives on their graph."""

    # ---- frames

    @function
    def jacobian(self, *, frame: str | tuple[str, ...], reference: str = "world") -> Formula:
        """J of a frame, or of several, rows (linear, angular)."""

        def rows(name: str) -> Rows:
            return _six_rows(kinematics.jacobian(self.tree, self.q, name, reference))

        return Formula(self._q(), {"J": of_frames(rows, frame)})

    @function
    def jacobian_rate(self, *, frame: str, reference: str = "world") -> Formula:
        """J̇ in the same reference."""
        columns = kinematics.jacobian_rate(self.tree, self.q, self.v, frame, reference)
        return Formula(self._qv(), {"Jd": _six_rows(columns)})

    @function
    def jacobian_derivatives(self, *, frame: str, reference: str = "world") -> Formula:
        """∂J/∂q along velocities; [i][j][k] is ∂Jᵢⱼ/∂qₖ."""
        columns = kinematics.jacobian(self.tree, self.q, frame, reference)
        flat, n = [x for row in _six_rows(columns) for x in row], self.nv
        slopes = self._along_velocities(flat)
        return Formula(self._q(), {"dJ_dq": [slopes[i * n : (i + 1) * n] for i in range(6)]})

    @function
    def relative_jacobian(self, *, frame: str, base: str) -> Formula:
        """J of a frame as seen from another, in its axes."""
        columns = kinematics.relative_jacobian(self.tree, self.q, frame, base)
        return Formula(self._q(), {"J": _six_rows(columns)})

    @function
    def frame_velocity(self, *, frame: str | tuple[str, ...], reference: str = "world") -> Formula:
        """J q̇ of a frame, or of several."""
        velocity = of_frames(lambda x: self._velocity(x, reference), frame)
        return Formula(self._qv(), {"velocity": velocity})

    @function
    def frame_acceleration(self, *, frame: str, reference: str = "world") -> Formula:
        """J q̈ + J̇ q̇ of a frame."""
        outputs = {"acceleration": self._acceleration(frame, reference)}
        return Formula({**self._qv(), "qdd": self.a}, outputs)

    @function
    def frame_velocity_derivatives(self, *, frame: str, reference: str = "world") -> Formula:
        """∂(J q̇)/∂q and J."""
        slopes = self._along_velocities(self._velocity(frame, reference))
        J = self.jacobian(frame=frame, reference=reference).outputs["J"]
        return Formula(self._qv(), {"dv_dq": slopes, "dv_dqd": J})

    @function
    def frame_acceleration_derivatives(self, *, frame: str, reference: str = "world") -> Formula:
        """∂(J q̈ + J̇ q̇)/∂q, its derivative by q̇, and J."""
        acceleration = self._acceleration(frame, reference)
        outputs = {
            "da_dq": self._along_velocities(acceleration),
            "da_dqd": _transposed([tangent(acceleration, {x: as_expr(1)}) for x in self.v]),
            "da_dqdd": self.jacobian(frame=frame, reference=reference).outputs["J"],
        }
        return Formula({**self._qv(), "qdd": self.a}, outputs)

    # ---- the whole

    @function
    def center_of_mass(self) -> Formula:
        """The centre of mass of the moving links in the world."""
        m, h = kinematics.center_of_mass(self.tree_with_inertia, self.q)
        return Formula(self._q(), {"c": [ratio(x, m) for x in h]})

    @function
    def center_of_mass_jacobian(self) -> Formula:
        """∂c/∂q along velocities."""
        return Formula(self._q(), {"J": self._center_columns})

    @function
    def center_of_mass_jacobian_rate(self) -> Formula:
        """d/dt of that."""
        return Formula(self._qv(), {"Jd": self._rate(self._center_columns)})

    @function
    def centroidal_momentum(self) -> Formula:
        """Linear momentum, and angular momentum about the centre of mass."""
        linear, angular = centroidal_momentum(self.tree_with_inertia, self.q, self.v)
        return Formula(self._qv(), {"momentum": [*linear, *angular]})

    @function
    def centroidal_map(self) -> Formula:
        """A with the centroidal momentum A q̇."""
        return Formula(self._q(), {"A": _six_rows(centroidal_map(self.tree_with_inertia, self.q))})

    @function
    def centroidal_map_rate(self) -> Formula:
        """Ȧ."""
        A = _six_rows(centroidal_map(self.tree_with_inertia, self.q))
        return Formula(self._qv(), {"Ad": self._rate(A)})

    # ---- parts that several share

    def _velocity(self, frame: str, reference: str) -> list[Expr]:
        u, w = kinematics.frame_velocity(self.tree, self.q, self.v, frame, reference)
        return [as_expr(x) for x in (*u, *w)]

    def _acceleration(self, frame: str, reference: str) -> list[Expr]:
        u, w = kinematics.frame_acceleration(self.tree, self.q, self.v, self.a, frame, reference)
        return [as_expr(x) for x in (*u, *w)]

    @cached_property
    def _center_columns(self) -> Rows:
        return _transposed(kinematics.center_of_mass_jacobian(self.tree_with_inertia, self.q))

    def _rate(self, rows: Rows) -> Rows:
        """Return d/dt of functions of q along the motion."""
        rate = configuration_rate(self.tree, self.q, self.v)
        seeds = {x: as_expr(r) for x, r in zip(self.q, rate, strict=True)}
        width = len(rows[0])
        flat = tangent([as_expr(x) for row in rows for x in row], seeds)
        return [flat[i : i + width] for i in range(0, len(flat), width)]

    def _along_velocities(self, values: Sequence[Expr]) -> Rows:
        """Return the derivatives of functions of q along each velocity, one row for each."""
        columns = []
        for j in range(self.nv):
            unit = [int(i == j) for i in range(self.nv)]
            rate = configuration_rate(self.tree, self.q, unit)
            seeds = {x: as_expr(r) for x, r in zip(self.q, rate, strict=True)}
            columns.append(tangent([as_expr(x) for x in values], seeds))
        return _transposed(columns)


def _six_rows(columns: Sequence[Column]) -> Rows:
    return [[(*u, *w)[k] for u, w in columns] for k in range(6)]


def _transposed(columns: Rows) -> Rows:
    return [list(row) for row in zip(*columns, strict=True)]


def of_frames(part: Callable[[str], Sequence[Any]], frame: str | tuple[str, ...]) -> Sequence[Any]:
    """Return a part for one frame, or a list of the parts for several.

    Raises:
        UnknownName: there is no name.
    """
    if not isinstance(frame, tuple):
        return part(frame)
    if not frame:
        raise UnknownName("expected the names of frames, got none: leave frame= out for all links")
    return [part(name) for name in frame]
