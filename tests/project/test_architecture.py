"""The pages on the architecture name files that exist."""

import re
from pathlib import Path

import pytest

from tests.project.source_tree import ROOT, SRC
from tests.project.test_layers import ORDER, SIBLINGS
from tests.project.test_layers import ROOT as PUBLIC_NAMES

PAGES = [ROOT / "docs" / "architecture.md", *sorted((ROOT / "docs" / "extending").glob("*.md"))]
FENCED = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
COLUMN = 49  # where the words about the layers begin in the picture
UNDRAWN = (PUBLIC_NAMES, "lazy", "__main__")
# between backticks, with a folder in it and no blank or placeholder
QUOTED = re.compile(r"`([\w.]+(?:/[\w.]+)+)/?`")


def paths(page: str) -> list[str]:
    """Return what looks like a path in the prose of a page.

    >>> paths("`expr/node.py`, `q/qd` and `x = 1`, in `docs/textbook`")
    ['expr/node.py', 'q/qd', 'docs/textbook']
    """
    return QUOTED.findall(FENCED.sub("", page))


def exists(path: str) -> bool:
    return any((folder / path).exists() for folder in (SRC / "dalembert", SRC, ROOT))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_of_a_page_exist(page: Path) -> None:
    found = paths(page.read_text(encoding="utf-8"))
    missing = [path for path in found if not exists(path)]
    assert not missing, f"{page.name}: no such file: {', '.join(missing)}"


def test_every_layer_is_in_the_picture() -> None:
    picture = FENCED.search((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    assert picture is not None
    assert not [layer for layer in SIBLINGS if layer not in picture.group()]
    heights = {
        word: -number
        for number, line in enumerate(picture.group().splitlines())
        for word in re.findall(r"\w+", line[:COLUMN])
    }
    drawn = [layer for layer in ORDER if layer not in UNDRAWN]
    assert not [layer for layer in drawn if layer not in heights]
    # those at the bottom share a line
    assert drawn == sorted(drawn, key=lambda layer: heights[layer])


def test_missing_path_is_found() -> None:
    assert not exists("kernel/nothing.py")
    assert exists("kernel/compiler.py")
