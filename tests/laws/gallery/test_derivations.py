"""The derivations of the gallery on pages: LaTeX and Typst accept them, and no line is too wide."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dalembert.mechanics.equations.documents import latex_document, typst_document
from dalembert.mechanics.equations.routes.bodies import Bodies
from dalembert.mechanics.equations.routes.dalembert import same_as_lagrange
from dalembert.mechanics.equations.step import DerivationStep
from dalembert.typeset.pdf import SHRUNK, pdf_of
from tests.laws.gallery.exhibits import exhibits
from tests.laws.gallery.test_every_system import PAGES

ENGINES = ("pdflatex", "xelatex")
# thirty pages of its own, and half a minute to write them
LONG = "Planar arm with eight links"


@pytest.fixture(scope="module")
def steps() -> list[DerivationStep]:
    found = [item for page in PAGES for item in exhibits(page).items()]
    return [step for title, eq in found if title != LONG for step in eq.derivation()]


def test_latex_fits_on_the_page(steps: list[DerivationStep], tmp_path: Path) -> None:
    engine = next(filter(None, map(shutil.which, ENGINES)), None)
    if engine is None:
        pytest.skip(f"none of {', '.join(ENGINES)} is installed")
    (tmp_path / "page.tex").write_text(latex_document("Gallery", steps), encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    log = (tmp_path / "page.log").read_text(encoding="utf-8", errors="replace")
    assert re.findall(r"^(?:!|Overfull .hbox|Missing character).*", log, re.MULTILINE) == []


def test_typst_fits_on_the_page(steps: list[DerivationStep]) -> None:
    pytest.importorskip("typst", reason="pip install typst")
    source = typst_document("Gallery", steps).replace(SHRUNK, 'panic("too wide")')
    assert pdf_of(source).startswith(b"%PDF")


@pytest.mark.parametrize("page", PAGES)
def test_dalembert_reaches_the_same_equations(page: str) -> None:
    for title, eq in exhibits(page).items():
        bodies = Bodies(eq)
        if bodies:
            assert same_as_lagrange(bodies).is_proved, title
