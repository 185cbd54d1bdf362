"""Systems of docs/gallery, as the code of their pages makes them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import dalembert as da
from tools.markdown import blocks, sections
from tools.page_outputs import output_of

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "gallery"


def text_of(page: str) -> str:
    """Return the Markdown of a page."""
    return (FOLDER / f"{page}.md").read_text(encoding="utf-8")


@cache
def exhibits(page: str) -> dict[str, da.Equations]:
    """Run the code of a page; return the equations ``eq`` of each section by its title."""
    names: dict[str, Any] = {"da": da}
    found: dict[str, da.Equations] = {}
    for title, section in sections(text_of(page)).items():
        for block in blocks(section):
            if block.info == "python":
                output_of(block.text, names)
        found[title] = names.pop("eq")
    return found


def equations(page: str, title: str) -> da.Equations:
    """Return the equations of one system of the gallery."""
    return exhibits(page)[title]
