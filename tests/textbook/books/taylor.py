"""Taylor, Classical Mechanics."""

from __future__ import annotations

import dalembert as da
from tests.textbook.books.problem import Problem

x, y, z, r, theta, phi = da.coordinates("x y z r theta phi")
x1, x2, phi1, phi2, phi3, X = da.coordinates("x1 x2 phi1 phi2 phi3 X")
m, M, m1, m2, g, k, k1, k2, k3 = da.parameters("m M m1 m2 g k k1 k2 k3")
l, L, R, I, a, b, A, omega, Omega = da.parameters("l L R I a b A omega Omega")
t = da.time


def atwood() -> da.System:
    return da.System(
        coordinates=[x],
        kinetic=(m1 + m2) * x.dot**2 / 2,
        potential=-m1 * g * x - m2 * g * (l - x),
    )


def atwood_with_a_constraint() -> da.System:
    return da.System(
        coordinates=[x, y],
        kinetic=m1 * x.dot**2 / 2 + m2 * y.dot**2 / 2,
        potential=-m1 * g * x - m2 * g * y,
        constraints=[x + y - l],
    )


def on_a_cylinder() -> da.System:
    return da.System(
        coordinates=[phi, z],
        kinetic=m * (R**2 * phi.dot**2 + z.dot**2) / 2,
        potential=k * (R**2 + z**2) / 2,
    )


def two_masses_on_a_spring() -> da.System:
    return da.System(
        coordinates=[x1, x2],
        kinetic=m * (x1.dot**2 + x2.dot**2) / 2,
        potential=k * (x1 - x2 - l) ** 2 / 2,
    )


def string_on_a_wheel() -> da.System:
    return da.System(
        coordinates=[x, phi],
        kinetic=m * x.dot**2 / 2 + I * phi.dot**2 / 2,
        potential=-m * g * x,
        constraints=[x - R * phi],
    )


def pendulum_in_a_lift() -> da.System:
    bob = (l * da.sin(phi), a * t**2 / 2 - l * da.cos(phi))
    return da.System.from_particles([m], [bob], coordinates=[phi], gravity=(0, -g))


def cart_in_a_cart() -> da.System:
    return da.System(
        coordinates=[x],
        kinetic=m * (x.dot - A * omega * da.sin(omega * t)) ** 2 / 2,
        potential=k * x**2 / 2,
    )


def pendulum_on_a_sprung_cart() -> da.System:
    bob = (x + L * da.sin(phi), -L * da.cos(phi))
    return da.System.from_particles(
        [m, M],
        [(x, 0), bob],
        coordinates=[x, phi],
        gravity=(0, -g),
        potential=k * x**2 / 2,
    )


def cube_on_a_cylinder() -> da.System:
    """A cube with sides 2 b rocks on a fixed cylinder of radius r, without slipping."""
    (rho,) = da.parameters("rho")
    s, c = da.sin(theta), da.cos(theta)
    centre = ((rho + b) * s - rho * theta * c, (rho + b) * c + rho * theta * s)
    body = da.Body(m, centre, 2 * m * b**2 / 3, -theta)
    return da.System.from_bodies([body], coordinates=[theta], gravity=(0, -g))


def soap_on_a_tilting_plate() -> da.System:
    soap = (x * da.cos(omega * t), x * da.sin(omega * t))
    return da.System.from_particles([m], [soap], coordinates=[x], gravity=(0, -g))


def hoop_about_its_rim() -> da.System:
    turn = omega * t
    bead = (
        R * da.cos(turn) + R * da.cos(turn + phi),
        R * da.sin(turn) + R * da.sin(turn + phi),
    )
    return da.System.from_particles([m], [bead], coordinates=[phi])


def two_carts() -> da.System:
    return da.System(
        coordinates=[x1, x2],
        kinetic=m1 * x1.dot**2 / 2 + m2 * x2.dot**2 / 2,
        potential=k1 * x1**2 / 2 + k2 * (x1 - x2) ** 2 / 2 + k3 * x2**2 / 2,
    )


def three_pendulums() -> da.System:
    q = [phi1, phi2, phi3]
    V = sum((m * g * L * p**2 / 2 for p in q), start=0 * m)
    V = V + k * L**2 * ((phi2 - phi1) ** 2 + (phi3 - phi2) ** 2) / 2
    T = sum((m * L**2 * p.dot**2 / 2 for p in q), start=0 * m)
    return da.System(coordinates=q, kinetic=T, potential=V)


def puck_on_a_turntable() -> da.System:
    T = m * ((x.dot - Omega * y) ** 2 + (y.dot + Omega * x) ** 2) / 2
    return da.System(coordinates=[x, y], kinetic=T)


def pendulum_by_a_constraint() -> da.System:
    return da.System(
        coordinates=[x, y],
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        potential=-m * g * y,
        constraints=[da.sqrt(x**2 + y**2) - l],
    )


