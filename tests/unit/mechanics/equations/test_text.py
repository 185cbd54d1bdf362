"""Printed equations: one notation for all objects of a system, terms in the order of reading."""

from __future__ import annotations

from fractions import Fraction

import dalembert as da
from dalembert.mechanics.equations.graph_form import graph_form
from dalembert.typeset.render.text import width
from tests.effort import at_once

q1, q2, p1, x, theta = da.coordinates("q1 q2 p1 x theta")
m, l, g, c1, b, k = da.parameters("m l g c1 b k")
F, tau = da.inputs("F tau")
sin, cos = da.sin, da.cos


def pendulums(first: da.Expr, second: da.Expr, damping: da.Expr | int = 0) -> da.Equations:
    """Return the equations of two pendulums, the second hanging from the first."""
    X, Y = l * sin(first), -l * cos(first)
    X2, Y2 = X + l * sin(second), Y - l * cos(second)
    T = m * (X.dot**2 + Y.dot**2 + X2.dot**2 + Y2.dot**2) / 2
    return da.System(
        kinetic=T,
        potential=m * g * (Y + Y2),
        dissipation=damping * first.dot**2 / 2,
        coordinates=[first, second],
    ).equations()


def faces(eq: da.Equations) -> str:
    """Return all that the equations print, in text and LaTeX."""
    derivation = eq.derivation()
    parts = [str(eq), eq.latex(), str(eq.M), eq.C.latex(), str(eq.N), str(eq.N.T), str(derivation)]
    return "\n".join([*parts, derivation.markdown()])


def test_a_short_sine_has_one_meaning_in_a_system() -> None:
    printed = faces(pendulums(q1, p1))
    assert "s₁" not in printed
    assert "s_{1}" not in printed
    assert "sin(p₁)" in printed
    assert "sin(q₁)" in printed


def test_short_and_long_sines_are_not_mixed_in_a_system() -> None:
    assert "cos(q" not in str(pendulums(q1, q2)).split("where")[0]
    assert "c₁₋₂" in str(pendulums(q1, q2))
    assert not any(short in faces(pendulums(q1, theta)) for short in ("s₁", "c₁", "s_{1}"))


def test_a_damping_called_c1_keeps_its_letter() -> None:
    eq = pendulums(q1, q2, damping=c1)
    assert "c₁ q̇₁" in str(eq)
    assert "cos(q₁ - q₂)" in str(eq.M)
    assert "c₁₋₂" not in faces(eq)


def test_the_legend_stands_where_a_short_form_is_used() -> None:
    assert str(pendulums(q1, q2)).endswith(
        "where s₁ = sin(q₁), s₂ = sin(q₂), c₁₋₂ = cos(q₁ - q₂), s₁₋₂ = sin(q₁ - q₂)"
    )
    assert r"s_{1} = \sin q_{1}" in pendulums(q1, q2).latex()
    assert "Short forms: s₁ = sin(q₁)" in str(pendulums(q1, q2).derivation())
    assert "where" not in str(pendulums(q1, theta))


def test_accelerations_come_in_the_order_of_the_coordinates() -> None:
    # a cart with a pendulum, its angle listed first; by name x would come before θ
    eq = da.System(
        kinetic=m * x.dot**2 / 2
        + m * (x.dot**2 + 2 * l * cos(theta) * x.dot * theta.dot) / 2
        + m * l**2 * theta.dot**2 / 2,
        potential=k * x**2 / 2 - m * g * l * cos(theta),
        dissipation=b * x.dot**2 / 2,
        coordinates=[theta, x],
        forces=[0, F],
    ).equations()
    assert str(eq).splitlines() == [
        "m l² θ̈ + m l cos(θ) ẍ + m g l sin(θ) = 0",
        "m l cos(θ) θ̈ + 2 m ẍ - m l sin(θ) θ̇² + b ẋ + k x = F",
    ]
    assert r"m l \cos \theta \, \ddot{\theta} + 2 m \ddot{x}" in eq.latex()
    assert "m l cos(θ) θ̈ + 2 m ẍ" in str(eq.derivation())


def test_every_acceleration_has_its_own_coefficient() -> None:
    # a long rod on two carts: M has equal rows, which are not written (m + …) (ẍ + θ̈)
    y = da.coordinates("y")[0]
    inertia = m * l**2 / 3 + b * k
    eq = da.System(
        kinetic=inertia * (x.dot + y.dot) ** 2 / 2 + m * x.dot**2 / 2, coordinates=[x, y]
    ).equations()
    assert str(eq).splitlines()[1] == "(m l²/3 + b k) ẍ + (m l²/3 + b k) ÿ = 0"


