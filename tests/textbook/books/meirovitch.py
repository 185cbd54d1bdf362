"""Meirovitch, Methods of Analytical Dynamics and Fundamentals of Vibrations."""

from __future__ import annotations

import dalembert as da
from tests.textbook.books.problem import Problem

x, y, z, theta = da.coordinates("x y z theta")
x1, x2, y1, y2, y3, th1, th2 = da.coordinates("x1 x2 y1 y2 y3 theta1 theta2")
m, m1, m2, M, I1, I2, k, k1, k2, c, c1, c2 = da.parameters("m m1 m2 M I1 I2 k k1 k2 c c1 c2")
g, L, a, b, e, J, omega, Omega, mu, P, A, B, C, EI = da.parameters(
    "g L a b e J omega Omega mu P A B C EI"
)
F, F1, F2 = da.inputs("F F1 F2")
t = da.time


def two_masses() -> da.System:
    return da.System(
        coordinates=[x1, x2],
        kinetic=(m1 * x1.dot**2 + m2 * x2.dot**2) / 2,
        potential=k1 * x1**2 / 2 + k2 * (x2 - x1) ** 2 / 2,
        dissipation=c1 * x1.dot**2 / 2 + c2 * (x2.dot - x1.dot) ** 2 / 2,
        forces=[F1, F2],
    )


def torsional_shaft() -> da.System:
    return da.System(
        coordinates=[th1, th2],
        kinetic=(I1 * th1.dot**2 + I2 * th2.dot**2) / 2,
        potential=k1 * th1**2 / 2 + k2 * (th2 - th1) ** 2 / 2,
    )


def car_on_two_springs() -> da.System:
    return da.System(
        coordinates=[x, theta],
        kinetic=m * x.dot**2 / 2 + J * theta.dot**2 / 2,
        potential=k1 * (x - a * theta) ** 2 / 2 + k2 * (x + b * theta) ** 2 / 2,
    )


def unbalanced_rotor() -> da.System:
    unbalance = (x + e * da.cos(omega * t), y + e * da.sin(omega * t))
    return da.System.from_particles(
        [m],
        [unbalance],
        coordinates=[x, y],
        potential=k * (x**2 + y**2) / 2,
        dissipation=c * (x.dot**2 + y.dot**2) / 2,
    )


def unbalanced_machine() -> da.System:
    places = [(x,), (x + e * da.sin(omega * t),)]
    places = [(p[0], 0) for p in places]
    return da.System.from_particles(
        [M - m, m],
        places,
        coordinates=[x],
        potential=k * x**2 / 2,
        dissipation=c * x.dot**2 / 2,
    )


def shaken_base() -> da.System:
    (w,) = [da.function("w")(t)]
    return da.System(
        coordinates=[x],
        kinetic=m * x.dot**2 / 2,
        potential=k * (x - w) ** 2 / 2,
        dissipation=c * (x.dot - da.ddt(w)) ** 2 / 2,
    )


def upright_pendulum_between_springs() -> da.System:
    return da.System(
        coordinates=[theta],
        kinetic=m * (L * theta.dot) ** 2 / 2,
        potential=k * (a * da.sin(theta)) ** 2 + m * g * L * da.cos(theta),
    )


def van_der_pol() -> da.System:
    return da.System(
        coordinates=[x],
        kinetic=x.dot**2 / 2,
        potential=x**2 / 2,
        forces=[mu * (1 - x**2) * x.dot],
    )


def string_with_three_masses() -> da.System:
    q = [y1, y2, y3]
    T = m * (y1.dot**2 + y2.dot**2 + y3.dot**2) / 2
    V = P * (y1**2 + (y2 - y1) ** 2 + (y3 - y2) ** 2 + y3**2) / (2 * L)
    return da.System(coordinates=q, kinetic=T, potential=V)


def two_links_pulled_at_the_end() -> da.System:
    """Two uniform links of length L hang from a ceiling; F pulls the end sideways."""
    s1, s2, c1, c2 = da.sin(th1), da.sin(th2), da.cos(th1), da.cos(th2)
    first = (L / 2 * s1, -L / 2 * c1)
    second = (L * s1 + L / 2 * s2, -L * c1 - L / 2 * c2)
    end = (L * (s1 + s2), -L * (c1 + c2))
    rod = m * L**2 / 12
    return da.System.from_bodies(
        [da.Body(m, first, rod, th1), da.Body(m, second, rod, th2)],
        coordinates=[th1, th2],
        gravity=(0, -g),
        forces=[da.Load(force=(F, 0), point=end)],
    )


def springs_in_a_turning_frame() -> da.System:
    T = m * ((x.dot - Omega * y) ** 2 + (y.dot + Omega * x) ** 2) / 2
    return da.System(coordinates=[x, y], kinetic=T, potential=(k1 * x**2 + k2 * y**2) / 2)


def satellite_pitch() -> da.System:
    """A satellite on a circular orbit; θ is measured from the local vertical."""
    V = 3 * Omega**2 * (A * da.sin(theta) ** 2 * -1 + B * da.sin(theta) ** 2) / 2
    return da.System(coordinates=[theta], kinetic=C * (theta.dot + Omega) ** 2 / 2, potential=V)


def restricted_three_bodies() -> da.System:
    """A light body in the frame that turns with two heavy ones on circles; units of the problem."""
    T = ((x.dot - y) ** 2 + (y.dot + x) ** 2) / 2
    r1 = da.sqrt((x + mu) ** 2 + y**2)
    r2 = da.sqrt((x - 1 + mu) ** 2 + y**2)
    return da.System(coordinates=[x, y], kinetic=T, potential=-(1 - mu) / r1 - mu / r2)


