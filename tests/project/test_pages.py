"""Pages that programs write are current, and what people call is shown in some page."""

import re
from xml.etree import ElementTree

import pytest

import dalembert as da
from tests.project.source_tree import ROOT
from tools.markdown import sections
from tools.sketches import write
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


def test_every_system_of_the_gallery_has_its_sketch() -> None:
    files = write.files()
    stale = [path.name for path, text in files.items() if path.read_text("utf-8") != text]
    assert not stale, f"run `python -m tools.sketches`: {', '.join(stale)} out of date"
    for path, text in files.items():
        if path.suffix == ".svg":
            assert len(ElementTree.fromstring(text)) > 2, path.name
    for page, sketches in write.PAGES.items():
        text = (write.GALLERY / f"{page}.md").read_text(encoding="utf-8")
        assert list(sections(text)) == list(sketches), page


@pytest.mark.parametrize("cls", [da.System, da.Equations], ids=lambda cls: cls.__name__)
def test_every_method_is_in_a_page(cls: type) -> None:
    words = {
        word
        for path in (ROOT / "docs").rglob("*.md")
        for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))
    }
    parts = [part for part in cls.__mro__ if part is not object]
    public = {name for part in parts for name in vars(part) if not name.startswith("_")} - INTERNAL
    assert len(public) > 5
    assert sorted(public - words) == []
