"""Wheels, balls and ellipsoids that roll on a plane: constraints of positions and velocities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr, as_expr, sqrt
from dalembert.expr.data import packable
from dalembert.mechanism.builder_arguments import Axis, direction_of
from dalembert.recursions.constraints.closures import vanishes
from dalembert.recursions.kinematics import forward_kinematics
from dalembert.recursions.motions import link_velocities
from dalembert.recursions.tree import Tree
from dalembert.spatial.exact import exact, exact_vector
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO, Vec, add, cross, dot, rotate, scale, sub, unrotate
from dalembert.types import Scalar


@packable
@dataclass(frozen=True)
class Rolling:
    """A wheel, ball or ellipsoid that rolls without slipping on the plane z = 0 of a link.

    It touches the plane from above, at one point, and its material there has no velocity against
    the plane: one constraint of positions and two of velocities. A wheel is a thin disc about
    ``axis``, a ball has none. `Mechanism.system` takes such constraints.

    Args:
        link: Its centre is the origin of this link.
        radius: In m; three numbers are the semi-axes of an ellipsoid along x, y and z of the link.
        axis: That of a wheel, in the link: x, y, z or a direction. None of a ball.
        on: The link whose plane it rolls on; the root unless given.

    >>> import dalembert as da
    >>> ball = da.Builder("ball").link("slide").prismatic("x", "slide", axis="x")
    >>> ball = ball.link("ball", mass=5, inertia=(2, 2, 2)).revolute("turn", "ball", axis="y")
    >>> print(ball.build().system(rolling=[da.Rolling("ball", 1)]).velocity_constraints[0])
    q̇₁ - q̇₂
    """

    link: str
    radius: Scalar | Sequence[Scalar]
    axis: Axis | None = None
    on: str | None = None

    @property
    def radii(self) -> tuple[Scalar, ...]:
        """The semi-axes, three equal ones of a ball or wheel."""
        given = self.radius if isinstance(self.radius, Sequence) else (self.radius,) * 3
        if len(given) != 3 or (self.axis is not None and given is self.radius):
            raise InvalidMechanism(
                f"expected one radius of {self.link!r}, or three semi-axes without an axis, got "
                f"{self.radius!r:.60}"
            )
        return tuple(given)

    @property
    def is_shaped(self) -> bool:
        """Whether it is not a ball."""
        return self.axis is not None or isinstance(self.radius, Sequence)


class RollingRows(NamedTuple):
    """What vanishes: heights above planes (m), and velocities along them (m/s)."""

    positions: list[Expr]
    velocities: list[Expr]


def rolling_rows(
    tree: Tree, given: Sequence[Rolling], q: Sequence[Expr], v: Sequence[Expr]
) -> RollingRows:
    """Return the constraints of wheels and balls; rows that vanish for all q are left out.

    Raises:
        InvalidMechanism: a radius is not positive.
        UnknownName: there is no such link.
    """
    X_W, twists = forward_kinematics(tree, q), link_velocities(tree, tree.poses(q), v)
    rows = RollingRows([], [])
    for one in given:
        ball, ground = (tree.numbers[tree.link_name(x)] for x in (one.link, one.on or tree.root))
        height, slip = _contact(
            one,
            (X_W[ball], *_in_world(X_W, twists, ball)),
            (X_W[ground], *_in_world(X_W, twists, ground)),
        )
        rows.positions.extend(as_expr(x) for x in [height] if not vanishes(x))
        rows.velocities.extend(as_expr(x) for x in slip if not vanishes(x))
    return rows


def _in_world(
    X_W: Sequence[Pose], twists: Sequence[tuple[Vec, Vec]], number: int
) -> tuple[Vec, Vec]:
    """Return the velocity of a link's origin and its angular velocity, in world axes."""
    if not number:
        return ZERO, ZERO
    u, w = twists[number - 1]
    return rotate(X_W[number].R, u), rotate(X_W[number].R, w)


def _contact(
    one: Rolling, body: tuple[Pose, Vec, Vec], ground: tuple[Pose, Vec, Vec]
) -> tuple[Scalar, tuple[Scalar, Scalar]]:
    """Return the height of the lowest point and its velocity, in axes of the plane."""
    (X, v, w), (X_P, v_P, w_P) = body, ground
    # upwards in axes of the body; from the centre to the lowest point in those of the world
    up = unrotate(X.R, rotate(X_P.R, (0, 0, 1)))
    down, depth = _lowest(one, up)
    place = rotate(X.R, down) if one.is_shaped else scale(-depth, rotate(X_P.R, (0, 0, 1)))
    height = unrotate(X_P.R, sub(X.p, X_P.p))[2] - depth
    # ṗ + ω × d, less that of the plane's material there
    over = sub(add(X.p, place), X_P.p)
    slip = sub(add(v, cross(w, place)), add(v_P, cross(w_P, over)))
    x, y, _ = unrotate(X_P.R, slip)
    return height, (x, y)


def _lowest(one: Rolling, up: Vec) -> tuple[Vec, Scalar]:
    """Return the lowest point of a body about its centre, and how deep it is.

    Of an ellipsoid with semi-axes A it is -A² n / √(nᵀ A² n), √(nᵀ A² n) deep; of a disc A² n is
    r² (n - (aᵀn) a).
    """
    radii = [exact(r) for r in one.radii]
    if not all(isinstance(r, Expr) or r > 0 for r in radii):
        raise InvalidMechanism(f"expected positive radii of {one.link!r}, got {one.radius}")
    squares: Vec = (
        radii[0] * radii[0] * up[0],
        radii[1] * radii[1] * up[1],
        radii[2] * radii[2] * up[2],
    )
    if one.axis is not None:
        a = exact_vector(direction_of(one.axis, f"the wheel {one.link!r}"))
        along = dot(a, up) / as_expr(dot(a, a))
        squares = scale(radii[0] * radii[0], sub(up, scale(along, a)))
    elif not one.is_shaped:
        return scale(-radii[0], up), radii[0]
    depth = sqrt(as_expr(dot(up, squares)))
    return scale(-1 / depth, squares), depth
