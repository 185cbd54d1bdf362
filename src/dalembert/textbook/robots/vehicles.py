"""Machines without a fixed base: a quadrotor, a planar biped."""

from __future__ import annotations

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


def _rod(builder: Builder, name: str, m: float, length: float, *, up: bool = False) -> None:
    across = m * length**2 / 12
    middle = length / 2 if up else -length / 2
    builder.link(name, mass=m, com=(0, 0, middle), inertia=(across, across, 0))
