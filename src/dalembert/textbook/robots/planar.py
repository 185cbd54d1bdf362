"""Arms with few joints and symbolic parameters: planar chains, RP, SCARA, cart-pole."""

from __future__ import annotations

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr, parameters
from dalembert.mechanism import Builder, Mechanism


def planar_arm_nr(n: int) -> Mechanism:
    """Return n links in the x-y plane, hinged about z, gravity along -y; all parameters symbols.

    Link i has length a_i, centre of mass at a_ci along it, mass m_i and inertia I_i about its
    centre of mass. For n = 2 it is the arm of Penn, video 3.6.

    >>> print(planar_arm_nr(2))
    planar_2r: 3 links, 2 degrees of freedom
      world → link1  revolute joint1  v[0]
      link1 → link2  revolute joint2  v[1]
    """
    if n < 1:
        raise InvalidMechanism(f"expected an arm of at least one link, got {n}")
    (g,) = parameters("g")
    builder = Builder(f"planar_{n}r", gravity=(0, -g, 0))
    reach: Expr | int = 0
    for i in range(1, n + 1):
        m, a, c, I = parameters(f"m{i} a{i} a_c{i} I{i}")
        # a rod; in the plane only the last moment counts
        builder.link(f"link{i}", mass=m, com=(c, 0, 0), inertia=(0, I, I))
        builder.revolute(f"joint{i}", f"link{i}", origin=(reach, 0, 0))
        reach = a
    return builder.frame("tip", f"link{n}", origin=(reach, 0, 0)).build()


def planar_3r() -> Mechanism:
    """Return SDM283's planar arm of three point masses, the y axis *along* gravity.

    Joint i turns about z through q_i0 = (l_1 + … + l_{i-1}, 0, 0) in the initial configuration,
    where the arm lies along x; the mass m_i is at the distance r_i from joint i, frame b at the
    end. The first link starts at the origin of frame a.
    """
    (g,) = parameters("g")
    builder = Builder("planar_3r", gravity=(0, g, 0))
    reach: Expr | int = 0
    for i in range(1, 4):
        m, l, r = parameters(f"m{i} l{i} r{i}")
        builder.link(f"link{i}", mass=m, com=(r, 0, 0))
        builder.revolute(f"joint{i}", f"link{i}", origin=(reach, 0, 0))
        reach = l
    return builder.frame("b", "link3", origin=(reach, 0, 0)).build()


def rp_mechanism() -> Mechanism:
    """Return the arm of one revolute and one prismatic joint, two rods of mass m and length l.

    The mechanism of `textbook.rp_arm` (CMU 24-760, homework 6): q₁ turns about z, q₂ extends the
    second rod, whose centre is at l/2 + q₂.
    """
    m, l, g = parameters("m l g")
    rod = (0, m * l**2 / 12, m * l**2 / 12)
    return (
        Builder("rp_arm", gravity=(0, -g, 0))
        .link("link1", mass=m, com=(l / 2, 0, 0), inertia=rod)
        .link("link2", mass=m, com=(l / 2, 0, 0), inertia=rod)
        .revolute("turn", "link1")
        .prismatic("slide", "link2", axis="x")
        .frame("tip", "link2", origin=(l, 0, 0))
        .build()
    )


def cart_pole_mechanism() -> Mechanism:
    """Return a cart of mass m_c on x with a point mass m_p on a pole of length l.

    The mechanism of `textbook.cart_pole`: θ is measured from the downward vertical, y is up.
    """
    m_c, m_p, l, g = parameters("m_c m_p l g")
    return (
        Builder("cart_pole", gravity=(0, -g, 0))
        .link("cart", mass=m_c)
        .link("pole", mass=m_p, com=(0, -l, 0))
        .prismatic("rail", "cart", axis="x")
        .revolute("hinge", "pole")
        .frame("tip", "pole", origin=(0, -l, 0))
        .build()
    )


def scara() -> Mechanism:
    """Return a SCARA: two vertical hinges, a vertical slider, a wrist; all parameters symbols.

    Lengths a₁ a₂; links 1 and 2 have their centres of mass at a_c1, a_c2 along them and inertias
    I₁ I₂ about the vertical; quill and tool (m₃, m₄) lie on the axis of the wrist, and I₄ is the
    tool's inertia about it. The slider counts upwards. Gravity along -z.
    """
    a1, a2, a_c1, a_c2, g = parameters("a1 a2 a_c1 a_c2 g")
    m1, m2, m3, m4, I1, I2, I3, I4 = parameters("m1 m2 m3 m4 I1 I2 I3 I4")
    return (
        Builder("scara", gravity=(0, 0, -g))
        .link("arm", mass=m1, com=(a_c1, 0, 0), inertia=(0, I1, I1))
        .link("forearm", mass=m2, com=(a_c2, 0, 0), inertia=(0, I2, I2))
        .link("quill", mass=m3, inertia=(I3, I3, I3))
        .link("tool", mass=m4, inertia=(I4, I4, I4))
        .revolute("shoulder", "arm")
        .revolute("elbow", "forearm", origin=(a1, 0, 0))
        .prismatic("lift", "quill", origin=(a2, 0, 0))
        .revolute("wrist", "tool")
        .build()
    )
