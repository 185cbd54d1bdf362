"""Bodies that attract each other are derived, proved and printed pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import pytest

import dalembert as da
from dalembert.ring import rebuild
from tests.effort import at_once

m, k, e, s = da.parameters("m k e s")
Potential = Callable[[int, int, da.Expr], da.Expr]


def plane(n: int, potential: Potential, masses: Sequence[da.Expr]) -> da.System:
    """Return n bodies in a plane; ``potential`` is that of two bodies, given their distance²."""
    names = " ".join(f"x{i} y{i}" for i in range(1, n + 1))
    q = da.coordinates(names)
    points = list(zip(q[::2], q[1::2], strict=True))
    V = 0 * m
    for i, j in combinations(range(n), 2):
        (x1, y1), (x2, y2) = points[i], points[j]
        V = V + potential(i, j, (x1 - x2) ** 2 + (y1 - y2) ** 2)
    pairs = zip(masses, points, strict=True)
    T = sum((mass * (x.dot**2 + y.dot**2) / 2 for mass, (x, y) in pairs), 0 * m)
    return da.System(kinetic=T, potential=V, coordinates=list(q))


def stars(n: int) -> tuple[da.System, Sequence[da.Expr]]:
    *masses, G = da.parameters(" ".join(f"m{i}" for i in range(1, n + 1)) + " G")

    def newton(i: int, j: int, d2: da.Expr) -> da.Expr:
        return -G * masses[i] * masses[j] / da.sqrt(d2)

    return plane(n, newton, masses), [*masses, G]


def check_forces(
    eq: da.Equations, values: dict[da.Expr, float], pull: Callable[[int, int, float], float]
) -> None:
    """Compare Σ of forces, each along the line of two bodies, with the equations, in floats."""
    n = len(eq.coordinates) // 2
    P = np.array([values[q] for q in eq.coordinates]).reshape(n, 2)
    F = np.zeros((n, 2))
    for i, j in combinations(range(n), 2):
        d = P[j] - P[i]
        r = float(np.hypot(*d))
        F[i] += pull(i, j, r) * d / r
        F[j] -= pull(i, j, r) * d / r
    found = [rebuild(x).evaluate(values) for x in eq.bias_form]
    assert -np.array(found) == pytest.approx(F.ravel(), rel=1e-11, abs=1e-11 * np.abs(F).max())


@pytest.mark.parametrize("n", range(3, 9))
def test_stars_attract_each_other(n: int, rng) -> None:
    system, (*masses, G) = stars(n)
    eq = at_once(system.equations)
    assert all(proof.is_proved for proof in at_once(eq.prove))
    assert len(at_once(lambda: str(eq))) <= 6000
    values = {x: float(rng.uniform(0.5, 2)) for x in [*masses, G]}
    values |= {q: float(rng.uniform(-5, 5)) for q in eq.coordinates}
    check_forces(
        eq, values, lambda i, j, r: values[G] * values[masses[i]] * values[masses[j]] / r**2
    )


def test_distances_have_names() -> None:
    assert str(stars(3)[0].equations()) == (
        "m₁ ẍ₁ + m₁ m₂ G (x₁ - x₂)/r₁₂³ + m₁ m₃ G (x₁ - x₃)/r₁₃³ = 0\n"
        "m₁ ÿ₁ + m₁ m₂ G (y₁ - y₂)/r₁₂³ + m₁ m₃ G (y₁ - y₃)/r₁₃³ = 0\n"
        "m₂ ẍ₂ + m₁ m₂ G (x₂ - x₁)/r₁₂³ + m₂ m₃ G (x₂ - x₃)/r₂₃³ = 0\n"
        "m₂ ÿ₂ + m₁ m₂ G (y₂ - y₁)/r₁₂³ + m₂ m₃ G (y₂ - y₃)/r₂₃³ = 0\n"
        "m₃ ẍ₃ + m₁ m₃ G (x₃ - x₁)/r₁₃³ + m₂ m₃ G (x₃ - x₂)/r₂₃³ = 0\n"
        "m₃ ÿ₃ + m₁ m₃ G (y₃ - y₁)/r₁₃³ + m₂ m₃ G (y₃ - y₂)/r₂₃³ = 0\n"
        "where r₁₂ = √((x₁ - x₂)² + (y₁ - y₂)²)\n"
        "      r₁₃ = √((x₁ - x₃)² + (y₁ - y₃)²)\n"
        "      r₂₃ = √((x₂ - x₃)² + (y₂ - y₃)²)"
    )


def test_a_letter_has_one_meaning() -> None:
    """A coordinate r keeps its letter: distances are called d."""
    r, x = da.coordinates("r x")
    a, b = da.parameters("a b")
    far = da.sqrt((x - a) ** 2 + (r - b) ** 2)
    V = k / far + k * (far - a) ** 2
    eq = da.System(kinetic=m * (x.dot**2 + r.dot**2) / 2, potential=V, coordinates=[x, r])
    text = str(eq.equations())
    assert "where d = √(" in text
    assert "r = √" not in text
    # here r stands in its acceleration alone
    (z,) = da.coordinates("z")
    V = k / da.sqrt((x - a) ** 2 + (z - b) ** 2)
    T = m * (x.dot**2 + r.dot**2 + z.dot**2) / 2
    eq = da.System(kinetic=T, potential=V, coordinates=[x, r, z]).equations()
    assert str(eq).splitlines()[1:] == [
        "m r̈ = 0",
        "m z̈ + k (b - z)/d³ = 0",
        "where d = √((x - a)² + (z - b)²)",
    ]
    assert all(proof.is_proved for proof in eq.prove())


def test_the_restricted_three_body_problem() -> None:
    x, y = da.coordinates("x y")
    (mu,) = da.parameters("mu")
    V = -(1 - mu) / da.sqrt((x + mu) ** 2 + y**2) - mu / da.sqrt((x - 1 + mu) ** 2 + y**2)
    T = ((x.dot - y) ** 2 + (y.dot + x) ** 2) / 2
    eq = da.System(kinetic=T, potential=V, coordinates=[x, y]).equations()
    assert str(eq).splitlines()[1:] == [
        "ÿ + 2 ẋ - y + (1 - μ) y/r₁³ + μ y/r₂³ = 0",
        "where r₁ = √((μ + x)² + y²)",
        "      r₂ = √((μ + x - 1)² + y²)",
    ]


def test_two_charges_on_a_line() -> None:
    (x,) = da.coordinates("x")
    a1, a2 = da.parameters("a1 a2")
    V = k / (x - a1) + k / (x - a2)
    eq = da.System(kinetic=m * x.dot**2 / 2, potential=V, coordinates=[x]).equations()
    assert str(eq) == "m ẍ - k/(x - a₁)² - k/(x - a₂)² = 0"


def test_two_charges_in_a_plane() -> None:
    x, y = da.coordinates("x y")
    a1, a2, b1, b2 = da.parameters("a1 a2 b1 b2")
    V = sum(k / da.sqrt((x - a) ** 2 + (y - b) ** 2) for a, b in ((a1, b1), (a2, b2)))
    T = m * (x.dot**2 + y.dot**2) / 2
    eq = da.System(kinetic=T, potential=V, coordinates=[x, y]).equations()
    assert all(proof.is_proved for proof in eq.prove())
    assert len(str(eq)) <= 200


@pytest.mark.parametrize("n", [3, 6])
def test_atoms_by_lennard_jones(n: int, rng) -> None:
    """V = 4 e ((s/r)¹² - (s/r)⁶), so the pull is 24 e ((s/r)⁶ - 2 (s/r)¹²)/r."""

    def lennard_jones(_i: int, _j: int, d2: da.Expr) -> da.Expr:
        return 4 * e * (s**12 / d2**6 - s**6 / d2**3)

    eq = at_once(plane(n, lennard_jones, [m] * n).equations)
    assert all(proof.is_proved for proof in at_once(eq.prove))
    assert len(at_once(lambda: str(eq))) <= 140 * n * (n - 1)
    values = {m: 1.0, e: 1.3, s: 1.1} | {q: float(rng.uniform(-5, 5)) for q in eq.coordinates}

    def pull(_i: int, _j: int, r: float) -> float:
        return 24 * 1.3 * ((1.1 / r) ** 6 - 2 * (1.1 / r) ** 12) / r

    check_forces(eq, values, pull)


def test_atoms_on_a_line() -> None:
    x1, x2 = da.coordinates("x1 x2")
    u = s / (x2 - x1)
    V = 4 * e * (u**12 - u**6)
    T = m * (x1.dot**2 + x2.dot**2) / 2
    eq = da.System(kinetic=T, potential=V, coordinates=[x1, x2]).equations()
    assert str(eq) == (
        "m ẍ₁ - 48 e s¹²/(x₁ - x₂)¹³ + 24 e s⁶/(x₁ - x₂)⁷ = 0\n"
        "m ẍ₂ + 48 e s¹²/(x₁ - x₂)¹³ - 24 e s⁶/(x₁ - x₂)⁷ = 0"
    )


def test_a_spring_from_a_point() -> None:
    x, y = da.coordinates("x y")
    l, g = da.parameters("l g")
    V = k * (da.sqrt(x**2 + y**2) - l) ** 2 / 2 + m * g * y
    T = m * (x.dot**2 + y.dot**2) / 2
    eq = da.System(kinetic=T, potential=V, coordinates=[x, y]).equations()
    assert str(eq) == ("m ẍ + k x (1 - l/√(x² + y²)) = 0\nm ÿ + m g + k y (1 - l/√(x² + y²)) = 0")


def beads(n: int, distance: Callable[[da.Expr, da.Expr], da.Expr]) -> list[str]:
    """Return the equations of n charged beads on a ring of radius R, by their distances."""
    Q, R = da.parameters("Q R")
    angles = da.coordinates(" ".join(f"theta{i}" for i in range(1, n + 1)))
    V = sum((k * Q**2 / distance(u, v) for u, v in combinations(angles, 2)), 0 * m)
    T = sum((m * R**2 * x.dot**2 / 2 for x in angles), 0 * m)
    eq = da.System(kinetic=T, potential=V, coordinates=list(angles)).equations()
    return str(eq).splitlines()


def test_beads_on_a_ring() -> None:
    """Places, or the law of cosines: the root kept its 2 outside."""
    (R,) = da.parameters("R")

    def by_places(u: da.Expr, v: da.Expr) -> da.Expr:
        (x1, y1), (x2, y2) = ((R * da.cos(w), R * da.sin(w)) for w in (u, v))
        return da.sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2)

    expected = [
        "m R² θ̈₁ - k Q² R² sin(θ₁ - θ₂)/r₁₂³ = 0",
        "m R² θ̈₂ + k Q² R² sin(θ₁ - θ₂)/r₁₂³ = 0",
        "where r₁₂ = √(2 R² (1 - cos(θ₁ - θ₂)))",
    ]
    assert beads(2, by_places) == expected
    assert beads(2, lambda u, v: da.sqrt(2 * R**2 * (1 - da.cos(u - v)))) == expected
    assert len("\n".join(beads(5, by_places))) <= 1050
    assert beads(2, lambda u, v: 2 * R * da.sin((v - u) / 2))[0] == (
        "m R² θ̈₁ + k Q² cos((θ₁ - θ₂)/2)/(4 R sin²((θ₁ - θ₂)/2)) = 0"
    )


def test_brackets_of_one_equation_have_one_sign() -> None:
    def lennard_jones(_i: int, _j: int, d2: da.Expr) -> da.Expr:
        return 4 * e * (s**12 / d2**6 - s**6 / d2**3)

    assert str(plane(2, lennard_jones, [m] * 2).equations()).splitlines()[0] == (
        "m ẍ₁ + 48 e s¹² (x₂ - x₁)/r₁₂¹⁴ - 24 e s⁶ (x₂ - x₁)/r₁₂⁸ = 0"
    )


def test_a_screened_charge_in_a_plane() -> None:
    """r² below the line was written (x² + y²)^(1/1)."""
    x, y = da.coordinates("x y")
    (a,) = da.parameters("a")
    r = da.sqrt(x**2 + y**2)
    T = m * (x.dot**2 + y.dot**2) / 2
    eq = da.System(kinetic=T, potential=k * da.exp(-r / a) / r, coordinates=[x, y]).equations()
    assert "^(1/1)" not in str(eq)
    assert r"\sqrt[1]" not in eq.latex()
