"""SUSTech ME331, section 11: particle, geared link, elastic joint, two particles on a wire."""

from __future__ import annotations

from dalembert.expr import PI, Expr, coordinates, cos, inputs, parameters
from dalembert.mechanics import Load, System
from dalembert.picture import Picture, Sketch
from dalembert.picture.sketch import polar


def particle() -> System:
    """Return a particle under gravity and a vertical force: m ÿ = f - m g."""
    (y,) = coordinates("y")
    m, g = parameters("m g")
    (f,) = inputs("f")
    return System(
        kinetic=m * y.dot**2 / 2,
        potential=m * g * y,
        coordinates=[y],
        forces=[f],
        drawing=Sketch().mass((0, y), "m").ground((0.5, 0), (-0.5, 0)).picture(),
    )


def geared_link() -> System:
    """Return a link driven through a gear r : 1 by a motor with inertia and damping (example 1).

    The motor turns by θ_m = r q. Its torque and damping reach the link by virtual work, so the
    reflected damping is r² B_m + B_l (the slides print r B_m + B_l).
    """
    (q,) = coordinates("q")
    J_m, J_l, B_m, B_l, M, g, l, r = parameters("J_m J_l B_m B_l M g l r")
    (tau_m,) = inputs("tau_m")
    motor_angle = r * q
    return System(
        kinetic=J_m * motor_angle.dot**2 / 2 + J_l * q.dot**2 / 2,
        potential=M * g * l * (1 - cos(q)),
        coordinates=[q],
        forces=[Load(torque=tau_m, orientation=motor_angle)],
        dissipation=B_m * motor_angle.dot**2 / 2 + B_l * q.dot**2 / 2,
        drawing=_driven_link(q, r * q, l),
    )


def elastic_joint() -> System:
    """Return a link (q₁) driven through a torsion spring by a motor (q₂) (example 2)."""
    q1, q2 = coordinates("q1 q2")
    J_l, J_m, M, g, l, k = parameters("J_l J_m M g l k")
    (u,) = inputs("u")
    return System(
        kinetic=J_l * q1.dot**2 / 2 + J_m * q2.dot**2 / 2,
        potential=M * g * l * (1 - cos(q1)) + k * (q1 - q2) ** 2 / 2,
        coordinates=[q1, q2],
        forces=[0, u],
        drawing=_driven_link(q1, q2, l),
    )


def _driven_link(link: Expr, motor: Expr, l: Expr) -> Picture:
    """Return a link that hangs from a joint, and the motor that drives it beside it."""
    pivot, beside = (0, 0), (-0.7 * l, 0)
    tip = polar(pivot, l, link - PI / 2)
    drawn = Sketch().line(pivot, beside, style="edge").disc(beside, 0.22 * l, motor, has_spoke=True)
    return drawn.rod(pivot, tip).mass(tip).support(pivot).pin(beside).picture()


def wire_particles() -> System:
    """Return two particles in the plane, joined by a rigid wire of length l, pulled by two forces.

    The constraint is (r₁ - r₂)ᵀ(r₁ - r₂) - l² = 0, so the wire pulls particle 1 with
    2λ (r₁ - r₂) and particle 2 with the opposite force.
    """
    x1, y1, x2, y2 = coordinates("x1 y1 x2 y2")
    m1, m2, l = parameters("m1 m2 l")
    f1x, f1y, f2x, f2y = inputs("f1x f1y f2x f2y")
    return System.from_particles(
        [m1, m2],
        [(x1, y1), (x2, y2)],
        coordinates=[x1, y1, x2, y2],
        forces=[
            Load(force=(f1x, f1y), point=(x1, y1)),
            Load(force=(f2x, f2y), point=(x2, y2)),
        ],
        constraints=[(x1 - x2) ** 2 + (y1 - y2) ** 2 - l**2],
    )
