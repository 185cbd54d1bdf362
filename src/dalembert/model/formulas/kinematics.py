"""The formulas of a mechanism without forces: places, velocities, momenta, closures."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.model.formulas.formula import Formula, function
from dalembert.model.formulas.rows import dot
from dalembert.model.formulas.tree import Rows, TreeFormulas
from dalembert.recursions import kinematics
from dalembert.recursions.constraints import loops
from dalembert.recursions.dynamics.momentum import centroidal_momentum
from dalembert.recursions.manifold import configuration_rate, normalized
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO, Vec, ratio


class KinematicFormulas(TreeFormulas):
    """Recursions over q and v, on the tree as it was described."""

    @function
    def forward_kinematics(self, *, frame: str | None = None) -> Formula:
        """The pose X_WF of a frame, or of every link in order, as 4 × 4 matrices."""
        X_W = kinematics.forward_kinematics(self.tree, self.q)
        if frame is None:
            # the tree has its own order, and rotors that became links
            numbers = [self.tree.numbers[link.name] for link in self._mechanism.links]
            return Formula(self._q(), {"X": [_homogeneous(X_W[k]) for k in numbers]})
        X_WF = kinematics.frame_pose(self.tree, X_W, frame)
        return Formula(self._q(), {"X": _homogeneous(X_WF)})

    @function
    def jacobian(self, *, frame: str, reference: str = "world") -> Formula:
        """J of a frame, rows (linear, angular)."""
        columns = kinematics.jacobian(self.tree, self.q, frame, reference)
        return Formula(self._q(), {"J": _six_rows(columns)})

    @function
    def jacobian_rate(self, *, frame: str) -> Formula:
        """J̇ of the world reference."""
        columns = kinematics.jacobian_rate(self.tree, self.q, self.v, frame)
        return Formula(self._qv(), {"Jd": _six_rows(columns)})

    @function
    def center_of_mass(self) -> Formula:
        """The centre of mass of the moving links in the world."""
        m, h = kinematics.center_of_mass(self.tree, self.q)
        return Formula(self._q(), {"c": [ratio(x, m) for x in h]})

    @function
    def centroidal_momentum(self) -> Formula:
        """Linear momentum, and angular momentum about the centre of mass."""
        linear, angular = centroidal_momentum(self.tree, self.q, self.v)
        return Formula(self._qv(), {"momentum": [*linear, *angular]})

    @function
    def configuration_rate(self) -> Formula:
        """dq/dt: of quaternions ½ q ∘ ω."""
        return Formula(self._qv(), {"rate": configuration_rate(self.tree, self.q, self.v)})

    @function
    def normalized(self) -> Formula:
        """q with quaternions of length one."""
        return Formula(self._q(), {"q": normalized(self.tree, self.q)})

    @function
    def constraint_error(self) -> Formula:
        """The error of every loop and coupling; zero where they are closed."""
        self._need_constraints()
        return Formula(self._q(), {"error": loops.loop_error(self.tree, self.q)})

    @function
    def constraint_jacobian(self) -> Formula:
        """A with A q̇ = 0."""
        self._need_constraints()
        return Formula(self._q(), {"A": loops.loop_jacobian(self.tree, self.q)})

    @function
    def constraint_velocity(self) -> Formula:
        """A q̇: how fast the errors change."""
        self._need_constraints()
        A = loops.loop_jacobian(self.tree, self.q)
        return Formula(self._qv(), {"rate": [dot(row, self.v) for row in A]})

    @function
    def constraint_bias(self) -> Formula:
        """Ȧ q̇."""
        self._need_constraints()
        return Formula(self._qv(), {"bias": loops.loop_bias(self.tree, self.q, self.v)})


def _homogeneous(X: Pose) -> Rows:
    rows: Rows = [[*row, x] for row, x in zip(X.R, X.p, strict=True)]
    return [*rows, [*ZERO, 1]]


def _six_rows(columns: Sequence[tuple[Vec, Vec]]) -> Rows:
    return [[(*u, *w)[k] for u, w in columns] for k in range(6)]
