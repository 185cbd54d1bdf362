"""Prints in the letters of a course: each is explained, and none has two meanings."""

from __future__ import annotations

import pickle

import pytest

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.mechanics.equations.derivation import DerivationStep
from dalembert.mechanics.printed.read_back import check_formulas
from dalembert.reader.page import read_latex

x, y, phi = da.coordinates("x y phi")
m, l, g = da.parameters("m l g")


def form(eq: da.Equations, letters: object) -> DerivationStep:
    steps = eq.derivation(letters=letters).steps  # type: ignore[arg-type]
    return next(s for s in steps if s.title == "Manipulator form")


def bead() -> da.Equations:
    bodies = {"masses": [m], "positions": [(x, y)], "coordinates": [x, y], "gravity": (0, -g)}
    return da.System.from_particles(**bodies, constraints=[x**2 + y**2 - l**2]).equations()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("letters", "written", "lines"),
    [
        ("penn", "D q̈ + C q̇ + φ = Υ + Aᵀλ", ["D", "C", "φ", "Υ"]),
        ("savin", "H q̈ + c = Υ + Fᵀλ", ["H", "c", "Υ"]),
        ("cmu", "M q̈ + C q̇ + N = Υ + Aᵀλ", ["M", "C", "N", "Υ"]),
        ({"M": "B", "C": "N", "N": "G"}, "B q̈ + N q̇ + G = Υ + Aᵀλ", ["B", "N", "G", "Υ"]),
    ],
)
def test_derivations(letters, written, lines):
    eq = bead()
    found = form(eq, letters)
    assert found.sentence.startswith(written)
    assert [line.left for line in found.formulas] == lines
    assert da.equal(found.formulas[0].right, eq.M)
    # c is the whole bias
    if "c" in lines:
        assert da.equal(found.formulas[1].right, eq.bias)
    derivation = eq.derivation(letters=letters)
    assert any("is the mass matrix" in remark for remark in derivation.steps[0].remarks)
    check_formulas([line for step in derivation for line in step.formulas])
    for text in (derivation.latex(), derivation.html(), derivation.typst()):
        assert text


def test_the_multipliers_are_written_in_the_same_letters():
    steps = bead().derivation(letters="savin").steps
    found = next(s for s in steps if s.title == "Multipliers")
    assert "λ = (F H⁻¹ Fᵀ)⁻¹ (F H⁻¹ (c - Υ) - Ḟ q̇)" in found.sentence


def test_latex_names_entries_and_says_what_they_are():
    eq = da.textbook.planar_arm().equations()
    latex = eq.latex(letters="penn")
    assert "D_{11}" in latex
    assert "M_{11}" not in latex
    assert "$D$ is the mass matrix" in latex
    # but for the last line it is the usual print
    assert eq.latex() == eq.with_letters(None).latex()
    assert read_latex(eq.latex(), [*eq.coordinates, *eq.parameters, *da.inputs("tau1 tau2")])


def test_a_letter_of_the_system_has_no_second_meaning():
    # a coordinate called φ: N stays N
    T = m * (x.dot**2 + l**2 * phi.dot**2) / 2
    eq = da.System(kinetic=T, potential=m * g * x, coordinates=[x, phi]).equations()
    assert form(eq, "penn").sentence.startswith("D q̈ + C q̇ + N = Υ")
    # a mass called D: M stays M
    (D,) = da.parameters("D")
    eq = da.System(kinetic=D * x.dot**2 / 2, coordinates=[x]).equations()
    assert form(eq, "penn").sentence.startswith("M q̈ + C q̇ + φ = Υ")


def test_letters_are_kept_with_the_equations():
    eq = da.textbook.planar_arm().equations().with_letters("penn")
    assert pickle.loads(pickle.dumps(eq)).letters == eq.letters
    assert eq.replaced(N=-eq.N).letters == eq.letters


def test_reports_take_letters(tmp_path):
    place = tmp_path / "arm.md"
    da.report.write(da.textbook.rp_arm(), place, letters="penn", progress=False)
    page = place.read_text(encoding="utf-8")
    assert "D q̈ + C q̇ + φ = Υ. D is the mass matrix" in page
    assert "\\phi &= " in page


@pytest.mark.parametrize(
    ("letters", "words"),
    [
        ("pen", "did you mean penn"),
        ({"Q": "M"}, "one of our letters"),
        ({"M": "xy"}, "single letter"),
        ({"M": "N", "C": "N"}, "N twice"),
        (3, "letters of a course"),
    ],
)
def test_letters_that_are_none(letters, words):
    with pytest.raises(DalembertError, match=words):
        bead().latex(letters=letters)
