"""Printed results become formulas on the site, and mean what was printed."""

from __future__ import annotations

import re
import unicodedata
from html import unescape

import pytest

import dalembert as da
from tests.project.source_tree import ROOT
from tools.markdown import blocks
from tools.site.results import NoFormula, formula, result, with_formulas

GALLERY = sorted((ROOT / "docs" / "gallery").glob("*.md"))


def read(line: str, symbols: list[da.Expr]) -> da.Expr:
    """Return left minus right side of MathML as the reader of the project reads it."""
    left, right = re.split("<mo>=</mo>", formula(line))
    return da.parse(f"<mrow>{left}</mrow>", symbols) - da.parse(f"<mrow>{right}</mrow>", symbols)


@pytest.mark.parametrize(
    "name", ["cart_pole", "double_pendulum", "furuta_pendulum", "rolling_disc", "driven_pendulum"]
)
def test_formulas_mean_what_was_printed(name: str) -> None:
    eq = getattr(da.textbook, name)().equations()
    symbols = [*eq.coordinates, *eq.parameters, *da.multipliers("lam1 lam2"), da.time]
    symbols += [x for e in eq.forces for x in e.symbols]
    text = [x.split(" where ")[0] for x in str(eq).split("\n") if " = " in x]
    lines = [x for x in text if not x.lstrip().startswith(("with", "where", "and"))]
    lines = [x for x in lines if "\u0308" in unicodedata.normalize("NFD", x)]
    assert lines
    for line in lines:
        left, right = line.split(" = ")
        printed = da.parse(left, symbols) - da.parse(right, symbols)
        assert da.equal(read(line, symbols), printed)


def test_terms_have_classes_by_their_rates() -> None:
    page = formula("m l² θ̈ - m l θ̇² + b θ̇ + m g sin(θ) = τ")
    assert re.findall('class="([a-z]+)"', page) == ["inertia", "coriolis", "gravity", "gravity"]


def test_numbers_words_and_code_stay_text() -> None:
    for text in ("True\n", "[0.1 0.2]\n", "converged\n", "arm: 3 links\n", "x = 3\n"):
        assert result(text) is None
    with pytest.raises(NoFormula):
        formula("momentum of φ is conserved: m")
    mixed = result("m ẍ + k x = 0\n12 of 12 proved\n")
    assert mixed is not None
    assert "<pre>12 of 12 proved</pre>" in mixed


def test_matrices_have_their_entries() -> None:
    made = result("M = ⎡m₁ + m₂  m₂ l c₂⎤\n    ⎣ m₂ l c₂    m₂ l²⎦\n")
    assert made is not None
    rows = re.findall("<mtr>(.*?)</mtr>", made)
    assert [row.count("<mtd>") for row in rows] == [2, 2]
    assert made.index("<mi>M</mi>") < made.index("<mtable>")


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_every_equation_of_the_gallery_is_set(path) -> None:
    page = path.read_text(encoding="utf-8")
    set_page = with_formulas(page)
    for block in blocks(page):
        if block.info == "text" and "\u0308" in unicodedata.normalize("NFD", block.text):
            # the text is there too, to be copied
            plain = unescape(set_page).replace("&#10;", "\n")
            assert block.text.rstrip() in plain
            assert "\u0308" not in "".join(
                re.findall("<pre>(?!.*</pre></details>)(.*)</pre>", result(block.text) or "")
            )
