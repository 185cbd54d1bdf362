"""A biped with feet, twelve motors and two arms, small enough to compile in a second."""

from __future__ import annotations

from functools import cache

import numpy as np

import dalembert as da
from dalembert.control import SurfaceContact
from dalembert.mechanism import Capsule, Limits

FRICTION = 0.7
SOLE = [[x, y, -0.05] for x in (-0.08, 0.12) for y in (-0.04, 0.04)]


@cache
def biped() -> da.Model:
    """Return a trunk on two legs of six joints each, with one hinged arm on each side."""
    builder = da.Builder("biped")
    builder.link("trunk", mass=20, com=(0, 0, 0.2), inertia=(0.5, 0.4, 0.2))
    builder.floating("base", "trunk").shape("trunk", Capsule(0.1, 0.3), origin=(0, 0, 0.2))
    for side, y in (("left", 0.1), ("right", -0.1)):
        parent = "trunk"
        for name, axis, drop, mass in (
            ("hip_yaw", "z", 0.0, 1.0),
            ("hip_roll", "x", 0.0, 1.0),
            ("hip_pitch", "y", 0.0, 3.0),
            ("knee", "y", -0.4, 2.0),
            ("ankle_pitch", "y", -0.4, 0.5),
            ("ankle_roll", "x", 0.0, 1.0),
        ):
            link = f"{side}_{name}_link"
            builder.link(link, mass=mass, com=(0, 0, -0.05), inertia=(0.02, 0.02, 0.01))
            builder.revolute(
                f"{side}_{name}",
                link,
                parent=parent,
                axis=axis,
                origin=(0, y if parent == "trunk" else 0, drop),
                limits=Limits(-2.4, 2.4, 12.0, 150.0),
            )
            parent = link
        hand = f"{side}_arm"
        builder.link(hand, mass=2, com=(0, 0, -0.2), inertia=(0.03, 0.03, 0.005))
        builder.revolute(
            f"{side}_shoulder",
            hand,
            parent="trunk",
            axis="y",
            origin=(0, 2.5 * y, 0.4),
            limits=Limits(-3.0, 3.0, 10.0, 60.0),
        )
        builder.shape(hand, Capsule(0.05, 0.3), origin=(0, 0, -0.2))
        builder.frame(f"{side}_hand", hand, origin=(0, 0, -0.4))
        builder.frame(f"{side}_foot", f"{side}_ankle_roll_link")
    return da.compile(builder.build())


def crouched() -> np.ndarray:
    """Return the biped with bent knees, soles on the ground."""
    model = biped()
    q = model.configuration.neutral.copy()
    names = model.configuration.q_names
    for side in ("left", "right"):
        for joint, angle in (("hip_pitch", -0.4), ("knee", 0.8), ("ankle_pitch", -0.4)):
            q[names.index(f"{side}_{joint}")] = angle
    q[2] = 0.05 - model.forward_kinematics(q, "left_foot")[2, 3]
    return q


def feet(**options: float) -> list[SurfaceContact]:
    """Return the contacts of both soles."""
    return [
        SurfaceContact(f"{side}_foot", FRICTION, SOLE, **options)  # type: ignore[arg-type]
        for side in ("left", "right")
    ]
