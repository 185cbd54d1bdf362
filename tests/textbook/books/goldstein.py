"""Goldstein, Poole and Safko, Classical Mechanics."""

from __future__ import annotations

import dalembert as da
from tests.textbook.books.problem import Problem

x, y, z, r, s, q, theta, phi, psi = da.coordinates("x y z r s q theta phi psi")
x1, x2, x3 = da.coordinates("x1 x2 x3")
m, M, g, k, a, b, c, l, R, omega, v0 = da.parameters("m M g k a b c l R omega v0")
gamma, alpha, r0, k1 = da.parameters("gamma alpha r0 k1")
F_r, F_theta, F = da.inputs("F_r F_theta F")
t = da.time


def polar() -> da.System:
    T = m * (r.dot**2 + (r * theta.dot) ** 2) / 2
    return da.System(coordinates=[r, theta], kinetic=T, forces=[F_r, r * F_theta])


def turning_wire() -> da.System:
    out = (r * da.cos(omega * t), r * da.sin(omega * t))
    return da.System.from_particles([m], [out], coordinates=[r])


def hoop_on_a_slope() -> da.System:
    return da.System(
        coordinates=[x, theta],
        kinetic=M * x.dot**2 / 2 + M * r0**2 * theta.dot**2 / 2,
        potential=M * g * (l - x) * da.sin(alpha),
        constraints=[r0 * theta - x],
    )


def particle_on_a_hoop() -> da.System:
    return da.System(
        coordinates=[r, theta],
        kinetic=m * (r.dot**2 + (r * theta.dot) ** 2) / 2,
        potential=m * g * r * da.cos(theta),
        constraints=[r - a],
    )


def towed_spring() -> da.System:
    return da.System(coordinates=[x], kinetic=m * x.dot**2 / 2, potential=k * (x - v0 * t) ** 2 / 2)


def central_force() -> da.System:
    V = da.function("V")
    T = m * (r.dot**2 + (r * theta.dot) ** 2) / 2
    return da.System(coordinates=[r, theta], kinetic=T, potential=V(r))


def triatomic_molecule() -> da.System:
    return da.System(
        coordinates=[x1, x2, x3],
        kinetic=m * (x1.dot**2 + x3.dot**2) / 2 + M * x2.dot**2 / 2,
        potential=k * (x2 - x1 - b) ** 2 / 2 + k * (x3 - x2 - b) ** 2 / 2,
    )


def dumbbell_on_a_circle() -> da.System:
    centre = da.Matrix.column([a * da.cos(psi), a * da.sin(psi), 0])
    along = da.Matrix.column(
        [da.sin(theta) * da.cos(phi), da.sin(theta) * da.sin(phi), da.cos(theta)]
    )
    ends = [tuple(centre + sign * l / 2 * along) for sign in (1, -1)]
    return da.System.from_particles([m, m], ends, coordinates=[psi, theta, phi])


def weber() -> da.System:
    return da.System(coordinates=[r], lagrangian=m * r.dot**2 / 2 - (1 + r.dot**2 / c**2) / r)


def damped_lagrangian() -> da.System:
    return da.System(
        coordinates=[q], lagrangian=da.exp(gamma * t) * (m * q.dot**2 / 2 - k * q**2 / 2)
    )


def fourth_power() -> da.System:
    V = da.function("V")
    L = m**2 * x.dot**4 / 12 + m * x.dot**2 * V(x) - V(x) ** 2
    return da.System(coordinates=[x], lagrangian=L)


def relativistic_oscillator() -> da.System:
    L = -m * c**2 * da.sqrt(1 - x.dot**2 / c**2) - k * x**2 / 2
    return da.System(coordinates=[x], lagrangian=L)


def rails_on_a_turntable() -> da.System:
    (u,) = da.coordinates("u")
    turn = omega * t
    place = (r * da.cos(turn) - u * da.sin(turn), r * da.sin(turn) + u * da.cos(turn))
    V = k1 * (r - r0) ** 2 / 2 + k * u**2 / 2
    return da.System.from_particles([m], [place], coordinates=[r, u], potential=V)


