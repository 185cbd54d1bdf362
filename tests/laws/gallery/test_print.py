"""The printed equations of the gallery: no line leaves the page, no short form without a legend."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import dalembert as da
from dalembert.ring import canonical, ring_of
from dalembert.typeset.printer import mathml, text
from tests.laws.gallery.exhibits import exhibits
from tests.laws.gallery.test_every_system import PAGES

ENGINES = ("pdflatex", "xelatex")
HEAD = r"\documentclass[10pt,a4paper]{article}\usepackage[margin=2cm]{geometry}\usepackage{amsmath}"
# points: what an eye sees
VISIBLE = 2.0
# equations that are broken, and constraints
WIDE = ("machines", "Planar 3-RRR robot")


@pytest.fixture(scope="module")
def latex() -> str:
    """Return all equations as displayed formulas."""
    found = [eq.latex() for page in PAGES for eq in exhibits(page).values()]
    return "\n".join(f"\\[\n{text}\n\\]" for text in found)


def test_no_line_leaves_the_page(latex: str, tmp_path: Path) -> None:
    engine = next(filter(None, map(shutil.which, ENGINES)), None)
    if engine is None:
        pytest.skip(f"none of {', '.join(ENGINES)} is installed")
    source = f"{HEAD}\\allowdisplaybreaks\\begin{{document}}\n{latex}\n\\end{{document}}\n"
    (tmp_path / "page.tex").write_text(source, encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    log = (tmp_path / "page.log").read_text(encoding="utf-8", errors="replace")
    too_wide = [float(x) for x in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide", log)]
    assert [x for x in too_wide if x > VISIBLE] == []


def test_a_right_side_of_zero_stands_on_a_line_with_more(latex: str) -> None:
    assert not re.search(r"^&[ \\quad]*= 0", latex, flags=re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_text_lines_are_short(page: str) -> None:
    for title, eq in exhibits(page).items():
        assert max(map(len, str(eq).splitlines())) <= 200, title


@pytest.mark.parametrize("page", PAGES)
def test_short_sines_have_a_legend(page: str) -> None:
    for title, eq in exhibits(page).items():
        text = str(eq)
        if text.endswith("…"):  # the legend of a long chain ends when its pattern is clear
            continue
        for short in set(re.findall(r"\b[cs][₁-₉]+\b", text)):
            assert f"{short} = " in text, title


def test_velocities_and_attraction_are_not_under_one_line() -> None:
    eq = exhibits("particles")["Two bodies that attract each other"]
    assert str(eq).splitlines()[2].endswith("- m₁ m₂ r φ̇²/(m₁ + m₂) + m₁ m₂ G/r² = 0")


def test_whole_numbers_stay_whole() -> None:
    # typed without a fraction: -m l (2 s₁ + s₁₂) q̇₁², not -2 m l (s₁ + s₁₂/2) q̇₁²
    eq = exhibits("pendulums")["Double pendulum on a cart with a spring and dampers"]
    assert "- m l (2 s₁ + s₁₂) q̇₁²" in str(eq)


def test_an_energy_has_no_common_denominator_that_most_terms_do_not_have() -> None:
    eq = exhibits("particles")["Two bodies that attract each other"]
    assert str(eq.T).startswith("(m₁ + m₂) (Ẋ² + Ẏ²)/2 + ")


def test_a_matrix_names_only_the_entries_that_do_not_fit() -> None:
    # A is 6 × 9; four entries of its last column are long
    text = exhibits("machines")["Planar 3-RRR robot"].derivation().typst()
    assert set(re.findall(r"A_\((\d+)\)", text)) == {"39", "49", "59", "69"}


@pytest.mark.parametrize("title", ["Gyroscope in gimbals", "Watt's governor"])
def test_a_page_has_no_line_with_a_right_side_of_zero_alone(title: str) -> None:
    steps = exhibits("tops")[title].derivation()
    lines = [line for s in steps for f in s.formulas for part in f.typst for line in part]
    assert lines
    assert [line for line in lines if line.strip() == "= 0"] == []


def test_an_inertia_in_an_energy_has_no_number() -> None:
    eq = exhibits("machines")["Planar 3-RRR robot"]
    assert "(5 m l²/4 + I) (q̇₁² + q̇₂² + q̇₃²)/2" in str(eq.T)


def test_an_energy_keeps_its_squares_and_halves() -> None:
    eq = exhibits("ropes")["Ladder that slides down a wall"]
    assert str(eq.T) == "m (ẋ² + ẏ²)/2 + m l² θ̇²/24"
    rider = exhibits("wheels")["Snakeboard"].system.bodies[1]
    assert printed(rider.kinetic()) == "J (θ̇ + ψ̇)²/2"


def printed(e: da.Expr) -> str:
    """Print an expression from its canonical form: what was typed plays no part."""
    ring = ring_of([e])
    return text(canonical(ring, e))


def test_functions_stand_apart_in_mathml() -> None:
    (l,), (q,) = da.parameters("l"), da.coordinates("q")
    (line, *_), *_ = mathml(l * da.cos(q) * q.dot / (l + 1))
    assert "<mi>l</mi><mspace" in line
    # a lone sum below a fraction line has no brackets
    assert "<mo>(</mo>" not in line


def test_constraints_follow_the_word_with_in_latex_as_in_text() -> None:
    for page, title in (("particles", "Particle on a sphere, by a constraint"), WIDE):
        eq = exhibits(page)[title]
        assert "\nwith " in str(eq)
        assert eq.latex().count(r"\text{with }") == 1
