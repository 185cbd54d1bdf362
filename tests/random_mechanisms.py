"""Random mechanisms, to test laws on trees that nobody thought of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dalembert.errors import UnknownName, nearest
from dalembert.mechanism.builder import Builder
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.parts.joint import Joint, JointKind, Mimic
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.spatial.exact import exact
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation import quaternion
from dalembert.spatial.vectors import IDENTITY, Mat, Vec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCALAR_KINDS = ("revolute", "continuous", "prismatic", "helical", "universal", "planar")
KINDS = ("fixed", *SCALAR_KINDS, "spherical", "floating")
AXES: tuple[Vec, ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1))
# of mimic joints; halves, so that multiple angles in the ring stay short
RATIOS = (-2, -1, Fraction(-1, 2), Fraction(1, 2), 1, Fraction(3, 2), 2)
# lengths in metres, masses in kilograms, radii of gyration in metres
LENGTH, MASS, RADIUS = 0.5, (0.2, 3.0), (0.05, 0.3)


def random_mechanism(
    rng: np.random.Generator,
    num_links: int,
    *,
    kinds: Sequence[str] = KINDS,
    branching: float = 0.3,
    mimic: float = 0.1,
    armature: float = 0.3,
    damping: float = 0.3,
) -> Mechanism:
    """Return a random tree: skew axes, turned frames and physical inertias everywhere.

    All numbers are short rationals and all rotations exactly orthogonal, so that the tree serves
    floats and the ring alike. A floating joint ends in the frame of its link and a spherical one
    with the axes of its link.

    Args:
        rng: where the randomness comes from.
        num_links: links that have mass; the crosses and slides of universal and planar joints,
            which have none, come on top.
        kinds: the joints to choose from, of `KINDS`.
        branching: probability that a link hangs on any earlier one, not on the last.
        mimic: probability that a scalar joint follows another one.
        armature: probability that a joint has reflected rotor inertia.
        damping: probability that a joint has viscous damping.

    >>> import numpy as np
    >>> print(random_mechanism(np.random.default_rng(4), 3))
    random: 4 links, 8 degrees of freedom
      world → link1  helical joint1  v[0]
      link1 → link2  helical joint2  v[1]
      link2 → link3  floating joint3  v[2:8]
    """
    for kind in kinds:
        if kind not in KINDS:
            raise UnknownName(
                f"expected joint kinds of {', '.join(KINDS)}, got {kind!r} ({nearest(kind, KINDS)})"
            )
    draw = _Draw(rng)
    builder = Builder("random", gravity=draw.vector(9.81))
    for i in range(1, num_links + 1):
        parent = f"link{i - 1}" if i > 1 else "world"
        if i > 1 and draw.happens(branching):
            parent = draw.choice(["world", *(f"link{k}" for k in range(1, i))])
        _add_link(builder, draw, f"link{i}", f"joint{i}", draw.choice(list(kinds)), parent)
    joints = _with_mimics(builder.joints, draw, mimic)
    builder.joints = [
        replace(
            joint,
            armature=draw.number(0.01, 0.3) if draw.happens(armature) else 0,
            resistance=Resistance(draw.number(0.1, 1.0) if draw.happens(damping) else 0),
        )
        if joint.kind is not JointKind.FIXED
        else joint
        for joint in joints
    ]
    return builder.build()


def random_state(
    rng: np.random.Generator, mechanism: Mechanism
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a configuration with unit quaternions (nq) and a velocity (nv).

    >>> import numpy as np
    >>> arm = Builder("arm").link("a", mass=1).spherical("j", "a").build()
    >>> q, v = random_state(np.random.default_rng(0), arm)
    >>> q.shape, v.shape, float(np.round(q @ q, 12))
    ((4,), (3,), 1.0)
    """
    import numpy as np

    q: list[float] = []
    for joint in mechanism.moving_joints:
        if joint.is_scalar:
            q.append(float(rng.uniform(-2, 2)))
            continue
        quaternion = rng.normal(size=4)
        q += [*rng.normal(size=joint.nq - 4), *(quaternion / np.linalg.norm(quaternion))]
    return np.array(q), rng.normal(size=mechanism.nv)


def _add_link(builder: Builder, draw: _Draw, link: str, name: str, kind: str, parent: str) -> None:
    """Add a link with its joint, which may be several elementary ones."""
    m = draw.number(*MASS)
    builder.link(link, mass=m, com=draw.vector(LENGTH / 3), inertia=draw.inertia(float(m)))
    options: dict[str, Any] = {"parent": parent, "placement": draw.pose()}
    if kind == "universal":
        builder.universal(
            name, link, axes=draw.choice([("x", "y"), ("z", "x"), ("y", "z")]), **options
        )
    elif kind == "planar":
        builder.planar(name, link, axis=draw.choice(["x", "y", "z"]), **options)
    else:
        if kind == "helical":
            options["pitch"] = draw.number(-0.3, 0.3)
        after = draw.pose() if draw.happens(0.5) else Pose()
        if kind == "floating":
            after = Pose()
        elif kind == "spherical":
            after = Pose(p=after.p)
        builder.joint(kind, name, link, axis=draw.choice(AXES), after=after, **options)


def _with_mimics(joints: Sequence[Joint], draw: _Draw, probability: float) -> list[Joint]:
    """Return the joints, some of them following another that moves by itself or follows too."""
    result: list[Joint] = []
    for joint in joints:
        masters = [j.name for j in result if j.is_scalar]
        if joint.is_scalar and masters and draw.happens(probability):
            relation = Mimic(draw.choice(masters), draw.choice(RATIOS), draw.number(-1, 1))
            joint = replace(joint, mimic=relation)
        result.append(joint)
    return result


class _Draw:
    """Exact random numbers, vectors, poses and inertias."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def happens(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def choice(self, values: Sequence[Any]) -> Any:
        return values[int(self.rng.integers(len(values)))]

    def number(self, low: float, high: float) -> Any:
        """Return a decimal of two significant digits or so, never zero."""
        step = (high - low) / 100
        return exact(round(low + step * (int(self.rng.integers(100)) + 0.5), 5))

    def vector(self, size: float) -> Vec:
        return self.number(-size, size), self.number(-size, size), self.number(-size, size)

    def pose(self) -> Pose:
        return Pose(self.rotation(), self.vector(LENGTH))

    def rotation(self) -> Mat:
        """Return the rotation of a quaternion of small whole numbers: exactly orthogonal."""
        if self.happens(0.2):
            return IDENTITY
        w, x, y, z = (int(k) for k in self.rng.integers(-3, 4, size=4))
        N = w * w + x * x + y * y + z * z or 1
        # of a unit quaternion it is 1 + 2 w x̂ + 2 x̂²: all but the 1 is to be divided by N
        raw = quaternion.to_matrix((w, x, y, z))
        R = [
            [exact(i + Fraction(k - i, N)) for k, i in zip(*rows, strict=True)]
            for rows in zip(raw, IDENTITY, strict=True)
        ]
        return tuple(tuple(row) for row in R)  # type: ignore[return-value]

    def inertia(self, m: float) -> list[Any]:
        """Return xx, yy, zz, xy, xz, yz of a body with a positive second moment Σ m r rᵀ."""
        import numpy as np

        Q, _ = np.linalg.qr(self.rng.normal(size=(3, 3)))
        S = m * Q @ np.diag(self.rng.uniform(*RADIUS, size=3) ** 2) @ Q.T
        # rounding leaves it positive: it is small against the least radius
        I = np.round(np.trace(S) * np.eye(3) - S, 5)
        return [exact(float(I[i, j])) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