PROBLEMS = [
    Problem(
        "Particle in polar coordinates under a force",
        "chapter 1",
        polar,
        (
            [
                r"m\ddot{r} - mr\dot{\theta}^2 = F_r",
                r"mr^2\ddot{\theta} + 2mr\dot{r}\dot{\theta} = r F_\theta",
            ],
        ),
    ),
    Problem(
        "Bead on a straight wire that turns uniformly, free of forces",
        "chapter 1",
        turning_wire,
        (r"m\ddot{r} - mr\omega^2 = 0", r"\ddot{r} = r\omega^2"),
    ),
    Problem(
        "Hoop that rolls down a slope without slipping, with the force of friction",
        "chapter 2",
        hoop_on_a_slope,
        (
            [
                r"M\ddot{x} - Mg\sin\alpha + \lambda_1 = 0",
                r"M r_0^2\ddot{\theta} - \lambda_1 r_0 = 0",
                r"r_0\ddot{\theta} = \ddot{x}",
            ],
            [
                r"\ddot{x} = \frac{g\sin\alpha}{2}",
                r"\lambda_1 = \frac{Mg\sin\alpha}{2}",
                r"\ddot{\theta} = \frac{g\sin\alpha}{2r_0}",
            ],
        ),
    ),
    Problem(
        "Particle on top of a fixed hoop, with the reaction of the hoop",
        "chapter 2",
        particle_on_a_hoop,
        (
            [
                r"m\ddot{r} - mr\dot{\theta}^2 + mg\cos\theta - \lambda_1 = 0",
                r"ma^2\ddot{\theta} - mga\sin\theta = 0",
            ],
            [
                r"\ddot\theta = \frac{g}{a}\sin\theta",
                r"\lambda_1 = mg\cos\theta - ma\dot\theta^2",
            ],
        ),
    ),
    Problem(
        "Mass on a spring whose other end moves uniformly",
        "chapter 8",
        towed_spring,
        (r"m\ddot{x} = -k(x - v_0 t)",),
    ),
    Problem(
        "Motion in a central potential, with the angular momentum put in",
        "chapter 3",
        central_force,
        ([r"p = mr^2\dot{\theta}", r"m\ddot{r} - \frac{p^2}{mr^3} = -V'(r)"],),
        is_complete=False,
    ),
    Problem(
        "Linear triatomic molecule",
        "chapter 6",
        triatomic_molecule,
        (
            [
                r"m\ddot x_1 = k(x_2 - x_1 - b)",
                r"M\ddot x_2 = -k(x_2 - x_1 - b) + k(x_3 - x_2 - b)",
                r"m\ddot x_3 = -k(x_3 - x_2 - b)",
            ],
        ),
    ),
    Problem(
        "Two equal masses on a rod whose centre moves on a circle: kinetic energy",
        "chapter 1",
        dumbbell_on_a_circle,
        (r"ma^2\dot\psi^2 + \frac{ml^2}{4}\left(\dot\theta^2 + \sin^2\theta\,\dot\phi^2\right)",),
        "T",
    ),
    Problem(
        "Weber's force between charges, by a potential with velocities",
        "chapter 1",
        weber,
        (r"m\ddot{r} = \frac{1}{r^2}\left(1 - \frac{\dot{r}^2 - 2\ddot{r}r}{c^2}\right)",),
    ),
    Problem(
        "A Lagrangian that grows in time and stands for damping",
        "chapter 2",
        damped_lagrangian,
        (r"\ddot{q} + \gamma\dot{q} + \frac{k}{m}q = 0",),
    ),
    Problem(
        "A Lagrangian with the fourth power of the velocity",
        "chapter 1",
        fourth_power,
        (r"(m\dot{x}^2 + 2V(x))\left(m\ddot{x} + V'(x)\right) = 0",),
    ),
    Problem(
        "Relativistic oscillator",
        "chapter 7",
        relativistic_oscillator,
        (
            r"\frac{d}{dt}\left(\frac{m\dot{x}}{\sqrt{1 - \dot{x}^2/c^2}}\right) = -kx",
            r"\frac{m\ddot{x}}{(1 - \dot{x}^2/c^2)^{3/2}} + kx = 0",
        ),
    ),
    Problem(
        "Two springs on rails at right angles, on a table that turns",
        "chapter 2",
        rails_on_a_turntable,
        (
            [
                r"m\ddot{r} = 2m\omega\dot{u} + mr\omega^2 - k_1(r - r_0)",
                r"m\ddot{u} = -2m\omega\dot{r} + mu\omega^2 - ku",
            ],
        ),
    ),
]
