"""Formulas on pages: terms by their kinds, and Python that builds them again."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

import dalembert as da
from dalembert.mechanics.equations.documents import html_formula
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.mechanics.printed import copied
from dalembert.mechanics.printed.copied import python_code
from dalembert.typeset.render.kinds import KINDS, Rates, kind_of

(x,) = da.coordinates("x")
NAMES = ("cart_pole", "double_pendulum", "driven_pendulum", "furuta_pendulum", "rolling_disc")


def lines(eq: da.Equations) -> list[DerivationLine]:
    """Return the equations of motion as lines."""
    return [line for step in eq.derivation() for line in step.formulas if line.left_tree]


def run(code: str) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(code, names)
    return names


@pytest.mark.parametrize("name", NAMES)
def test_copied_python_builds_the_same_equations(name: str) -> None:
    eq = getattr(da.textbook, name)().equations()
    code = python_code(lines(eq))
    assert code is not None
    found = run(code)
    q, qdd = da.Matrix.column(eq.velocities), da.Matrix.column([x.dot for x in eq.velocities])
    reaction = eq.A.T @ da.Matrix.column(eq.lam) if eq.lam else da.Matrix.zeros(len(qdd.rows), 1)
    expected = eq.M @ qdd + eq.C @ q + eq.N - eq.forces - reaction
    # equations may be divided by a common factor: compare ratios with one of the terms
    for k, row in enumerate(expected, 1):
        difference = found[f"left_{k}"] - found[f"right_{k}"]  # type: ignore[operator]
        ratio = (difference / row).subs({})
        assert da.equal(difference, row) or not ratio.diff(eq.velocities[0]).symbols


def test_copied_matrices_are_the_matrices() -> None:
    eq = da.textbook.planar_arm().equations()
    code = python_code([DerivationLine("M", "M", eq.M), DerivationLine("N", "N", eq.N)])
    assert code is not None
    found = run(code)
    assert da.equal(found["M"], eq.M)  # type: ignore[arg-type]
    assert da.equal(found["N"], eq.N)  # type: ignore[arg-type]


def test_python_has_roots_fractions_time_and_names_of_its_own() -> None:
    (x,), (a, lam) = da.coordinates("x"), da.parameters("a lam")
    e = da.sqrt(a) * x**3 / 7 + (a + 1) ** Fraction(2, 3) * da.time - da.pi * lam * da.tanh(x.dot)
    code = python_code([DerivationLine("f₁", "f_1", e)])
    assert code is not None
    assert da.equal(run(code)["f1"], e)  # type: ignore[arg-type]
    u = da.function("U")
    code = python_code([DerivationLine("f", "f", u(x) * x)])
    assert code is not None
    assert da.equal(run(code)["f"], u(x) * x)  # type: ignore[arg-type]
    # derivatives of such a function have no name in Python
    assert python_code([DerivationLine("f", "f", u(x).diff(x))]) is None


@pytest.mark.parametrize(
    "e",
    [
        da.Matrix([[Fraction(1, 3), x], [0, Fraction(-22, 7)]]),
        da.sqrt(3) ** 3 * x / 2 + da.sqrt(2),
        x + Fraction(1, 10**15),
    ],
    ids=["matrix", "roots", "small"],
)
def test_numbers_stay_exact(e: da.Expr | da.Matrix) -> None:
    """1 / 3 and 3 ** 0.5 were floats."""
    code = python_code([DerivationLine("f", "f", e)])
    assert code is not None
    assert da.equal(run(code)["f"], e)  # type: ignore[arg-type]


def test_names_that_python_or_the_text_has_are_not_copied() -> None:
    own, keyword, t = da.parameters("Fraction lambda t")
    for e in (own * x, keyword * x, t * x * da.time):
        assert python_code([DerivationLine("f", "f", e)]) is None
    # M would be another thing in the second line
    (M,) = da.parameters("M")
    assert python_code([DerivationLine(n, n, M * x) for n in ("M", "N")]) is None


def stars() -> da.Equations:
    (y,), (m, k, a, b) = da.coordinates("y"), da.parameters("m k a b")
    V = k / da.sqrt((x - a) ** 2 + (y - b) ** 2)
    T = m * (x.dot**2 + y.dot**2) / 2
    return da.System(kinetic=T, potential=V, coordinates=[x, y]).equations()


def test_distances_are_built_before_they_are_used() -> None:
    eq = stars()
    first, second = (step for step in eq.derivation() if step.title.startswith("Equation of"))
    # its letter is explained after the last equation
    assert python_code(first.formulas) is None
    code = python_code(second.formulas)
    assert code is not None
    found = run(code)
    assert da.equal(found["left_1"], eq.residual[1])  # type: ignore[arg-type]


def test_a_derivation_says_what_distances_are() -> None:
    """They were called entries of the mass matrix."""
    text = stars().derivation().text()
    assert text.count("r = √((x - a)² + (y - b)²)") == 1
    assert "mass matrix" not in text
    assert "M₁₁, M₁₂" in da.textbook.pinned_three_link().equations().derivation().text()


@pytest.mark.parametrize(
    ("old", "new"), [("sin", "cos"), ("/ 3", "/ 4"), ("da.sin", "os.remove"), ("x", "1 / 3")]
)
def test_a_wrong_copy_is_no_copy(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = copied._RENDER
    monkeypatch.setattr(copied, "_RENDER", lambda tree: right(tree).replace(old, new))
    with pytest.raises(da.EvaluationError, match="nothing is written"):
        python_code([DerivationLine("f", "f", da.sin(x) / 3)])


def test_every_term_has_the_class_of_its_kind() -> None:
    x, y = da.coordinates("x y")
    m, b, g, k = da.parameters("m b g k")
    (F,) = da.inputs("F")
    system = da.System(
        kinetic=m * (x.dot**2 + x**2 * y.dot**2) / 2,
        potential=m * g * x + k * x**2 / 2,
        dissipation=b * x.dot**2 / 2,
        coordinates=[x, y],
        forces=[F, 0],
        constraints=[x - y],
    )
    first, second = (html_formula(line) for line in lines(system.equations()))
    assert re.findall('class="([a-z]+)"', first) == [
        *("inertia", "coriolis", "gravity", "gravity", "gravity"),
        *("applied", "constraint"),
    ]
    assert re.findall('class="([a-z]+)"', second) == ["inertia", "coriolis", "constraint"]


def test_terms_in_a_bracket_of_several_kinds_are_told_apart() -> None:
    assert kind_of([Rates(1), Rates(0, 2)]) is None
    assert kind_of([Rates(0, 1)]) == "gravity"
    assert kind_of([Rates(0, 1, 1), Rates(inputs=1)]) == "applied"
    assert kind_of([Rates()], "applied") == "applied"


def luminance(color: str) -> float:
    """Return the relative luminance of WCAG 2.2."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def test_colours_can_be_read_on_light_and_dark_pages() -> None:
    for look in KINDS.values():
        assert 1.05 / (luminance(look.light) + 0.05) >= 4.5
        assert (luminance(look.dark) + 0.05) / (luminance("#14181f") + 0.05) >= 4.5
