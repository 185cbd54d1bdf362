"""Machines without a fixed base: a quadrotor, a planar biped, a bicycle."""

from __future__ import annotations

from math import cos, pi, sin

from dalembert.mechanism import Builder, Mechanism


def quadrotor() -> Mechanism:
    """Return the Crazyflie 2.0 as one free rigid body with a frame at each propeller.

    Mass 0.028 kg and inertia from J. Förster, System identification of the Crazyflie 2.0 nano
    quadrocopter, ETH Zürich (2015); x forward, z up, at the centre of mass. The propellers
    sit on an × with arms of 0.046 m, a *representative* rounding.
    """
    micro = 1e-6
    xx, yy, zz, xy, xz, yz = 16.571710, 16.655602, 29.261652, 0.830806, 0.718277, 1.800197
    builder = Builder("quadrotor").link(
        "body", mass=0.028, inertia=[micro * k for k in (xx, yy, zz, xy, xz, yz)]
    )
    builder.floating("flight", "body")
    reach = 0.0325
    for i, (x, y) in enumerate(((1, -1), (-1, -1), (-1, 1), (1, 1)), 1):
        builder.frame(f"propeller{i}", "body", origin=(reach * x, reach * y, 0))
    return builder.build()


TORSO, THIGH, SHANK = (12.0, 0.63), (6.8, 0.4), (3.2, 0.4)  # mass, length


def biped() -> Mechanism:
    """Return a planar biped of five links without feet: torso, two thighs, two shanks.

    It moves in the x-z plane: three joints carry the hip (up, forward, pitch), then come hips and
    knees, all about y; upright at q = 0, the hip at the height of the legs. Masses and lengths are
    those commonly quoted for RABBIT (C. Chevallereau et al., RABBIT: a testbed for advanced control
    theory, IEEE Control Systems Magazine 23, 2003); other papers have a torso of 20 kg. The mass
    distribution is *representative*, uniform rods.
    """
    builder = Builder("biped")
    _rod(builder, "torso", *TORSO, up=True)
    for side in ("left", "right"):
        _rod(builder, f"{side}_thigh", *THIGH)
        _rod(builder, f"{side}_shank", *SHANK)
    builder.planar("hip", "torso", axis="y", origin=(0, 0, THIGH[1] + SHANK[1]))
    for side in ("left", "right"):
        thigh, shank = f"{side}_thigh", f"{side}_shank"
        builder.revolute(f"{side}_hip", thigh, parent="torso", axis="y")
        builder.revolute(f"{side}_knee", shank, parent=thigh, axis="y", origin=(0, 0, -THIGH[1]))
        builder.frame(f"{side}_foot", shank, origin=(0, 0, -SHANK[1]))
    return builder.build()


def bicycle() -> Mechanism:
    """Return Whipple's bicycle with the parameters of the benchmark, upright and straight at q = 0.

    J. P. Meijaard, J. M. Papadopoulos, A. Ruina and A. L. Schwab, Linearized dynamics equations for
    the balance and steer of a bicycle, Proc. R. Soc. A 463 (2007), table 1: x forward, y left, z up
    (there z is down). The rear hub slides along x, y and z, then yaw, lean and pitch turn the
    frame, on which are the rear wheel, the fork and the front wheel. Wheels of 0.3 m and 0.35 m
    roll where the mechanism becomes a system:

    >>> import dalembert as da
    >>> wheels = [da.Rolling("rear", 0.3, axis="y"), da.Rolling("front", 0.35, axis="y")]
    >>> rolling = da.textbook.robots.bicycle().system(rolling=wheels)
    >>> len(rolling.coordinates), len(rolling.constraints), len(rolling.velocity_constraints)
    (9, 2, 4)
    """
    wheelbase, trail, tilt, rear, front = 1.02, 0.08, pi / 10, 0.3, 0.35
    up = (-sin(tilt), 0.0, cos(tilt))
    # a point of the steering axis, which meets the ground ahead of the front contact
    x, z = wheelbase + trail - 0.8 * sin(tilt), 0.8 * cos(tilt)
    builder = Builder("bicycle")
    for axis in "xyz":
        origin = (0, 0, rear if axis == "z" else 0)
        builder.link(f"to_{axis}").prismatic(axis, f"to_{axis}", axis=axis, origin=origin)
    builder.link("heading").revolute("yaw", "heading", axis="z")
    builder.link("leaning").revolute("lean", "leaning", axis="x")
    builder.link("frame", mass=85, com=(0.3, 0, 0.9 - rear), inertia=(9.2, 11, 2.8, 0, -2.4, 0))
    builder.revolute("pitch", "frame", axis="y")
    builder.link("rear", mass=2, inertia=(0.0603, 0.12, 0.0603)).revolute("roll", "rear", axis="y")
    fork = {"mass": 4, "com": (0.9 - x, 0, 0.7 - z)}
    builder.link("fork", **fork, inertia=(0.05892, 0.06, 0.00708, 0, 0.00756, 0))
    builder.revolute("steer", "fork", parent="frame", axis=up, origin=(x, 0, z - rear))
    builder.link("front", mass=3, inertia=(0.1405, 0.28, 0.1405))
    builder.revolute("lead", "front", axis="y", origin=(wheelbase - x, 0, front - z))
    return builder.build()


def _rod(builder: Builder, name: str, m: float, length: float, *, up: bool = False) -> None:
    across = m * length**2 / 12
    middle = length / 2 if up else -length / 2
    builder.link(name, mass=m, com=(0, 0, middle), inertia=(across, across, 0))
