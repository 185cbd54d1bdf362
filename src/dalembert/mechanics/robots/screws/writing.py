"""What the steps of the derivation by screws share: the arm in its ring, formulas and proofs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dalembert.expr import Matrix
from dalembert.mechanics.equations.derivation import DerivationLine
from dalembert.mechanics.equations.equations import Equations
from dalembert.mechanics.equations.over_ring import over_ring
from dalembert.mechanics.proofs.properties import IDENTICAL, identity
from dalembert.mechanics.robots.screws.arm import ScrewArm
from dalembert.mechanism import Mechanism
from dalembert.recursions.kinematics import frame_pose
from dalembert.recursions.tree import Tree
from dalembert.ring import Element, partials, rebuild, rebuild_matrix, time_derivative
from dalembert.spatial.pose import Pose
from dalembert.spatial.se3 import Twist
from dalembert.spatial.vectors import Mat, Scalar


class Writing:
    """One arm with its exact equations, and how formulas and proofs about it are written.

    ``frame`` is frame b, carried by the first ``reach`` joints; ``g0`` is its pose at q = 0 and
    ``g`` that at q. ``dq``, ``dv`` and ``d_dt`` differentiate elements of the ring.
    """

    def __init__(self, mechanism: Mechanism, eq: Equations, frame: str | None) -> None:
        named = frame or (mechanism.frames[-1].name if mechanism.frames else None)
        self.frame = named or mechanism.joints[-1].child
        self.eq, self.ring = eq, eq.ring
        self.exact = Tree.of(mechanism)
        self.tree = over_ring(self.exact, eq.ring)
        self.arm = ScrewArm(mechanism, self.tree, eq)
        self.n = self.arm.num_joints
        self.dq = partials(eq.ring, eq.coordinates)
        self.dv = partials(eq.ring, eq.velocities)
        self.d_dt = time_derivative(eq.ring, max_order=1)
        self.g0 = frame_pose(self.tree, self.arm.home, self.frame)
        number = self.tree.numbers[self.tree.frame(self.frame).link]
        self.reach = sum(len(node.velocities) for node in self.tree.nodes[:number])
        self.g = self.arm.products[self.reach] @ self.g0

    def elements(self, xs: Iterable[Scalar]) -> list[Element]:
        """Return elements of the ring."""
        return [self.ring.element(x) for x in xs]

    def formula(self, left: str, latex: str, right: Scalar) -> DerivationLine:
        """Return the line left = right."""
        return DerivationLine(left, latex, rebuild(self.ring.element(right)))

    def matrix(self, left: str, latex: str, rows: Iterable[Iterable[Scalar]]) -> DerivationLine:
        """Return the line left = matrix."""
        return DerivationLine(
            left, latex, rebuild_matrix(Matrix([self.elements(row) for row in rows]))
        )

    def proved(self, statement: str, differences: Sequence[Scalar]) -> str:
        """Return a statement with its proof: all differences are zero in the ring."""
        both = f"both sides in the ring: {IDENTICAL}"
        return str(identity(self.ring, statement, self.elements(differences), both))


def column(a: Twist) -> list[list[Scalar]]:
    """Return a twist as a column."""
    return [[x] for x in (*a[0], *a[1])]


def flat(A: Mat) -> list[Scalar]:
    """Return the nine entries, row by row."""
    return [x for row in A for x in row]


def entries(X: Pose) -> list[Scalar]:
    """Return the twelve numbers of a pose."""
    return [*flat(X.R), *X.p]


def minus(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """Return a - b."""
    return [x - y for x, y in zip(a, b, strict=True)]