def heavy_spring() -> da.System:
    """A spring of mass M whose coils move in proportion to their distance from the fixed end."""
    (s,) = da.parameters("s")
    density = M * (s * x.dot) ** 2 / 2
    # ∫ s² ds from 0 to 1
    return da.System(
        coordinates=[x],
        kinetic=m * x.dot**2 / 2 + density.subs({s: 1}) / 3,
        potential=k * x**2 / 2,
    )


PROBLEMS = [
    Problem(
        "Atwood's machine",
        "chapter 7",
        atwood,
        ("(m1 - m2)g = (m1 + m2)ẍ", "x.ddot = (m1 - m2)/(m1 + m2)*g"),
    ),
    Problem(
        "Atwood's machine with the tension as a multiplier",
        "chapter 7",
        atwood_with_a_constraint,
        (
            ["m1 g + λ1 = m1 ẍ", "m2 g + λ1 = m2 ÿ", "ÿ = -ẍ"],
            "ẍ = (m1 - m2)g/(m1 + m2)",
        ),
    ),
    Problem(
        "Atwood's machine in Hamilton's form",
        "chapter 13",
        atwood,
        (["ẋ = p/(m1 + m2)", "ṗ = (m1 - m2)g"],),
    ),
    Problem(
        "Particle on a cylinder, pulled towards the origin",
        "chapter 7",
        on_a_cylinder,
        (["0 = m R² φ̈", "-k z = m z̈"],),
    ),
    Problem(
        "Two equal masses joined by a spring",
        "chapter 7",
        two_masses_on_a_spring,
        (["2m X'' = 0", "m u'' = -2k u"],),
        where={"X": "(x1 + x2)/2", "u": "x1 - x2 - l"},
    ),
    Problem(
        "Mass on a string that unwinds from a wheel",
        "chapter 7",
        string_on_a_wheel,
        (
            "ẍ = g/(1 + I/(m R²))",
            ["m ẍ = m g + λ1", "I φ̈ = -R λ1", "ẍ = R φ̈"],
        ),
    ),
    Problem(
        "Pendulum in a lift that speeds up",
        "chapter 7",
        pendulum_in_a_lift,
        ("φ̈ = -((g + a)/l) sin φ",),
    ),
    Problem(
        "Small cart on a spring inside a cart that is shaken",
        "chapter 7",
        cart_in_a_cart,
        ("m ẍ = -k x + m A ω² cos(ω t)",),
    ),
    Problem(
        "Pendulum below a cart that is held by a spring",
        "chapter 7",
        pendulum_on_a_sprung_cart,
        (
            [
                "(m + M) ẍ + M L φ̈ cos φ - M L φ̇² sin φ = -k x",
                "M L ẍ cos φ + M L² φ̈ = -M g L sin φ",
            ],
            ["(m + M) ẍ + M (L φ̈ cos φ - L φ̇² sin φ) = -k x", "ẍ cos φ + L φ̈ = -g sin φ"],
        ),
    ),
    Problem(
        "Cube that rocks on a cylinder",
        "chapter 7",
        cube_on_a_cylinder,
        (
            {
                "T": "(1/2) m (b² + rho² θ²) θ̇² + (1/3) m b² θ̇²",
                "V": "m g ((rho + b) cos θ + rho θ sin θ)",
            },
            "(5/3 b² + rho² θ²) θ̈ + rho² θ θ̇² = g (b sin θ - rho θ cos θ)",
        ),
    ),
    Problem(
        "Soap on a plate that tilts at a constant rate",
        "chapter 7",
        soap_on_a_tilting_plate,
        ("ẍ = ω² x - g sin ωt",),
    ),
    Problem(
        "Bead on a hoop that spins in its own plane about a point of the rim",
        "chapter 7",
        hoop_about_its_rim,
        ("φ̈ = -ω² sin φ",),
    ),
    Problem(
        "Two carts and three springs",
        "chapter 11",
        two_carts,
        (
            [
                "m1 ẍ1 = -(k1 + k2) x1 + k2 x2",
                "m2 ẍ2 = k2 x1 - (k2 + k3) x2",
            ],
        ),
    ),
    Problem(
        "Three pendulums coupled by springs, small angles",
        "chapter 11",
        three_pendulums,
        (
            [
                "m L² φ̈1 = -m g L φ1 - k L² φ1 + k L² φ2",
                "m L² φ̈2 = -m g L φ2 - 2 k L² φ2 + k L² (φ1 + φ3)",
                "m L² φ̈3 = -m g L φ3 - k L² φ3 + k L² φ2",
            ],
        ),
    ),
    Problem(
        "Puck on a smooth turntable, seen from the table",
        "chapter 9",
        puck_on_a_turntable,
        (["ẍ = 2 Ω ẏ + Ω² x", "ÿ = -2 Ω ẋ + Ω² y"],),
    ),
    Problem(
        "Pendulum in x and y, with the tension as a multiplier",
        "chapter 7",
        pendulum_by_a_constraint,
        (["λ1 x/l = m ẍ", "m g + λ1 y/l = m ÿ"],),
    ),
    Problem(
        "Mass on a heavy spring",
        "chapter 7",
        heavy_spring,
        ("(m + M/3) x'' = -k x",),
    ),
]
