"""Greenwood, Principles of Dynamics and Advanced Dynamics."""

from __future__ import annotations

import dalembert as da
from tests.textbook.books.problem import Problem

x, y, r, theta, phi, psi, s, th1, th2 = da.coordinates("x y r theta phi psi s theta1 theta2")
m, M, g, k, l, a, R, omega, Omega, r0, h, I, b = da.parameters("m M g k l a R omega Omega r0 h I b")
t = da.time


def spring_in_a_turning_tube() -> da.System:
    place = (r * da.cos(omega * t), r * da.sin(omega * t))
    return da.System.from_particles([m], [place], coordinates=[r], potential=k * (r - r0) ** 2 / 2)


def dumbbell_with_a_knife_edge() -> da.System:
    """Particles at (x, y) and l further along φ; the edge is at the first."""
    second = (x + l * da.cos(phi), y + l * da.sin(phi))
    return da.System.from_particles(
        [m, m],
        [(x, y), second],
        coordinates=[x, y, phi],
        velocity_constraints=[-x.dot * da.sin(phi) + y.dot * da.cos(phi)],
    )


def sphere_on_a_turntable() -> da.System:
    """A uniform sphere rolls on a plane that turns at Ω."""
    turn = da.rotation_z(psi) @ da.rotation_y(theta) @ da.rotation_x(phi)
    inertia = 2 * m * a**2 / 5 * da.Matrix.identity(3)
    w = da.angular_velocity(turn)
    return da.System.from_bodies(
        [da.Body(m, (x, y, a), inertia, turn)],
        coordinates=[x, y, psi, theta, phi],
        # the lowest point moves as the plane below it
        velocity_constraints=[x.dot - a * w[1] + Omega * y, y.dot + a * w[0] - Omega * x],
    )


def rod_in_a_bowl() -> da.System:
    """A uniform rod of length 2 a in a vertical circle, its centre at h from the middle."""
    centre = (h * da.sin(theta), -h * da.cos(theta))
    rod = da.Body(m, centre, m * a**2 / 3, theta)
    return da.System.from_bodies([rod], coordinates=[theta], gravity=(0, -g))


def physical_pendulum() -> da.System:
    return da.System(
        coordinates=[theta],
        kinetic=I * theta.dot**2 / 2,
        potential=m * g * l * (1 - da.cos(theta)),
    )


def rod_on_a_string() -> da.System:
    """A string of length l carries the end of a uniform rod of length 2 a."""
    centre = (
        l * da.sin(th1) + a * da.sin(th2),
        -l * da.cos(th1) - a * da.cos(th2),
    )
    rod = da.Body(m, centre, m * a**2 / 3, th2)
    return da.System.from_bodies([rod], coordinates=[th1, th2], gravity=(0, -g))


def particle_on_a_sliding_hemisphere() -> da.System:
    """A particle slides down a smooth block with a round face, which slides on a floor."""
    place = (x + R * da.sin(theta), R * da.cos(theta))
    return da.System.from_particles(
        [M, m], [(x, 0), place], coordinates=[x, theta], gravity=(0, -g)
    )


def pendulum_on_a_turning_arm() -> da.System:
    """The hinge is at b from a vertical axis, the pendulum swings in the plane through it."""
    out = b + l * da.sin(theta)
    place = (out * da.cos(omega * t), out * da.sin(omega * t), -l * da.cos(theta))
    return da.System.from_particles([m], [place], coordinates=[theta], gravity=(0, 0, -g))


def disc_on_a_moving_plank() -> da.System:
    """A uniform disc rolls on a plank that slides on a floor."""
    return da.System(
        coordinates=[s, x, phi],
        kinetic=M * s.dot**2 / 2 + m * x.dot**2 / 2 + m * R**2 * phi.dot**2 / 4,
        forces=[da.inputs("F")[0], 0, 0],
        velocity_constraints=[x.dot - s.dot - R * phi.dot],
    )


def bead_on_an_arbitrary_wire() -> da.System:
    f = da.function("f")
    place = (x, f(x))
    return da.System.from_particles([m], [place], coordinates=[x], gravity=(0, -g))


PROBLEMS = [
    Problem(
        "Particle on a spring in a tube that turns uniformly",
        "generalized coordinates",
        spring_in_a_turning_tube,
        (r"m\ddot r - mr\omega^2 + k(r - r_0) = 0", "r'' + (k/m - ω²) r = k r0/m"),
    ),
    Problem(
        "Dumbbell with a knife-edge below one of its particles",
        "nonholonomic constraints",
        dumbbell_with_a_knife_edge,
        (
            [
                "2 m ẍ - m l φ̈ sin φ - m l φ̇² cos φ = -λ1 sin φ",
                "2 m ÿ + m l φ̈ cos φ - m l φ̇² sin φ = λ1 cos φ",
                "m l² φ̈ - m l ẍ sin φ + m l ÿ cos φ = 0",
            ],
            # along the edge and about it, with the speed v
            ["v = ẋ cos φ + ẏ sin φ", "2 v' - l φ̇² = 0", "l φ̈ + v φ̇ = 0"],
        ),
    ),
    Problem(
        "Sphere that rolls on a plane which turns uniformly",
        "nonholonomic constraints",
        sphere_on_a_turntable,
        ([r"\ddot{x} = -\frac27\Omega\dot{y}", r"\ddot{y} = \frac27\Omega\dot{x}"],),
        is_complete=False,
    ),
    Problem(
        "Rod whose ends slide in a vertical circle",
        "plane motion",
        rod_in_a_bowl,
        ("(h² + a²/3) θ̈ + g h sin θ = 0",),
    ),
    Problem(
        "Compound pendulum",
        "plane motion",
        physical_pendulum,
        (r"I\ddot\theta + mgl\sin\theta = 0", r"\ddot{\theta} = -\frac{mgl}{I}\sin\theta"),
    ),
    Problem(
        "Rod that hangs on a string by its end",
        "Lagrange's equations",
        rod_on_a_string,
        (
            [
                "l θ̈1 + a θ̈2 cos(θ2 - θ1) - a θ̇2² sin(θ2 - θ1) + g sin θ1 = 0",
                "(4/3) a θ̈2 + l θ̈1 cos(θ2 - θ1) + l θ̇1² sin(θ2 - θ1) + g sin θ2 = 0",
            ],
        ),
    ),
    Problem(
        "Particle that slides down a block with a round face, itself on a smooth floor",
        "Lagrange's equations",
        particle_on_a_sliding_hemisphere,
        (
            [
                "(M + m) x'' + m R cos(theta) theta'' - m R sin(theta) theta'^2 = 0",
                "R theta'' + cos(theta) x'' - g sin(theta) = 0",
            ],
        ),
    ),
    Problem(
        "Pendulum whose hinge goes round a vertical axis",
        "Lagrange's equations",
        pendulum_on_a_turning_arm,
        ("l θ̈ - ω² (b + l sin θ) cos θ + g sin θ = 0",),
    ),
    Problem(
        "Disc that rolls on a plank which is pulled",
        "Lagrange multipliers",
        disc_on_a_moving_plank,
        (
            [
                r"\ddot{s} = \frac{3F}{3M + m}",
                r"\ddot{x} = \frac{F}{3M + m}",
                r"R\ddot\phi = -\frac{2F}{3M + m}",
            ],
        ),
    ),
    Problem(
        "Bead on a wire of any shape in a vertical plane",
        "Lagrange's equations",
        bead_on_an_arbitrary_wire,
        ("(1 + f'(x)^2) x'' + f'(x) f''(x) x'^2 + g f'(x) = 0",),
    ),
]
