"""Landau and Lifshitz, Mechanics."""

from __future__ import annotations

import dalembert as da
from tests.textbook.books.problem import Problem

x, y, z, r, phi, theta, xi = da.coordinates("x y z r phi theta xi")
m, m1, m2, g, l, a, k, h, R, mu, I, I3 = da.parameters("m m1 m2 g l a k h R mu I I3")
gamma, omega, omega0, alpha, beta, lam, f, Omega, l0 = da.parameters(
    "gamma omega omega0 alpha beta lam f Omega l0"
)
t = da.time
down = (0, g)  # the book's y points down


def sliding_support() -> da.System:
    bob = (x + l * da.sin(phi), l * da.cos(phi))
    return da.System.from_particles([m1, m2], [(x, 0), bob], coordinates=[x, phi], gravity=down)


def shaken_sideways() -> da.System:
    bob = (a * da.cos(gamma * t) + l * da.sin(phi), l * da.cos(phi))
    return da.System.from_particles([m], [bob], coordinates=[phi], gravity=down)


def shaken_upwards() -> da.System:
    bob = (l * da.sin(phi), a * da.cos(gamma * t) + l * da.cos(phi))
    return da.System.from_particles([m], [bob], coordinates=[phi], gravity=down)


def coupled_oscillators() -> da.System:
    V = omega0**2 * (x**2 + y**2) / 2 - alpha * x * y
    return da.System(coordinates=[x, y], kinetic=(x.dot**2 + y.dot**2) / 2, potential=V)


def forced_oscillator() -> da.System:
    L = m * x.dot**2 / 2 - m * omega**2 * x**2 / 2 + x * f * da.cos(gamma * t + beta)
    return da.System(coordinates=[x], lagrangian=L)


def damped_oscillator() -> da.System:
    return da.System(
        coordinates=[x],
        kinetic=m * x.dot**2 / 2,
        potential=m * omega0**2 * x**2 / 2,
        dissipation=m * lam * x.dot**2,
    )


def parametric_oscillator() -> da.System:
    V = m * omega0**2 * (1 + h * da.cos(gamma * t)) * x**2 / 2
    return da.System(coordinates=[x], kinetic=m * x.dot**2 / 2, potential=V)


def anharmonic_oscillator() -> da.System:
    V = m * omega0**2 * x**2 / 2 + m * alpha * x**3 / 3 + m * beta * x**4 / 4
    return da.System(coordinates=[x], kinetic=m * x.dot**2 / 2, potential=V)


def two_rods() -> da.System:
    """Rods OA and AB with a hinge at A; O is fixed, B slides on a line through O."""
    first = (l / 2 * da.cos(phi), l / 2 * da.sin(phi))
    second = (3 * l / 2 * da.cos(phi), l / 2 * da.sin(phi))
    rod = mu * l**2 / 12
    bodies = [da.Body(mu, first, rod, phi), da.Body(mu, second, rod, -phi)]
    return da.System.from_bodies(bodies, coordinates=[phi])


def uneven_cylinder() -> da.System:
    """The centre of mass is at a from the axis, below it at φ = 0."""
    centre = (R * phi - a * da.sin(phi), R - a * da.cos(phi))
    return da.System.from_bodies([da.Body(mu, centre, I3, phi)], coordinates=[phi])


def cone_on_a_plane() -> da.System:
    """A uniform cone of height h rolls on its side; θ is the direction of the line of contact."""
    I1 = mu * (3 * (h * da.tan(alpha)) ** 2 / 20 + 3 * h**2 / 80)
    I3 = 3 * mu * (h * da.tan(alpha)) ** 2 / 10
    out = 3 * h / 4 * da.cos(alpha)
    centre = (out * da.cos(theta), out * da.sin(theta), 3 * h / 4 * da.sin(alpha))
    # its axis points up by α; rolling turns it by -θ/tan α - θ … about the axis
    spin = -theta / da.sin(alpha)
    turn = da.rotation_z(theta) @ da.rotation_y(da.pi / 2 - alpha) @ da.rotation_z(spin)
    body = da.Body(mu, centre, da.Matrix.diagonal([I1, I1, I3]), turn)
    return da.System.from_bodies([body], coordinates=[theta])