def absorber() -> da.System:
    return da.System(
        coordinates=[x1, x2],
        kinetic=(m1 * x1.dot**2 + m2 * x2.dot**2) / 2,
        potential=k1 * x1**2 / 2 + k2 * (x1 - x2) ** 2 / 2,
        forces=[F * da.sin(omega * t), 0],
    )


PROBLEMS = [
    Problem(
        "Two masses with springs and dampers",
        "two degrees of freedom",
        two_masses,
        (
            [
                r"m_1\ddot x_1 + (c_1 + c_2)\dot x_1 - c_2\dot x_2 + (k_1 + k_2)x_1 - k_2x_2 = F_1",
                r"m_2\ddot x_2 - c_2\dot x_1 + c_2\dot x_2 - k_2x_1 + k_2x_2 = F_2",
            ],
            {"M": [["m1", "0"], ["0", "m2"]]},
        ),
    ),
    Problem(
        "Two discs on a shaft",
        "two degrees of freedom",
        torsional_shaft,
        (
            [
                r"I_1\ddot\theta_1 + (k_1 + k_2)\theta_1 - k_2\theta_2 = 0",
                r"I_2\ddot\theta_2 - k_2\theta_1 + k_2\theta_2 = 0",
            ],
        ),
    ),
    Problem(
        "Car body that bounces and pitches on two springs",
        "two degrees of freedom",
        car_on_two_springs,
        (
            [
                r"m\ddot x + (k_1 + k_2)x - (k_1a - k_2b)\theta = 0",
                r"J\ddot\theta - (k_1a - k_2b)x + (k_1a^2 + k_2b^2)\theta = 0",
            ],
        ),
    ),
    Problem(
        "Rotor with an unbalance on an elastic shaft",
        "whirling of rotating shafts",
        unbalanced_rotor,
        (
            [
                r"m\ddot x + c\dot x + kx = me\omega^2\cos\omega t",
                r"m\ddot y + c\dot y + ky = me\omega^2\sin\omega t",
            ],
        ),
    ),
    Problem(
        "Machine with an unbalance on a spring and a damper",
        "one degree of freedom",
        unbalanced_machine,
        (r"M\ddot x + c\dot x + kx = me\omega^2\sin\omega t",),
    ),
    Problem(
        "Mass on a spring and a damper whose base moves",
        "one degree of freedom",
        shaken_base,
        ("m x'' + c (x' - dw/dt) + k (x - w(t)) = 0",),
    ),
    Problem(
        "Upright pendulum between two springs",
        "one degree of freedom",
        upright_pendulum_between_springs,
        (r"mL^2\ddot\theta + 2ka^2\sin\theta\cos\theta - mgL\sin\theta = 0",),
    ),
    Problem(
        "Van der Pol's oscillator",
        "nonlinear systems",
        van_der_pol,
        (r"\ddot x + \mu(x^2 - 1)\dot x + x = 0", ["x1' = x2", "x2' = -x1 + mu (1 - x1^2) x2"]),
        where={"x1": "x"},
    ),
    Problem(
        "String with three equal masses",
        "many degrees of freedom",
        string_with_three_masses,
        (
            [
                r"m\ddot y_1 = \frac{P}{L}(y_2 - 2y_1)",
                r"m\ddot y_2 = \frac{P}{L}(y_1 - 2y_2 + y_3)",
                r"m\ddot y_3 = \frac{P}{L}(y_2 - 2y_3)",
            ],
        ),
    ),
    Problem(
        "Two hinged links, pulled sideways at the end",
        "Lagrange's equations",
        two_links_pulled_at_the_end,
        (
            [
                (
                    r"mL^2\left[\frac43\ddot\theta_1"
                    r" + \frac12\ddot\theta_2\cos(\theta_2 - \theta_1)"
                    r" - \frac12\dot\theta_2^2\sin(\theta_2 - \theta_1)\right]"
                    r" + \frac32 mgL\sin\theta_1 = FL\cos\theta_1"
                ),
                (
                    r"mL^2\left[\frac12\ddot\theta_1\cos(\theta_2 - \theta_1)"
                    r" + \frac13\ddot\theta_2"
                    r" + \frac12\dot\theta_1^2\sin(\theta_2 - \theta_1)\right]"
                    r" + \frac12 mgL\sin\theta_2 = FL\cos\theta_2"
                ),
            ],
        ),
    ),
    Problem(
        "Mass on two springs in a frame that turns uniformly",
        "gyroscopic systems",
        springs_in_a_turning_frame,
        (
            [
                r"m\ddot x - 2m\Omega\dot y + (k_1 - m\Omega^2)x = 0",
                r"m\ddot y + 2m\Omega\dot x + (k_2 - m\Omega^2)y = 0",
            ],
        ),
    ),
    Problem(
        "Pitch of a satellite on a circular orbit",
        "gravity gradient",
        satellite_pitch,
        (r"C\ddot\theta + 3\Omega^2(B - A)\sin\theta\cos\theta = 0",),
    ),
    Problem(
        "Restricted problem of three bodies",
        "celestial mechanics",
        restricted_three_bodies,
        (
            [
                "r1 = √((x + μ)² + y²)",
                "r2 = √((x - 1 + μ)² + y²)",
                "ẍ - 2 ẏ - x = -(1 - μ)(x + μ)/r1³ - μ (x - 1 + μ)/r2³",
                "ÿ + 2 ẋ - y = -(1 - μ) y/r1³ - μ y/r2³",
            ],
        ),
    ),
    Problem(
        "Vibration absorber",
        "two degrees of freedom",
        absorber,
        (
            [
                r"m_1\ddot x_1 + (k_1 + k_2)x_1 - k_2x_2 = F\sin\omega t",
                r"m_2\ddot x_2 - k_2x_1 + k_2x_2 = 0",
            ],
        ),
    ),
]
