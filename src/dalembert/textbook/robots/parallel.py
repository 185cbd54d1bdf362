"""The Stewart platform: six legs, each universal, prismatic and spherical."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

from dalembert.mechanism import Builder, Mechanism
from dalembert.spatial.exact import exact_vector, rotation_to_axis
from dalembert.spatial.pose import Pose

BASE_RADIUS, TOP_RADIUS, HEIGHT = 0.5, 0.3, 0.6
HALF_GAP = pi / 18  # between the two joints of a pair, from the middle
LEG_LOWER = 0.3  # length of the part of a leg that does not slide


def stewart_platform() -> Mechanism:
    """Return a 6-UPS Stewart platform: a floating plate, six legs, six point closures.

    The plate hangs on a floating joint with its home at the height 0.6 m; leg i goes from a
    universal joint of the base over a slider to the plate, where a loop stands for the spherical
    joint. In the home configuration q = 0 (unit quaternion) every loop is closed: 24 velocities,
    18 constraints, 6 degrees of freedom. All numbers are *representative*. The arrangement is that
    of D. Stewart, A platform with six degrees of freedom, Proc. IMechE 180 (1965), in its common
    form with six extensible legs (V. Gough).
    """
    builder = Builder("stewart_platform")
    builder.link("plate", mass=10, inertia=(0.25, 0.25, 0.5))
    builder.floating("plate_motion", "plate", origin=(0, 0, HEIGHT))
    for i in range(6):
        _leg(builder, i)
    return builder.build()


def _leg(builder: Builder, i: int) -> None:
    name = f"leg{i + 1}"
    base, top = _anchors(i)
    d = [t - b for b, t in zip(base, (top[0], top[1], HEIGHT), strict=True)]
    length = sqrt(sum(x * x for x in d))
    lower, upper = f"{name}_lower", f"{name}_upper"
    builder.link(lower, mass=1, com=(0, 0, LEG_LOWER / 2), inertia=(0.0075, 0.0075, 0.0002))
    builder.link(upper, mass=0.5, com=(0, 0, -0.15), inertia=(0.00375, 0.00375, 0.00005))
    # z of the joint frame along the leg in the home configuration
    at = Pose(rotation_to_axis(d), exact_vector(base))
    builder.universal(f"{name}_base", lower, parent="world", placement=at)
    builder.prismatic(f"{name}_slide", upper, parent=lower, origin=(0, 0, length))
    builder.loop(f"{name}_top", (upper, (0, 0, 0)), ("plate", top))


def _anchors(i: int) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return the ends of leg i, in the world and in the plate; neighbours cross over by 60°."""
    side = 1 if i % 2 else -1
    pair = 2 * pi / 3 * (i // 2)
    at_base = pair + side * HALF_GAP
    at_top = pair + side * (pi / 3 - HALF_GAP)
    return (
        (BASE_RADIUS * cos(at_base), BASE_RADIUS * sin(at_base), 0.0),
        (TOP_RADIUS * cos(at_top), TOP_RADIUS * sin(at_top), 0.0),
    )
