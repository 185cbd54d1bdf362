"""Proofs: what they say, and that they refute what is wrong."""

from __future__ import annotations

from itertools import pairwise

import pytest

import dalembert as da
from dalembert.mechanics.proofs import coriolis, mass_matrix

SYSTEMS = [
    name
    for name in da.textbook.__all__
    if name not in ("block", "planar_chain", "robots", "rp_arm_positions")
]


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_textbook_system_is_proved(name: str) -> None:
    proofs = getattr(da.textbook, name)().equations().prove()
    assert [p.statement for p in proofs if not p.is_proved] == []
    assert len(proofs) >= 8


def test_proof_prints_statement_hypotheses_and_method() -> None:
    proofs = da.textbook.planar_arm().equations().prove()
    text = str(next(p for p in proofs if p.statement == "M ⪰ 0"))
    assert text.startswith("✓ M ⪰ 0  [m₁ ≥ 0; I₁ ≥ 0; m₂ ≥ 0; I₂ ≥ 0]")
    assert "Gram matrix" in text


def test_refutation_carries_a_point_where_the_statement_fails() -> None:
    eq = da.textbook.rp_arm().equations()
    wrong = eq.replaced(C=eq.C * 2)
    refuted = [p for p in wrong.prove() if p.verdict == "refuted"]
    skew = next(p for p in refuted if "skew" in p.statement)
    assert skew.counterexample is not None
    S = (eq.M.ddt() - wrong.C * 2) + (eq.M.ddt() - wrong.C * 2).T
    values = {x: float(v) for x, v in skew.counterexample.items()}
    missing = {x: 0.7 for e in S for x in e.symbols if x not in values}
    assert abs(S.evaluate({**values, **missing})).max() > 1e-9
    assert "refuted: the two sides differ in entry (1, 1) by" in str(skew)
    assert "for example at l = " in str(skew)


def test_indefinite_kinetic_energy_is_refuted() -> None:
    x, y = da.coordinates("x y")
    eq = da.System(kinetic=x.dot**2 / 2 - y.dot**2 / 2, coordinates=[x, y]).equations()
    verdicts = {p.statement: p.verdict for p in eq.prove()}
    assert verdicts["M ⪰ 0"] == "refuted"


def test_kinetic_energy_that_is_not_written_as_squares() -> None:
    """The pivots l₁², l₂² sin² show it: M of the double pendulum, expanded by hand."""
    t1, t2 = da.coordinates("t1 t2")
    m, l1, l2 = da.parameters("m l1 l2")
    T = m * (l1**2 * t1.dot**2 + l2**2 * t2.dot**2) / 2
    T = T + m * l1 * l2 * da.cos(t1 - t2) * t1.dot * t2.dot
    proofs = {
        p.statement: p for p in da.System(kinetic=T, coordinates=[t1, t2]).equations().prove()
    }
    assert proofs["M ⪰ 0"].verdict == "proved"
    assert "minors" in proofs["M ⪰ 0"].method


def test_massless_coordinate_is_named_by_its_direction() -> None:
    x, y = da.coordinates("x y")
    (m,) = da.parameters("m")
    eq = da.System(kinetic=m * (x.dot + y.dot) ** 2 / 2, coordinates=[x, y]).equations()
    proof = next(p for p in eq.prove() if p.statement == "M ≻ 0")
    assert proof.verdict == "refuted"
    assert "annihilates" in proof.method


def test_derivation_steps_are_in_the_lecturers_order() -> None:
    derivation = da.textbook.rp_arm_maximal().equations().derivation()
    titles = [step.title for step in derivation.steps]
    order = ["Coordinates", "Positions", "Velocities", "Energies", "Lagrangian", "Constraints"]
    places = [titles.index(title) for title in order]
    assert all(i < j for i, j in pairwise(places))
    assert titles[-3:] == ["Manipulator form", "Multipliers", "Properties"]
    assert titles.count("Equation of φ₁") == 1
    assert all(step.sentence.endswith(".") for step in derivation)
    text, markdown = derivation.text(), derivation.markdown()
    assert "1. Coordinates" in text
    assert markdown.count("$$") % 2 == 0
    assert markdown.count("\\begin{aligned}") == markdown.count("\\end{aligned}")


def test_equations_show_themselves_in_notebooks() -> None:
    eq = da.textbook.particle().equations()
    assert eq._repr_latex_().startswith("$\\displaystyle \\begin{aligned}")
    assert eq.M._repr_latex_() == "$\\displaystyle \\begin{bmatrix} m \\end{bmatrix}$"
    assert eq.M[0]._repr_latex_() == "$\\displaystyle m$"


@pytest.mark.parametrize("error", [da.TooLarge, da.Undecided])
def test_a_statement_out_of_reach_is_undecided_and_leaves_the_others(error, monkeypatch) -> None:
    def refused(*_: object) -> None:
        raise error("expected a small form, got a large one")

    usual = [p.statement for p in da.textbook.cart_pole().equations().prove()]
    monkeypatch.setattr(coriolis, "coriolis_by_kronecker", refused)
    monkeypatch.setattr(mass_matrix, "gram_sum", refused)
    proofs = da.textbook.cart_pole().equations().prove()
    assert len(proofs) == len(usual)
    undecided = [p for p in proofs if p.verdict == "undecided"]
    assert any(p.statement.startswith("C q̇ from Christoffel symbols") for p in undecided)
    reasons = {p.statement[:3]: p.method for p in undecided}
    assert "expected a small form" in reasons["C q̇"[:3]]
    assert "expected a small form" in reasons["M ⪰"]
    assert "rests on M ⪰ 0" in reasons["M ≻"]


def test_a_refutation_says_where_the_sides_differ_and_in_the_letters_of_the_equations() -> None:
    eq = da.textbook.planar_arm().equations()
    M = da.Matrix([[eq.M[0, 0], 2 * eq.M[0, 1]], [eq.M[1, 0], eq.M[1, 1]]])
    refuted = {p.statement: str(p) for p in eq.replaced(M=M).prove() if p.verdict == "refuted"}
    symmetric = refuted["M is symmetric"]
    assert "differ in entry (1, 2) by m₂ (a_c₂² + a₁ a_c₂ c₂) + I₂, for example at" in symmetric
    assert "q₂ = " in symmetric
    (lagrange,) = (text for name, text in refuted.items() if name.startswith("M q̈ + C q̇ + N = d"))
    assert "differ in the equation of q₁ by" in lagrange
    assert "q̈₂ = " in lagrange
    energies = eq.replaced(T=2 * eq.T).prove()
    (described,) = (p for p in energies if p.statement.startswith("T, V, L, R"))
    assert "differ in T by" in described.method