def test_constraints_and_energies_are_kept_as_typed() -> None:
    x1, y1, x2, y2 = da.coordinates("x1 y1 x2 y2")
    eq = da.System(
        kinetic=m * (x1.dot**2 + y1.dot**2 + x2.dot**2 + y2.dot**2) / 2,
        potential=k * (da.sqrt(x2**2 + y2**2) - l) ** 2 / 2,
        coordinates=[x1, y1, x2, y2],
        constraints=[x1**2 + y1**2 - l**2, (x1 - x2) ** 2 + (y1 - y2) ** 2 - l**2],
    ).equations()
    printed = str(eq)
    assert "with x₁² + y₁² - l² = 0" in printed
    assert "(x₁ - x₂)² + (y₁ - y₂)² - l² = 0" in printed
    assert "V = k (√(x₂² + y₂²) - l)²/2" in str(eq.derivation())


def test_velocity_terms_of_an_equation_keep_their_coefficients() -> None:
    # a crane: M and C are read off the line, so m is not pulled out of the velocity terms
    r = da.coordinates("r")[0]
    X, Y = x + r * sin(theta), -r * cos(theta)
    eq = da.System(
        kinetic=m * (X.dot**2 + Y.dot**2) / 2 + b * x.dot**2 / 2,
        potential=m * g * Y,
        coordinates=[x, r, theta],
        forces=[F, 0, 0],
    ).equations()
    assert str(eq).splitlines()[0] == (
        "(m + b) ẍ + m sin(θ) r̈ + m r cos(θ) θ̈ + 2 m cos(θ) ṙ θ̇ - m r sin(θ) θ̇² = F"
    )


def test_closed_forms_start_with_a_positive_term() -> None:
    y, z = da.coordinates("y z")
    eq = da.System(
        kinetic=m * (x.dot**2 + y.dot**2 + z.dot**2) / 2,
        potential=m * g * z,
        coordinates=[x, y, z],
        constraints=[x**2 + y**2 + z**2 - l**2],
    ).equations()
    assert str(eq.multipliers()[0]) == "m (g z - ẋ² - ẏ² - ż²)/(2 (x² + y² + z²))"


def test_large_equations_are_written_with_what_the_lagrangian_shares() -> None:
    eq = da.textbook.planar_chain(7).equations()
    printed = at_once(lambda: str(eq))
    lines = printed.splitlines()
    assert lines[0].startswith("M₁₁ q̈₁ + M₁₂ q̈₂ + ")
    assert max(map(width, lines)) <= 160
    assert len(printed) < 12_000


def test_parts_of_large_equations_have_letters_of_their_own() -> None:
    """The coordinate u₁ stands in its acceleration alone."""
    chain = da.textbook.planar_chain(7)
    (u1,) = da.coordinates("u1")
    eq = da.System(
        kinetic=chain.kinetic + u1.dot**2 / 2,
        potential=chain.potential,
        coordinates=[*chain.coordinates, u1],
    ).equations()
    printed = at_once(lambda: str(eq))
    assert "M₈₈ ü₁ + h₈ = 0" in printed
    assert "  u₁ = " not in printed
    assert "  w₁ = " in printed


def test_graphs_are_the_equations() -> None:
    eq = da.textbook.planar_chain(3).equations()
    graphs = graph_form(eq)
    assert graphs is not None
    assert all(da.equal(x, eq.M[i, j]) for i, row in enumerate(graphs.M) for j, x in enumerate(row))
    assert da.equal(da.Matrix.column(graphs.h), eq.bias)
    # a claim is printed as it stands, not from the Lagrangian
    assert graph_form(eq.replaced(N=-eq.N)) is None
    assert graph_form(eq.replaced(M=2 * eq.M)) is None
    # exactly: no claim is near enough
    assert graph_form(eq.replaced(N=eq.N * (1 + Fraction(1, 10**15)))) is None
    assert graph_form(eq.replaced(M=eq.M * 1, N=eq.N * 1)) is not None


def test_graphs_with_quotients_are_the_equations_too() -> None:
    x, y = da.coordinates("x y")
    m, k = da.parameters("m k")
    T = m * (x.dot**2 + y.dot**2 * da.sin(x) ** 2) / (2 * (1 + k * y**2))
    eq = da.System(kinetic=T, potential=k / (2 + da.cos(x)), coordinates=[x, y]).equations()
    assert graph_form(eq) is not None
    assert graph_form(eq.replaced(N=eq.N * (1 + Fraction(1, 10**15)))) is None


def test_a_seven_joint_arm_prints_at_once() -> None:
    eq = da.textbook.robots.iiwa14().equations()
    lines = at_once(lambda: str(eq)).splitlines()
    assert lines[6].startswith("M₁₇ q̈₁ + M₂₇ q̈₂ + ")
    assert lines[6].endswith(" + h₇ = τ₇")
    assert "terms⟩" not in "".join(lines)
