"""Classical systems: pendulums, cart-pole, free rigid body, rolling disc, knife edge."""

from __future__ import annotations

from dalembert.errors import InvalidSystem
from dalembert.expr import PI, Expr, Matrix, coordinates, cos, inputs, parameters, sin, time
from dalembert.mechanics import Body, System
from dalembert.picture import Arrow, Disc, Picture, Sketch
from dalembert.picture.sketch import polar
from dalembert.spatial import rotation_x, rotation_z

BLADE = 0.15
"""Half the length in m of a blade as it is drawn."""


def planar_chain(n: int) -> System:
    """Return n point masses on massless links in the plane, relative angles, gravity along -y."""
    if n < 1:
        raise InvalidSystem(f"expected a chain of at least one link, got {n}")
    names = range(1, n + 1)
    q = coordinates(" ".join(f"q{i}" for i in names))
    m = parameters(" ".join(f"m{i}" for i in names))
    l = parameters(" ".join(f"l{i}" for i in names))
    (g,) = parameters("g")
    x = y = angle = q[0] - q[0]
    positions = []
    for i in range(n):
        angle = angle + q[i]
        x, y = x + l[i] * cos(angle), y + l[i] * sin(angle)
        positions.append((x, y))
    return System.from_particles(m, positions, coordinates=q, gravity=(0, -g))


def double_pendulum() -> System:
    """Return two point masses on massless rods; both angles are measured from the vertical."""
    a1, a2 = coordinates("theta1 theta2")
    m1, m2, l1, l2, g = parameters("m1 m2 l1 l2 g")
    first = (l1 * sin(a1), -l1 * cos(a1))
    second = (first[0] + l2 * sin(a2), first[1] - l2 * cos(a2))
    return System.from_particles([m1, m2], [first, second], coordinates=[a1, a2], gravity=(0, -g))


def spherical_pendulum() -> System:
    """Return a point mass on a rod free in space: θ from the downward vertical, φ around it."""
    theta, phi = coordinates("theta phi")
    m, l, g = parameters("m l g")
    r = (l * sin(theta) * cos(phi), l * sin(theta) * sin(phi), -l * cos(theta))
    return System.from_particles([m], [r], coordinates=[theta, phi], gravity=(0, 0, -g))


def cart_pole() -> System:
    """Return a cart of mass m_c pushed by F, with a point mass m_p on a pole of length l.

    θ is measured from the downward vertical.
    """
    x, theta = coordinates("x theta")
    m_c, m_p, l, g = parameters("m_c m_p l g")
    (F,) = inputs("F")
    return System.from_particles(
        [m_c, m_p],
        [(x, 0), (x + l * sin(theta), -l * cos(theta))],
        coordinates=[x, theta],
        gravity=(0, -g),
        forces=[F, 0],
    )


def furuta_pendulum() -> System:
    """Return the rotary pendulum: arm of inertia J and length r, rod with m, l, I; θ₂ from above.

    The arm turns by θ₁ about the vertical, the rod by θ₂ about the arm. I is the rod's inertia
    about its centre of mass, across the rod; along it the rod has none.
    """
    t1, t2 = coordinates("theta1 theta2")
    J, m, r, l, I, g = parameters("J m r l I g")
    (tau,) = inputs("tau")
    R_WA = rotation_z(t1)
    R_WB = R_WA @ rotation_x(t2)
    centre = R_WA @ Matrix.column([r, 0, 0]) + R_WB @ Matrix.column([0, 0, l])
    arm = Body(0, (0, 0, 0), Matrix.diagonal([0, 0, J]), R_WA)
    rod = Body(m, centre, Matrix.diagonal([I, I, 0]), R_WB)
    return System.from_bodies([arm, rod], coordinates=[t1, t2], gravity=(0, 0, -g), forces=[tau, 0])


def driven_pendulum() -> System:
    """Return a pendulum whose pivot moves up and down by a cos(ω t): explicit time in T."""
    (theta,) = coordinates("theta")
    m, l, g, a, omega = parameters("m l g a omega")
    pivot = a * cos(omega * time)
    return System.from_particles(
        [m], [(l * sin(theta), pivot - l * cos(theta))], coordinates=[theta], gravity=(0, -g)
    )


def free_rigid_body() -> System:
    """Return a rigid body turning about its centre of mass, Euler angles z-x-z (φ, θ, ψ).

    I₁ I₂ I₃ are the principal inertias; no force acts.
    """
    phi, theta, psi = coordinates("phi theta psi")
    I1, I2, I3 = parameters("I1 I2 I3")
    R = rotation_z(phi) @ rotation_x(theta) @ rotation_z(psi)
    body = Body(0, (0, 0, 0), Matrix.diagonal([I1, I2, I3]), R)
    return System.from_bodies([body], coordinates=[phi, theta, psi])


def rolling_disc() -> System:
    """Return an upright disc rolling on a plane: contact (x, y), heading φ, rolling angle θ.

    The velocity constraints ẋ = R θ̇ cos φ and ẏ = R θ̇ sin φ are nonholonomic.
    """
    x, y, phi, theta = coordinates("x y phi theta")
    m, R, I, J = parameters("m R I J")
    tau_phi, tau_theta = inputs("tau_phi tau_theta")
    return System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2 + J * phi.dot**2 / 2 + I * theta.dot**2 / 2,
        coordinates=[x, y, phi, theta],
        forces=[0, 0, tau_phi, tau_theta],
        velocity_constraints=[
            x.dot - R * cos(phi) * theta.dot,
            y.dot - R * sin(phi) * theta.dot,
        ],
        drawing=_upright_disc(x, y, phi, theta, R),
    )


def _upright_disc(x: Expr, y: Expr, phi: Expr, theta: Expr, R: Expr) -> Picture:
    """Return a disc above its point of contact, and an arrow where it heads."""

    def rim(angle: Expr) -> tuple[Expr, Expr, Expr]:
        return x + R * sin(angle) * cos(phi), y + R * sin(angle) * sin(phi), R + R * cos(angle)

    points = {
        "contact": (x, y, 0),
        "centre": (x, y, R),
        "rim": rim(theta),
        "side": rim(theta + PI / 2),
        "ahead": (x + 2 * R * cos(phi), y + 2 * R * sin(phi), 0),
    }
    parts = (Disc(("centre", "rim", "side")), Arrow(("contact", "ahead")))
    return Picture(points, parts, "its drawing")


def knife_edge() -> System:
    """Return a blade sliding down a plane inclined by α along +x; it cannot move sideways."""
    x, y, phi = coordinates("x y phi")
    m, J, g, alpha = parameters("m J g alpha")
    return System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2 + J * phi.dot**2 / 2,
        potential=-m * g * sin(alpha) * x,
        coordinates=[x, y, phi],
        velocity_constraints=[x.dot * sin(phi) - y.dot * cos(phi)],
        drawing=Sketch()
        .rod(polar((x, y), -BLADE, phi), polar((x, y), BLADE, phi))
        .mass((x, y))
        .arrow(polar((x, y), BLADE, phi), polar((x, y), 2 * BLADE, phi))
        .picture(),
    )
