"""Lightweight arms of today: UR5e, Franka Panda, KUKA iiwa 14."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import pi
from typing import Any

from dalembert.mechanism import Frame, Link, Mechanism
from dalembert.spatial.exact import exact_vector
from dalembert.spatial.pose import Pose

# m, centre of mass (published); axis of the cylinder and its length (representative)
UR5E_LINKS = (
    (3.761, (0, -0.02561, 0.00193), "y", 0.15),
    (8.058, (0.2125, 0, 0.11336), "x", 0.425),
    (2.846, (0.15, 0, 0.0265), "x", 0.3922),
    (1.37, (0, -0.0018, 0.01634), "y", 0.12),
    (1.3, (0, 0.0018, 0.01634), "y", 0.12),
    (0.365, (0, 0, -0.001159), "z", 0.04),
)
UR5E_RADIUS = 0.05


def ur5e() -> Mechanism:
    """Return the Universal Robots UR5e in standard DH frames.

    Lengths, masses and centres of mass are those of the maker: Universal Robots, DH parameters
    for calculations of kinematics and dynamics (support article; table UR5e). The inertias about
    the centres of mass are *representative*: solid cylinders of radius 0.05 m along the links,
    since the maker's table leaves them at zero.
    """
    # a, α, d, θ
    rows = [
        (0, pi / 2, 0.1625, 0),
        (-0.425, 0, 0, 0),
        (-0.3922, 0, 0, 0),
        (0, pi / 2, 0.1333, 0),
        (0, -pi / 2, 0.0997, 0),
        (0, 0, 0.0996, 0),
    ]
    links = [
        Link.of(f"link{i}", mass=m, com=c, inertia=_cylinder(m, UR5E_RADIUS, length, axis))
        for i, (m, c, axis, length) in enumerate(UR5E_LINKS, 1)
    ]
    limits = [(-2 * pi, 2 * pi)] * 6
    arm = Mechanism.from_dh(rows, links=links, name="ur5e", limits=limits)
    return _with_flange(arm, "link6", (0, 0, 0))


def _cylinder(m: float, r: float, length: float, axis: str) -> list[float]:
    """Return (Ixx, Iyy, Izz) of a solid cylinder about its centre."""
    across, along = m * (3 * r**2 + length**2) / 12, m * r**2 / 2
    return [along if k == axis else across for k in "xyz"]


# m, centre of mass, (xx, yy, zz, xy, xz, yz) about it, in the modified DH frames
PANDA_LINKS = (
    (
        4.970684,
        (0.003875, 0.002081, -0.04762),
        (0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169),
    ),
    (
        0.646926,
        (-0.003141, -0.02872, 0.003495),
        (0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704),
    ),
    (
        3.228604,
        (0.027518, 0.039252, -0.066502),
        (0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805),
    ),
    (
        3.587895,
        (-0.05317, 0.104419, 0.027454),
        (0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641),
    ),
    (
        1.225946,
        (-0.011953, 0.041065, -0.038437),
        (0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229),
    ),
    (
        1.666555,
        (0.060149, -0.014117, -0.010517),
        (0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341),
    ),
    (
        0.735522,
        (0.010517, -0.004252, 0.061597),
        (0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741),
    ),
)
PANDA_LIMITS = (
    (-2.8973, 2.8973),
    (-1.7628, 1.7628),
    (-2.8973, 2.8973),
    (-3.0718, -0.0698),
    (-2.8973, 2.8973),
    (-0.0175, 3.7525),
    (-2.8973, 2.8973),
)


def panda() -> Mechanism:
    """Return the Franka Emika Panda without a hand, in modified DH (Craig's) frames.

    Lengths from Franka Emika, Franka Control Interface documentation, Denavit–Hartenberg
    parameters: d₁ = 0.333, d₃ = 0.316, a₄ = -a₅ = 0.0825, d₅ = 0.384, a₇ = 0.088 m, flange 0.107 m.
    Inertias identified by C. Gaz, M. Cognetti, A. Oliva, P. Robuffo Giordano, A. De Luca, Dynamic
    identification of the Franka Emika Panda robot with retrieval of feasible parameters using
    penalty-based optimization, IEEE Robotics and Automation Letters 4 (2019), as they are
    distributed with franka_description. They reproduce the torques; single links are feasible
    but not measured.
    """
    # a, α, d, θ
    rows = [
        (0, 0, 0.333, 0),
        (0, -pi / 2, 0, 0),
        (0, pi / 2, 0.316, 0),
        (0.0825, pi / 2, 0, 0),
        (-0.0825, -pi / 2, 0.384, 0),
        (0, pi / 2, 0, 0),
        (0.088, pi / 2, 0, 0),
    ]
    return _with_flange(_arm("panda", rows, PANDA_LINKS, PANDA_LIMITS), "link7", (0, 0, 0.107))


# m, centre of mass, (Ixx, Iyy, Izz) about it: representative
IIWA_LINKS = (
    (5.76, (0, -0.03, -0.0825), (0.033, 0.0333, 0.0123)),
    (6.35, (-0.0003, -0.059, 0.042), (0.0305, 0.011, 0.0304)),
    (3.5, (0, 0.03, -0.0855), (0.025, 0.0238, 0.0076)),
    (3.5, (0, 0.067, 0.034), (0.017, 0.006, 0.0164)),
    (3.5, (-0.0001, -0.021, -0.1395), (0.01, 0.0087, 0.00449)),
    (1.8, (0, -0.0006, 0.0004), (0.0049, 0.0047, 0.0036)),
    (1.2, (0, 0, 0.101), (0.001, 0.001, 0.001)),
)
IIWA_LIMITS = tuple((-k * pi / 180, k * pi / 180) for k in (170, 120, 170, 120, 170, 120, 175))


def iiwa14() -> Mechanism:
    """Return the KUKA LBR iiwa 14 R820 in modified DH (Craig's) frames.

    Lengths from KUKA, LBR iiwa 7 R800 and 14 R820, specification: 0.36, 0.42, 0.4 and 0.126 m
    between base, shoulder, elbow, wrist and flange. KUKA publishes no inertias: masses, centres of
    mass and moments are *representative*, the rounded estimates of the URDF that Drake ships,
    expressed in these frames.
    """
    # a, α, d, θ
    rows = [
        (0, 0, 0.36, 0),
        (0, -pi / 2, 0, 0),
        (0, pi / 2, 0.42, 0),
        (0, pi / 2, 0, 0),
        (0, -pi / 2, 0.4, 0),
        (0, -pi / 2, 0, 0),
        (0, pi / 2, 0, 0),
    ]
    return _with_flange(_arm("iiwa14", rows, IIWA_LINKS, IIWA_LIMITS), "link7", (0, 0, 0.126))


def _arm(
    name: str, rows: Sequence[Any], inertias: Sequence[Any], limits: Sequence[tuple[float, float]]
) -> Mechanism:
    links = [
        Link.of(f"link{i}", mass=m, com=c, inertia=I) for i, (m, c, I) in enumerate(inertias, 1)
    ]
    return Mechanism.from_dh(rows, links=links, modified=True, name=name, limits=limits)


def _with_flange(arm: Mechanism, link: str, origin: Sequence[Any]) -> Mechanism:
    return replace(arm, frames=(Frame("flange", link, Pose(p=exact_vector(origin))),))
