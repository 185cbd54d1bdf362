"""More closed chains with numbers: delta robot, Bennett's linkage, pantograph."""

from __future__ import annotations

from fractions import Fraction
from math import asin, atan2, cos, pi, sin

from dalembert.mechanism import Builder, Mechanism
from dalembert.spatial.exact import exact_vector, rotation_from_rpy
from dalembert.spatial.pose import Pose

BASE, PLATE = 0.2, 0.05  # from the middle to the hinges of the arms, and to the rods' ends
ARM, ROD, HALF_WIDTH = 0.25, 0.5, 0.04
ARM_MASS, ROD_MASS, PLATE_MASS = 0.4, 0.1, 0.6
SHOULDER_SPRING = 20  # N m/rad, relaxed with horizontal arms: carries the plate


def delta_robot() -> Mechanism:
    """Return a delta robot: three arms, three parallelograms of two rods, a plate; 3 freedoms.

    Arm i (length 0.25 m) turns about a horizontal hinge 0.2 m from the middle of the base, at the
    angle 120° i; at its end two rods (0.5 m, 80 mm apart) hang on universal joints, and their
    lower ends sit on the plate, 50 mm from its middle, where loops stand for ball joints. The plate
    has a floating joint: 21 velocities, 18 constraints. In the home configuration q = 0 (unit
    quaternion) the arms are horizontal, their springs (20 N m/rad) relaxed and every loop is
    closed. Gravity along -z. All numbers are *representative*; the arrangement is that of
    R. Clavel, Delta, a fast robot with parallel geometry, Proc. 18th Int. Symposium on Industrial
    Robots (1988).
    """
    builder = Builder("delta_robot")
    builder.link("plate", mass=PLATE_MASS, inertia=(6e-4, 6e-4, 1.2e-3))
    # rods lean inwards from BASE + ARM to PLATE
    lean = asin((BASE + ARM - PLATE) / ROD)
    builder.floating("plate_motion", "plate", origin=(0, 0, -ROD * cos(lean)))
    for i in range(3):
        _delta_arm(builder, i, lean)
    return builder.build()


def _delta_arm(builder: Builder, i: int, lean: float) -> None:
    angle, name = 2 * pi / 3 * i, f"arm{i + 1}"
    out, side = (cos(angle), sin(angle)), (-sin(angle), cos(angle))
    builder.link(
        name,
        mass=ARM_MASS,
        com=(ARM / 2, 0, 0),
        inertia=(1e-4, ARM_MASS * ARM**2 / 12, ARM_MASS * ARM**2 / 12),
    )
    # x of the arm points outwards; it turns about y, down for positive angles
    builder.revolute(
        f"shoulder{i + 1}",
        name,
        parent="world",
        origin=(BASE * out[0], BASE * out[1], 0),
        rpy=(0, 0, angle),
        axis="y",
        stiffness=SHOULDER_SPRING,
    )
    across = ROD_MASS * ROD**2 / 12
    for k, sign in enumerate((-1, 1), 1):
        rod = f"rod{i + 1}{k}"
        builder.link(rod, mass=ROD_MASS, com=(0, 0, -ROD / 2), inertia=(across, across, 1e-6))
        # -z of the rod's frame runs along it, inwards and down
        builder.universal(
            f"elbow{i + 1}{k}",
            rod,
            axes=("y", "x"),
            parent=name,
            origin=(ARM, sign * HALF_WIDTH, 0),
            rpy=(0, lean, 0),
        )
        end = [PLATE * o + sign * HALF_WIDTH * s for o, s in zip(out, side, strict=True)]
        builder.loop(f"ball{i + 1}{k}", (rod, (0, 0, -ROD)), ("plate", (*end, 0)))


BENNETT_A, BENNETT_B = 0.4, 0.25  # lengths of opposite links
BENNETT_ALPHA = pi / 3  # twist of the links of length BENNETT_A
BENNETT_HOME = 1.0  # angle of the first hinge at q = 0


