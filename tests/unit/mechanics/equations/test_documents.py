"""A derivation as LaTeX and HTML documents."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

import dalembert as da
from dalembert.typeset.render.sentences import latex_sentence

NAMES = ("planar_arm", "pinned_three_link", "rp_arm_maximal", "free_rigid_body", "driven_pendulum")
ENGINES = ("tectonic", "xelatex", "pdflatex")


@pytest.fixture(scope="module", params=NAMES)
def derivation(request: pytest.FixtureRequest) -> da.Derivation:
    return getattr(da.textbook, request.param)().equations().derivation()


def test_latex_is_ascii_and_balanced(derivation: da.Derivation) -> None:
    source = derivation.latex("Arm & leg")
    assert source.isascii()
    assert r"\section*{Arm \& leg}" in source
    assert source.count("{") - source.count(r"\{") == source.count("}") - source.count(r"\}")
    begun = re.findall(r"\\begin\{(\w+\*?)\}", source)
    ended = re.findall(r"\\end\{(\w+\*?)\}", source)
    assert sorted(begun) == sorted(ended)
    assert source.count(r"\left(") == source.count(r"\right)")
    assert source.count(r"\Bigl(") == source.count(r"\Bigr)")
    # TeX refuses x_{1}_{2}
    assert not re.search(r"_\{[^{}]*\}_", source)
    assert not re.search(r"\^\{[^{}]*\}\^", source)
    # \left and \right may not be on different lines of a block
    for line in source.split(r"\\\\"):
        assert line.count(r"\left(") == line.count(r"\right)")


def test_a_latex_engine_accepts_it(derivation: da.Derivation, tmp_path: Path) -> None:
    engine = next(filter(None, map(shutil.which, ENGINES)), None)
    if engine is None:
        pytest.skip(f"none of {', '.join(ENGINES)} is installed")
    (tmp_path / "page.tex").write_text(derivation.latex(), encoding="utf-8")
    options = [] if "tectonic" in engine else ["-interaction=nonstopmode", "-halt-on-error"]
    subprocess.run([engine, *options, "page.tex"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "page.pdf").exists()


def test_html_is_well_formed_and_needs_nothing_else(derivation: da.Derivation) -> None:
    page = derivation.html("Arm & leg")
    root = ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    assert root.findtext("head/title") == "Arm & leg"
    formulas = sum(len(step.formulas) for step in derivation)
    assert len(root.findall(".//{http://www.w3.org/1998/Math/MathML}math")) >= formulas
    assert "http" not in page.replace("http://www.w3.org/1998/Math/MathML", "")


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("ω̂ = Ṙ Rᵀ", r"$\hat{\omega} = \dot{R} R^{\mathsf{T}}$"),
        ("c₁₂ and c₁₋₂", r"$c_{12}$ and $c_{1-2}$"),
        ("q̇₁² ≠ 0", r"$\dot{q}_{1}^{2} \ne 0$"),
        ("100 % of a_1", r"100 \% of a\_1"),
    ],
)
def test_sentences(text: str, latex: str) -> None:
    assert latex_sentence(text) == latex


def test_pdf_is_whole_or_not_written(tmp_path: Path) -> None:
    pytest.importorskip("typst", reason="pip install typst")
    derivation = da.textbook.cart_pole().equations().derivation()
    derivation.pdf(tmp_path / "cart.pdf", 'Cart & "pole" #panic()')
    data = (tmp_path / "cart.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    assert data.rstrip().endswith(b"%%EOF")
    with pytest.raises(da.FileError, match="no_such_folder"):
        derivation.pdf(tmp_path / "no_such_folder" / "cart.pdf")
