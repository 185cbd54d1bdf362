"""Classical six-joint arms: PUMA 560 and the Stanford arm."""

from __future__ import annotations

from dataclasses import replace
from math import pi
from typing import Any

from dalembert.expr import parameters
from dalembert.mechanism import Link, Mechanism
from dalembert.spatial.exact import exact, exact_vector
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.vectors import scale

# m, centre of mass, (Ixx, Iyy, Izz) about it, in the frames of the standard DH table
PUMA_LINKS = (
    (0, (0, 0, 0), (0, 0.35, 0)),
    (17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
    (4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125)),
    (0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3)),
    (0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3)),
    (0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3)),
)
# inertia of the motor and gear ratio
PUMA_MOTORS = (
    (200e-6, 62.6111),
    (200e-6, 107.815),
    (200e-6, 53.7063),
    (33e-6, 76.0364),
    (33e-6, 71.923),
    (33e-6, 76.686),
)
PUMA_LIMITS = ((-160, 160), (-45, 225), (-225, 45), (-110, 170), (-100, 100), (-266, 266))


def puma560() -> Mechanism:
    """Return the Unimation PUMA 560 in standard DH frames, reflected rotor inertias included.

    a₂ = 0.4318, a₃ = +0.0203, d₃ = 0.15005, d₄ = 0.4318 m (a₃ is negative in the modified tables
    of Craig and of Armstrong); z₀ is up through the shoulder. Link 1 has only the inertia that
    its joint feels, 0.35 kg m² (Iyy in its frame); its mass was not measured. The moments of link
    3 miss the triangle inequality (0.066 + 0.0125 < 0.086), as published. ``armature`` is G² J_m,
    friction is left out.

    References: B. Armstrong, O. Khatib, J. Burdick, The explicit dynamic model and inertial
    parameters of the PUMA 560 arm, ICRA 1986; in the frames, with the rounded motor inertias, of
    P. Corke, Robotics Toolbox, mdl_puma560 (parameters of 8/95), after P. Corke, B.
    Armstrong-Hélouvry, A search for consensus among model parameters reported for the PUMA 560
    robot, ICRA 1994.
    """
    # a, α, d, θ
    rows = [
        (0, pi / 2, 0, 0),
        (0.4318, 0, 0, 0),
        (0.0203, -pi / 2, 0.15005, 0),
        (0, pi / 2, 0.4318, 0),
        (0, -pi / 2, 0, 0),
        (0, 0, 0, 0),
    ]
    links = [
        Link.of(f"link{i}", mass=m, com=c, inertia=I) for i, (m, c, I) in enumerate(PUMA_LINKS, 1)
    ]
    degrees = [(a * pi / 180, b * pi / 180) for a, b in PUMA_LIMITS]
    # of link 1 only the moment about its joint was identified: no body has it alone
    arm = Mechanism.from_dh(
        rows, links=links, name="puma560", limits=degrees, accept_nonphysical=True
    )
    joints = tuple(
        replace(joint, armature=exact(G) ** 2 * exact(J))
        for joint, (J, G) in zip(arm.joints, PUMA_MOTORS, strict=True)
    )
    return replace(arm, joints=joints)


def puma560_symbolic() -> Mechanism:
    """Return the PUMA 560 with all 60 inertial parameters, its lengths and g as symbols.

    Modified DH frames (Craig; Khalil), the frame of link i at joint i: lengths a₂ a₃ d₃ d₄,
    X_{i-1,i} = R_x(α) T_x(a) R_z(θ) T_z(d). Link i has the mass m_i, the first moment
    hx_i hy_i hz_i = m c and the inertia Ixx_i … Iyz_i about the origin of its frame, so that the
    equations are linear in these ten.
    """
    a2, a3, d3, d4, g = parameters("a2 a3 d3 d4 g")
    # a, α, d, θ
    rows = [
        (0, 0, 0, 0),
        (0, -pi / 2, 0, 0),
        (a2, 0, d3, 0),
        (a3, -pi / 2, d4, 0),
        (0, pi / 2, 0, 0),
        (0, -pi / 2, 0, 0),
    ]
    links = [symbolic_link(i) for i in range(1, 7)]
    return Mechanism.from_dh(
        rows, links=links, modified=True, name="puma560_symbolic", gravity=(0, 0, -g)
    )


def symbolic_link(i: int) -> Link:
    """Return link i with ten symbols: m, h = m c and I about the origin of its frame."""
    names = ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    m, x, y, z, xx, yy, zz, xy, xz, yz = parameters(" ".join(f"{name}{i}" for name in names))
    return Link(f"link{i}", Inertia(m, (x, y, z), (xx, yy, zz, xy, xz, yz)), True)


# m, centre of mass, (Ixx, Iyy, Izz) about the origin of the frame, reflected rotor inertia
STANFORD_LINKS = (
    (9.29, (0, 0.0175, -0.1105), (0.276, 0.255, 0.071), 0.953),
    (5.01, (0, -0.1054, 0), (0.108, 0.018, 0.100), 2.193),
    (4.25, (0, 0, -0.6447), (2.51, 2.51, 0.006), 0.782),
    (1.08, (0, 0.0092, -0.0054), (0.002, 0.001, 0.001), 0.106),
    (0.63, (0, 0, 0.0566), (0.003, 0.003, 0.0004), 0.097),
    (0.51, (0, 0, 0.1554), (0.013, 0.013, 0.0003), 0.020),
)


def stanford_arm() -> Mechanism:
    """Return the Stanford (Scheinman) arm, RRPRRR, in standard DH frames.

    d₁ = 0.412, d₂ = 0.154, d₆ = 0.263 m; the boom slides by q₃ = d₃, which is zero when the wrist
    is at the shoulder. The reflected rotor inertias are the ``armature``.

    References: lengths from R. Paul, Modelling, trajectory calculation and servoing of a computer
    controlled arm, Stanford AIM-177 (1972), figure 2.3; masses and inertias from R. Paul, Robot
    Manipulators (1981), tables 6.4 to 6.6, as reprinted by P. Corke, Robotics Toolbox,
    mdl_stanford. *Our reading:* the reprint has the centres of mass of links 2 to 6 ten times too
    long (the boom's 6.447 m from its end), so they are taken as the centimetres of the book; and
    the inertias as those about the origins of the frames, since about the centre of mass the
    boom's 2.51 kg m² would need a rod of 2.7 m. We have not compared with the book itself.
    """
    # a, α, d, θ, prismatic
    rows = [
        (0, -pi / 2, 0.412, 0),
        (0, pi / 2, 0.154, 0),
        (0, 0, 0, -pi / 2, True),
        (0, -pi / 2, 0, 0),
        (0, pi / 2, 0, 0),
        (0, 0, 0.263, 0),
    ]
    links = []
    for i, (m, c, (xx, yy, zz), _) in enumerate(STANFORD_LINKS, 1):
        h = scale(exact(m), exact_vector(c))
        links.append(Link(f"link{i}", Inertia(exact(m), h, _diagonal(xx, yy, zz)), True))
    arm = Mechanism.from_dh(rows, links=links, name="stanford_arm")
    joints = tuple(
        replace(joint, armature=exact(row[3]))
        for joint, row in zip(arm.joints, STANFORD_LINKS, strict=True)
    )
    return replace(arm, joints=joints)


def _diagonal(xx: float, yy: float, zz: float) -> tuple[Any, Any, Any, Any, Any, Any]:
    return exact(xx), exact(yy), exact(zz), 0, 0, 0
