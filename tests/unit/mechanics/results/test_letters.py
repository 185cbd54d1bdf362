"""One letter never has two meanings: where a person took ours, ours is written in script."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.mechanics.printed.read_back import fault_of_latex, fault_of_mathml, fault_of_text
from dalembert.mechanics.printed.statement import fault_of_equations
from dalembert.typeset.parts.letters import free_letter, names_in, own_letter
from dalembert.typeset.printer import mathml

a, b, c, x, phi = da.coordinates("a b c x phi")
M, m, l, g, R, H, k, p_phi, L, T, V, C, A = da.parameters("M m l g R H k p_phi L T V C A")
sin, cos = da.sin, da.cos


def heads(text: str) -> list[str]:
    """Return what stands to the left of the equals signs."""
    return [line.split(" = ")[0].strip() for line in text.split("\n") if " = " in line]


def machine() -> da.Equations:
    """Three coordinates with entries of the mass matrix that are too long for their line."""
    first = m * l * cos(b) * (1 + sin(c) + cos(c + b) + sin(a + c))
    second = m * l * R * (cos(a) + sin(b + c) + 2 * cos(b - c))
    kinetic = (M * a.dot**2 + m * l**2 * b.dot**2 + m * R**2 * c.dot**2) / 2
    kinetic += first * a.dot * b.dot + second * b.dot * c.dot
    return da.System(
        kinetic=kinetic, potential=-m * g * l * cos(b), coordinates=[a, b, c]
    ).equations()


def test_a_mass_is_called_m_and_the_mass_matrix_is_not() -> None:
    eq = machine()
    text = str(eq)
    assert "M ä" in text
    assert "ℳ₁₂ b̈" in text
    assert "M₁₂" not in text
    assert r"\mathcal{M}_{12} = " in eq.latex()
    assert fault_of_equations(eq) == ""
    matrix = eq.M
    assert fault_of_text(matrix, str(matrix)) == ""
    assert fault_of_latex(matrix, matrix.latex()) == ""
    assert fault_of_mathml(matrix, mathml(matrix)) == ""
    derivation = eq.derivation().text()
    assert "ℳ" in heads(derivation)
    assert "in statements M is ℳ, R is ℛ of the steps above." in derivation


def test_without_a_mass_m_the_mass_matrix_is_m() -> None:
    eq = da.textbook.rp_arm().equations()
    assert {"M", "C", "N", "T", "V", "L"} <= set(heads(eq.derivation().text()))


def test_letters_of_a_derivation() -> None:
    """T is a tension, V a voltage, C a capacity, L an inductance, R a resistance."""
    eq = da.System(
        kinetic=L * x.dot**2 / 2,
        potential=x**2 / (2 * C) - V * x + T * x,
        dissipation=R * x.dot**2 / 2,
        coordinates=[x],
    ).equations()
    derivation = eq.derivation()
    text = derivation.text()
    assert {"𝒯", "𝒱", "ℛ", "ℒ", "M", "𝒞", "N"} <= set(heads(text))
    assert not {"T", "V", "R", "L", "C"} & set(heads(text))
    assert "ℒ = 𝒯 - 𝒱." in text
    assert r"\mathcal{L} = \mathcal{T} - \mathcal{V}" in derivation.latex("test")
    assert derivation.html("test").count("ℒ") > 3


def test_hamiltonian_and_momenta() -> None:
    system = da.System(
        kinetic=m * (x.dot**2 + (R + x) ** 2 * phi.dot**2) / 2,
        potential=H * x**2 / 2 + p_phi * x,
        coordinates=[x, phi],
    )
    form = system.equations().hamiltonian()
    assert heads(str(form))[0] == "ℋ"
    assert [str(p) for p in form.momenta] == ["p_x", "P_φ"]
    reduced = system.equations().routh()
    assert "ℛ" in heads(str(reduced))
    assert [str(p) for p in reduced.momenta] == ["P_φ"]
    assert da.equal(reduced.momenta[0] * 0 + reduced.routhian.diff("P_phi"), -reduced.rates[0])


@pytest.mark.parametrize(
    ("letter", "names", "found"),
    [
        ("M", ["m", "Mass", "m_M"], "M"),
        ("M", ["M"], "ℳ"),
        ("M", ["M1"], "ℳ"),
        ("H", ["H_0"], "ℋ"),
        ("lam", ["lam"], "w"),
    ],
)
def test_own_letters(letter: str, names: list[str], found: str) -> None:
    assert own_letter(letter, names) == found


def test_functions_without_a_definition_keep_their_letter() -> None:
    """A sum was called w beside the drive w(t)."""
    w = da.function("w")
    assert free_letter(names_in([w(da.time), *da.parameters("u z")])) == "a"
