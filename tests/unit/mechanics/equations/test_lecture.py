"""Equations as a lecturer writes them: the expected lines are written by hand."""

from __future__ import annotations

import pytest

import dalembert as da

x, y, th, X, s = da.coordinates("x y theta X s")
m, M, k, g, l, alpha, v0 = da.parameters("m M k g l alpha v0")
LINE = m * x.dot**2 / 2
PLANE = m * (x.dot**2 + y.dot**2) / 2


def lines(system: da.System) -> list[str]:
    return str(system.equations()).splitlines()


@pytest.mark.parametrize(
    ("dissipation", "line"),
    [
        (k * abs(x.dot) ** 3 / 3, "m ẍ + k |ẋ| ẋ = 0"),
        (k * abs(x.dot) ** 5 / 5, "m ẍ + k |ẋ| ẋ³ = 0"),
        (k * abs(x.dot), "m ẍ + k sign(ẋ) = 0"),
        (k * abs(2 * x.dot) ** 3 / 3, "m ẍ + 8 k |ẋ| ẋ = 0"),
        (k * abs(x.dot - v0) ** 3 / 3, "m ẍ + k |ẋ - v₀| ẋ - k v₀ |ẋ - v₀| = 0"),
    ],
)
def test_drag_is_a_modulus_times_a_speed(dissipation: da.Expr, line: str) -> None:
    """R = k |ẋ|³/3 gave k sign(ẋ) ẋ²/3 + 2 k abs(ẋ) ẋ/3."""
    system = da.System(kinetic=LINE, potential=0, coordinates=[x], dissipation=dissipation)
    assert lines(system) == [line]
    assert all(proof.is_proved for proof in system.equations().prove())


def test_drag_in_a_plane() -> None:
    speed = da.sqrt(x.dot**2 + y.dot**2)
    fall = da.System(
        kinetic=PLANE, potential=m * g * y, coordinates=[x, y], dissipation=k * speed**3 / 3
    )
    assert lines(fall) == [
        "m ẍ + k √(ẋ² + ẏ²) ẋ = 0",
        "m ÿ + k √(ẋ² + ẏ²) ẏ + m g = 0",
    ]


def test_a_spring_that_pulls_by_a_modulus() -> None:
    system = da.System(kinetic=LINE, potential=k * abs(x) ** 3 / 3, coordinates=[x])
    assert lines(system) == ["m ẍ + k x |x| = 0"]


def test_rates_of_functions_of_time_have_dots() -> None:
    length, place = da.function("l")(da.time), da.function("w")(da.time)
    T = m * (da.ddt(length * da.sin(th)) ** 2 + da.ddt(length * da.cos(th)) ** 2) / 2
    V = -m * g * length * da.cos(th)
    pendulum = da.System(kinetic=T, potential=V, coordinates=[th])
    assert lines(pendulum) == ["m l(t)² θ̈ + 2 m l̇ l(t) θ̇ + m g sin(θ) l(t) = 0"]
    moved = da.System(kinetic=m * da.ddt(x + place) ** 2 / 2, potential=0, coordinates=[x])
    assert lines(moved) == ["m ẍ + m ẅ = 0"]
    assert str(da.ddt(place) ** 2) == "ẇ²"
    assert str(da.ddt(da.ddt(da.ddt(place))) ** 2) == "(w⁽³⁾)²"
    assert da.ddt(place).latex() == r"\dot{w}"


def test_denominators_are_positive() -> None:
    """A block slides on a wedge: the common denominator is M + m sin² α."""
    T = M * X.dot**2 / 2 + m * (X.dot**2 + 2 * da.cos(alpha) * X.dot * s.dot + s.dot**2) / 2
    wedge = da.System(kinetic=T, potential=-m * g * s * da.sin(alpha), coordinates=[X, s])
    X_dd, s_dd = wedge.equations().accelerations()
    assert str(X_dd) == "-m g sin(α) cos(α)/(M + m sin²(α))"
    assert str(s_dd) == "(M + m) g sin(α)/(M + m sin²(α))"
    H = str(da.textbook.double_pendulum().equations().hamiltonian())
    assert "D = m₁ + m₂ sin²(θ₁ - θ₂)" in H
    assert "= -m₁" not in H


def test_a_potential_stands_apart_from_momenta() -> None:
    eq = da.textbook.cart_pole().equations().hamiltonian()
    assert str(eq.pdot[1]).endswith("/(l² (m_c + m_p sin²(θ))²) - m_p g l sin(θ)")
    H = str(da.textbook.double_pendulum().equations().hamiltonian()).splitlines()[0]
    assert H.endswith("/(2 m₂ l₁² l₂² D) - (m₁ + m₂) g l₁ cos(θ₁) - m₂ g l₂ cos(θ₂)")
