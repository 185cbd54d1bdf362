"""The formulas of a mechanism without forces: places, velocities, momenta, closures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dalembert.model.formulas.formula import Formula, function
from dalembert.model.formulas.rows import dot
from dalembert.model.formulas.tree import Rows
from dalembert.model.formulas.velocities import VelocityFormulas, of_frames
from dalembert.picture.parts import Mass
from dalembert.recursions import kinematics
from dalembert.recursions.constraints import loops
from dalembert.recursions.manifold import configuration_rate, normalized
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO

if TYPE_CHECKING:
    from dalembert.picture import Picture, Point


class KinematicFormulas(VelocityFormulas):
    """Recursions over q and v, on the tree as it was described."""

    @function
    def forward_kinematics(self, *, frame: str | tuple[str, ...] | None = None) -> Formula:
        """The pose X_WF of a frame, of several, or of every link in order, as 4 × 4 matrices."""
        X_W = kinematics.forward_kinematics(self.tree, self.q)
        if frame is None:
            # the tree has its own order, and rotors that became links
            numbers = [self.tree.numbers[link.name] for link in self._mechanism.links]
            return Formula(self._q(), {"X": [_homogeneous(X_W[k]) for k in numbers]})
        pose = of_frames(lambda x: _homogeneous(kinematics.frame_pose(self.tree, X_W, x)), frame)
        return Formula(self._q(), {"X": pose})

    def picture(self, points: Mapping[str, Point] | None = None) -> Picture:
        from dalembert.model.pictures.mechanism import picture_of_mechanism

        X_W = kinematics.forward_kinematics(self.tree, self.q)
        numbers = self.tree.numbers
        poses = {link.name: X_W[numbers[link.name]] for link in self._mechanism.links}
        drawn = picture_of_mechanism(self._mechanism, poses)
        return drawn if not points else drawn.with_parts(points, [Mass((x,)) for x in points])

    @function
    def relative_pose(self, *, frame: str, base: str) -> Formula:
        """The pose X_BF of a frame in the axes of another."""
        X_BF = kinematics.relative_pose(self.tree, self.q, frame, base)
        return Formula(self._q(), {"X": _homogeneous(X_BF)})

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
        """A with A q̇ + ∂a/∂t = 0."""
        self._need_constraints()
        return Formula(self._q(), {"A": loops.loop_jacobian(self.tree, self.q)})

    @function
    def constraint_velocity(self) -> Formula:
        """A q̇ + ∂a/∂t: how fast the errors change."""
        self._need_constraints()
        A, drift = loops.loop_jacobian(self.tree, self.q), loops.loop_drift(self.tree, self.q)
        rates = [dot(row, self.v) + x for row, x in zip(A, drift, strict=True)]
        return Formula(self._qv(), {"rate": rates})

    @function
    def constraint_bias(self) -> Formula:
        """b with A q̈ + b = 0: Ȧ q̇, and what moves with time."""
        self._need_constraints()
        return Formula(self._qv(), {"bias": loops.loop_bias(self.tree, self.q, self.v)})


def _homogeneous(X: Pose) -> Rows:
    rows: Rows = [[*row, x] for row, x in zip(X.R, X.p, strict=True)]
    return [*rows, [*ZERO, 1]]