def bennett_linkage() -> Mechanism:
    """Return Bennett's linkage: four skew hinges that move although six constraints forbid it.

    Opposite links have the lengths a = 0.4 m and b = 0.25 m and the twists α = 60° and β, with
    b sin α = a sin β: the one condition under which a closed chain of four skew hinges moves
    (G. T. Bennett, A new mechanism, Engineering 76, 1903). Ground is a link of length a. The fourth
    hinge is closed by two points on its axis: 3 velocities, 6 constraints of rank 2, 1 freedom.
    At q = 0 the first two links enclose 1 rad and the loop is closed; `bennett_angles` gives the
    other configurations. Gravity along -z.
    """
    a, b = BENNETT_A, BENNETT_B
    alpha, beta = BENNETT_ALPHA, asin(b / a * sin(BENNETT_ALPHA))
    builder = Builder("bennett_linkage")
    for name, length, mass in (("input", b, 0.5), ("coupler", a, 0.8), ("output", b, 0.5)):
        across = mass * length**2 / 12
        builder.link(name, mass=mass, com=(length / 2, 0, 0), inertia=(1e-4, across, across))
    # hinge axes along z of each joint frame; a link runs along x and twists about it
    starts = ((0.0, 0.0), (b, beta), (a, alpha))
    links, angles = ("input", "coupler", "output"), _closed_angles(BENNETT_HOME)
    for k, ((x, twist), link, angle) in enumerate(zip(starts, links, angles, strict=True), 1):
        twisted = Pose(rotation_from_rpy(twist, 0, 0), exact_vector((x, 0, 0)))
        builder.revolute(
            f"hinge{k}", link, placement=twisted @ Pose(rotation_from_rpy(0, 0, angle))
        )
    # the fourth axis: on the output link b along its x, turned by β; on the ground at -a, turned -α
    point = (0, -sin(beta), cos(beta))
    ground = (0, sin(alpha), cos(alpha))
    reach = 0.1
    for k, sign in enumerate((-1, 1), 1):
        moving = [x + sign * reach * d for x, d in zip((b, 0, 0), point, strict=True)]
        fixed = [x + sign * reach * d for x, d in zip((-a, 0, 0), ground, strict=True)]
        builder.loop(f"hinge4_{k}", ("output", moving), ("world", fixed))
    return builder.build()


def bennett_angles(first: float) -> tuple[float, float, float]:
    """Return the closed configuration of Bennett's linkage for a turn of its first hinge."""
    home, there = _closed_angles(BENNETT_HOME), _closed_angles(BENNETT_HOME + first)
    q1, q2, q3 = (x - x0 for x, x0 in zip(there, home, strict=True))
    return q1, q2, q3


def _closed_angles(first: float) -> tuple[float, float, float]:
    """Return θ₁, θ₂ and θ₃ between neighbouring links; opposite hinges turn alike.

    tan(θ₁/2) tan(θ₂/2) = sin((α + β)/2) / sin((α - β)/2) and θ₃ = -θ₁.
    """
    alpha, beta = BENNETT_ALPHA, asin(BENNETT_B / BENNETT_A * sin(BENNETT_ALPHA))
    # θ₂ from cos and sin of halves: no pole at θ₁ = 0
    top, bottom = sin((alpha + beta) / 2), sin((alpha - beta) / 2)
    second = 2 * atan2(top * cos(first / 2), bottom * sin(first / 2))
    return first, second, -first


PANTOGRAPH = Fraction(3, 10)  # length of the short bars, half that of the long ones


def pantograph() -> Mechanism:
    """Return a pantograph: what the point P draws, the point Q draws twice as large.

    Two long bars of 0.6 m and two short bars of 0.3 m in a plane, gravity along -y; the first
    long bar turns about the origin. The short bars hang on the middles of the long ones and meet
    in P (frame "tracer"), so that they form a parallelogram; Q is the end of the second long bar
    (frame "pen"), and Q = 2 P while the loop is closed: 4 velocities, 2 degrees of freedom. A
    spring of 20 N m/rad keeps the knee near 1 rad: stretched or folded the linkage is singular.
    """
    l = PANTOGRAPH
    builder = Builder("pantograph", gravity=(0, -9.81, 0))
    for name, length, mass in (
        ("long1", 2 * l, Fraction(2, 5)),
        ("long2", 2 * l, Fraction(2, 5)),
        ("short1", l, Fraction(1, 5)),
        ("short2", l, Fraction(1, 5)),
    ):
        across = mass * length**2 / 12
        builder.link(name, mass=mass, com=(length / 2, 0, 0), inertia=(0, across, across))
    return (
        builder.revolute("pivot", "long1")
        .revolute("knee", "long2", origin=(2 * l, 0, 0), stiffness=20, rest=1)
        .revolute("pin1", "short1", parent="long1", origin=(l, 0, 0))
        .revolute("pin2", "short2", parent="long2", origin=(l, 0, 0))
        .loop("tracer_pin", ("short1", (l, 0, 0)), ("short2", (l, 0, 0)))
        .frame("tracer", "short1", origin=(l, 0, 0))
        .frame("pen", "long2", origin=(2 * l, 0, 0))
        .build()
    )
