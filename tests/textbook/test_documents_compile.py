"""Every derivation of the textbook on pages: LaTeX and Typst accept it, and no line is too wide."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import dalembert as da
from dalembert.mechanics.equations.derivation import DerivationStep
from dalembert.mechanics.equations.documents import latex_document, typst_document
from dalembert.typeset.pdf import SHRUNK, pdf_of

ENGINES = ("pdflatex", "tectonic", "xelatex")
LINKAGES = ("planar_3r", "rp_mechanism", "cart_pole_mechanism", "four_bar", "scara")


@pytest.fixture(scope="module")
def steps() -> list[DerivationStep]:
    makers = [getattr(da.textbook, name) for name in da.textbook.__all__ if name != "robots"]
    makers = [make for make in makers if make.__annotations__.get("return") == "System"]
    systems = [make() for make in makers if make is not da.textbook.planar_chain]
    systems += [da.textbook.planar_chain(2)]
    systems += [getattr(da.textbook.robots, name)() for name in LINKAGES]
    assert len(systems) > 15
    return [step for system in systems for step in system.equations().derivation()]


def test_latex_fits_on_the_page(steps: list[DerivationStep], tmp_path: Path) -> None:
    engine = next(filter(None, map(shutil.which, ENGINES)), None)
    if engine is None:
        pytest.skip(f"none of {', '.join(ENGINES)} is installed")
    (tmp_path / "page.tex").write_text(latex_document("Textbook", steps), encoding="utf-8")
    options = ["--keep-logs"] if "tectonic" in engine else ["-interaction=nonstopmode"]
    subprocess.run([engine, *options, "page.tex"], cwd=tmp_path, check=True, capture_output=True)
    log = (tmp_path / "page.log").read_text(encoding="utf-8", errors="replace")
    assert re.findall(r"^(?:!|Overfull .hbox|Missing character).*", log, re.MULTILINE) == []


def test_typst_fits_on_the_page(steps: list[DerivationStep]) -> None:
    pytest.importorskip("typst", reason="pip install typst")
    source = typst_document("Textbook", steps)
    assert SHRUNK in source
    # what would be made smaller to fit is an error here
    assert pdf_of(source.replace(SHRUNK, 'panic("too wide")')).startswith(b"%PDF")