def rotating_frame() -> da.System:
    U = da.function("U")
    T = m * ((x.dot - Omega * y) ** 2 + (y.dot + Omega * x) ** 2 + z.dot**2) / 2
    return da.System(coordinates=[x, y, z], kinetic=T, potential=U(x, y, z))


def spring_across_a_line() -> da.System:
    V = k * (da.sqrt(x**2 + l**2) - l0) ** 2 / 2
    return da.System(coordinates=[x], kinetic=m * x.dot**2 / 2, potential=V)


PROBLEMS = [
    Problem(
        "Pendulum whose point of support, with a mass of its own, slides on a line: Lagrangian",
        "§5, problem 2",
        sliding_support,
        (
            (
                r"\frac{1}{2}(m_1+m_2)\dot{x}^2 + \frac{1}{2}m_2(l^2\dot\phi^2"
                r" + 2l\dot{x}\dot\phi\cos\phi) + m_2gl\cos\phi"
            ),
        ),
        "L",
    ),
    Problem(
        "Pendulum whose point of support oscillates sideways: Lagrangian",
        "§5, problem 3b",
        shaken_sideways,
        (r"\frac12 ml^2\dot\phi^2 + mla\gamma^2\cos\gamma t\sin\phi + mgl\cos\phi",),
        "L",
    ),
    Problem(
        "Pendulum whose point of support oscillates vertically: Lagrangian",
        "§5, problem 3c",
        shaken_upwards,
        (r"\frac12 ml^2\dot\phi^2 + mla\gamma^2\cos\gamma t\cos\phi + mgl\cos\phi",),
        "L",
    ),
    Problem(
        "Two equal oscillators with a coupling α x y",
        "§23, problem 1",
        coupled_oscillators,
        ([r"\ddot{x} + \omega_0^2 x = \alpha y", r"\ddot{y} + \omega_0^2 y = \alpha x"],),
    ),
    Problem(
        "Oscillator under a periodic force",
        "§22",
        forced_oscillator,
        (r"\ddot{x} + \omega^2 x = (f/m)\cos(\gamma t + \beta)",),
    ),
    Problem(
        "Damped oscillator",
        "§25",
        damped_oscillator,
        (r"\ddot{x} + 2\lambda\dot{x} + \omega_0^2 x = 0",),
        where={"lambda": "lam"},
    ),
    Problem(
        "Oscillator whose stiffness varies in time",
        "§27",
        parametric_oscillator,
        (r"\ddot{x} + \omega_0^2(1 + h\cos\gamma t)x = 0",),
    ),
    Problem(
        "Anharmonic oscillator",
        "§28",
        anharmonic_oscillator,
        (r"\ddot{x} + \omega_0^2 x = -\alpha x^2 - \beta x^3",),
    ),
    Problem(
        "Two equal rods with a hinge, the end of the second on a line: kinetic energy",
        "§32, problem 3",
        two_rods,
        (r"\frac13\mu l^2(1 + 3\sin^2\phi)\dot\phi^2",),
        "T",
    ),
    Problem(
        "Uneven cylinder that rolls on a plane: kinetic energy",
        "§32, problem 4",
        uneven_cylinder,
        (r"\frac12\mu(a^2 + R^2 - 2aR\cos\phi)\dot\phi^2 + \frac12 I_3\dot\phi^2",),
        "T",
    ),
    Problem(
        "Uniform cone that rolls on a plane: kinetic energy",
        "§32, problem 7",
        cone_on_a_plane,
        (r"3\mu h^2\dot\theta^2(1 + 5\cos^2\alpha)/40",),
        "T",
    ),
    Problem(
        "Particle in a frame that turns uniformly",
        "§39",
        rotating_frame,
        (
            [
                r"m\ddot{x} = -\frac{\partial U}{\partial x} + 2m\Omega\dot{y} + m\Omega^2x",
                r"m\ddot{y} = -\frac{\partial U}{\partial y} - 2m\Omega\dot{x} + m\Omega^2y",
                r"m\ddot{z} = -\frac{\partial U}{\partial z}",
            ],
        ),
    ),
    Problem(
        "Particle on a line, held by a spring that is fixed beside it",
        "§21",
        spring_across_a_line,
        (r"m\ddot{x} = -kx\left(1 - \frac{l_0}{\sqrt{x^2 + l^2}}\right)",),
    ),
]
