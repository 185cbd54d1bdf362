"""Ground: a plane or a height field under a robot, touched by the collision shapes of its links."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, as_expr, parameters, substitute
from dalembert.model.border import all_of_kind, finite_array, number_in, of_kind
from dalembert.model.touch_points import MESH_POINTS, TouchPoint, touch_points
from dalembert.simulation.geometry.kinematics import MovingLink, moving_links
from dalembert.simulation.geometry.rows import ContactPoint, check_coefficients, rows_of
from dalembert.simulation.laws.base import Row, SwitchingLaw, gap_rate
from dalembert.spatial.distance import Plane
from dalembert.spatial.scalar import square_root
from dalembert.spatial.vectors import Vec, add, cross, dot, neg, scale, sub

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Scalar

MIN_RIM_POINTS = 3
"""Fixed points on the rim of a cylinder, at least: fewer do not carry it."""

LOOKS = 2
"""How often the lowest point of a round shape is sought along the slope below it: what is left is
the cube of its radius times the curvature of the ground."""


@dataclass(frozen=True)
class Ground(SwitchingLaw):
    """What the collision shapes of a mechanism's links stand, slide, roll and bounce on.

    Each shape makes contacts with Coulomb friction: a sphere and an ellipsoid one, a capsule two, a
    box one at each corner, a mesh at the corners of its convex hull. A cylinder touches with the
    lowest point of each rim, as wheels and barrels do. What stands on its end needs ``rim_points``.
    Shapes of links that cannot move against the ground make none.

    Args:
        friction: Coefficient of friction of all contacts, from 0.
        restitution: e of all contacts, from 0 to 1.
        height: Distance of a plane from the origin of the world along ``normal``, in m; or a
            surface above that plane: a `HeightField`, or a smooth function of two expressions, the
            coordinates along the first two of `axes`, that returns the height.
        normal: Vector out of the ground, of any length.
        links: Names of the links that touch. Default: all with collision shapes.
        rim_points: Fixed points on each rim of a cylinder. Default: its lowest point.
        mesh_points: Corners of the hull of a mesh that touch, at most.

    >>> import dalembert as da
    >>> b = da.Builder("ball").link("ball", mass=1, inertia=(0.4, 0.4, 0.4))
    >>> b = b.shape("ball", da.mechanism.Sphere(1)).floating("free", "ball")
    >>> model, down = da.compile(b.build()), (0, 0, 1)
    >>> motion = da.simulate(model, [0, 0, 2, 1, 0, 0, 0], None, 1.0, events=[Ground(normal=down)])
    >>> motion.status, round(float(motion.q[-1, 2]), 9)
    ('finished at t = 1', 1.0)
    """

    friction: float = 0.8
    restitution: float = 0.0
    height: float | Callable[[Expr, Expr], Scalar] = 0.0
    normal: Sequence[float] = (0.0, 0.0, 1.0)
    links: Sequence[str] | None = None
    rim_points: int | None = None
    mesh_points: int = MESH_POINTS

    def __post_init__(self) -> None:
        check_coefficients(self.friction, self.restitution, "Ground")
        if not callable(self.height):
            number_in(self.height, "the height of Ground")
        normal = finite_array(self.normal, "the normal of Ground", (3,)).tolist()
        if not 0 < math.hypot(*normal) < math.inf:
            raise EvaluationError(f"expected three numbers, not all 0, as normal, got {normal}")
        # a value: what is made of it is kept by its hash
        object.__setattr__(self, "normal", tuple(normal))
        if isinstance(self.links, str):
            raise EvaluationError(f"expected a list of links for links=, got {self.links!r:.60}")
        if self.links is not None:
            names = all_of_kind(self.links, str, "links=", "names of links")
            object.__setattr__(self, "links", names)
        of_kind(self.mesh_points, int, "mesh_points=", "a whole number")
        if self.rim_points is not None and (
            of_kind(self.rim_points, int, "rim_points=", "a whole number") < MIN_RIM_POINTS
        ):
            raise EvaluationError(
                f"expected at least {MIN_RIM_POINTS} rim_points, got {self.rim_points!r}"
            )

    @property
    def axes(self) -> tuple[Vec, Vec, Vec]:
        """Two tangents and the normal: unit vectors, right-handed."""
        x, y, z = (k / math.hypot(*self.normal) for k in self.normal)
        normal = (x, y, z)
        # across the axis of the world that is farthest from the normal
        most = min(range(3), key=lambda i: (abs(normal[i]), i))
        start = (float(most == 0), float(most == 1), float(most == 2))
        first = sub(start, scale(dot(start, normal), normal))
        first = scale(1 / math.hypot(*first), first)
        return first, cross(normal, first), normal

    def contacts(self, model: Model) -> list[ContactPoint]:
        """Return all points of a model that can touch.

        Raises:
            InvalidMechanism: a link has a shape that cannot touch the ground.
            EvaluationError: nothing can touch.
        """
        points = touch_points(model.mechanism, self.links, self.rim_points, self.mesh_points)
        links = moving_links(model, (point.link for point in points))
        height, axes = self.height, self.axes
        touch = _heights(height, axes, model) if callable(height) else _plane(height, axes)
        found = []
        for point in points:
            gap, velocity = touch(point, links[point.link])
            # what is welded to the world does not touch it
            if any(x in model.symbols.qd for x in velocity[2].symbols):
                found.append(ContactPoint(point.name, gap, velocity))
        if not found:
            raise EvaluationError(
                "expected moving links with collision shapes for Ground, got none: give links "
                "collisions, or use Contact with a gap"
            )
        return found

    def rows(self, model: Model) -> list[Row]:
        return rows_of(self.contacts(model), self.friction, self.restitution)


Touch = Callable[[TouchPoint, MovingLink], tuple[Expr, tuple[Expr, Expr, Expr]]]
"""From a point of a link to its gap, and its velocity along two tangents and the normal."""


def _plane(height: float, axes: tuple[Vec, Vec, Vec]) -> Touch:
    """Return how points touch a plane."""
    first, second, normal = axes
    plane = Plane(normal, height)

    def touch(point: TouchPoint, link: MovingLink) -> tuple[Expr, tuple[Expr, Expr, Expr]]:
        place = point.lowest(link.pose, neg(normal))
        velocity = link.velocity(place)
        u, v, w = (as_expr(dot(axis, velocity)) for axis in (first, second, normal))
        return as_expr(plane.gap(place)), (u, v, w)

    return touch


def _heights(
    height: Callable[[Expr, Expr], Scalar], axes: tuple[Vec, Vec, Vec], model: Model
) -> Touch:
    """Return how points touch a surface above a plane.

    A point that is (a, b, c) along the axes has the gap (c - h(a, b)) cos, with the angle between
    the surface and the plane: the distance, to the second order of it.
    """
    first, second, normal = axes
    a, b = parameters("ground_a ground_b")
    try:
        h = as_expr(height(a, b))
    except (TypeError, AttributeError) as error:
        raise EvaluationError(
            f"expected height= of Ground as a number or a function of two expressions, got {error}"
        ) from None
    surface = [h, h.diff(a), h.diff(b)]
    strange = [x for x in h.symbols if x not in (a, b, *model.symbols.parameters)]
    if strange:
        raise EvaluationError(
            f"expected a height of Ground that depends on two coordinates, got {strange[0]} in it"
        )

    def frame(place: Vec) -> tuple[Scalar, tuple[Vec, Vec, Vec]]:
        """Return how far a place is above the surface along the normal of the plane, and axes."""
        along = {a: as_expr(dot(first, place)), b: as_expr(dot(second, place))}
        here, slope_a, slope_b = substitute(surface, along)
        # n = (normal - hₐ first - h_b second) / √(1 + hₐ² + h_b²)
        steep = square_root(1 + slope_a * slope_a + slope_b * slope_b)
        out = sub(normal, add(scale(slope_a, first), scale(slope_b, second)))
        out = scale(1 / steep, out)
        forward = add(first, scale(slope_a, normal))
        forward = scale(1 / square_root(1 + slope_a * slope_a), forward)
        return (dot(normal, place) - here) / steep, (forward, cross(out, forward), out)

    def touch(point: TouchPoint, link: MovingLink) -> tuple[Expr, tuple[Expr, Expr, Expr]]:
        # which point of the shape is lowest depends on the slope below it
        place = point.lowest(link.pose, neg(normal))
        for _ in range(LOOKS):
            _, (_, _, out) = frame(place)
            place = point.lowest(link.pose, neg(out))
        gap, (forward, aside, _) = frame(place)
        velocity, distance = link.velocity(place), as_expr(gap)
        u, v = (as_expr(dot(axis, velocity)) for axis in (forward, aside))
        return distance, (u, v, gap_rate(model, distance))

    return touch
