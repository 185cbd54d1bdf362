"""Pages that programs write are current, and what people call is shown in some page."""

import re

import pytest

import dalembert as da
from tests.project.source_tree import ROOT
from tools.textbook_pages import pages

# what Equations and System have for the code that is built on them
INTERNAL = {"packed_fields", "from_packed"}


def test_textbook_pages_are_current() -> None:
    stale = [
        path.name
        for path, text in pages().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    assert not stale, f"run `python -m tools.textbook_pages`: {', '.join(stale)} out of date"


@pytest.mark.parametrize("cls", [da.System, da.Equations], ids=lambda cls: cls.__name__)
def test_every_method_is_in_a_page(cls: type) -> None:
    words = {
        word
        for path in (ROOT / "docs").rglob("*.md")
        for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))
    }
    public = {name for name in vars(cls) if not name.startswith("_")} - INTERNAL
    assert len(public) > 5
    assert sorted(public - words) == []
