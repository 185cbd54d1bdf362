"""Messages, docstrings and comments name only what exists."""

import re

import pytest

import dalembert as da
from tests.project.source_tree import SRC

# the dot of a sentence is no dot of a name
MENTION = re.compile(r"(?<![\w.])da((?:\.[A-Za-z_]\w*)+)")
MENTIONS = sorted(
    {
        name
        for path in SRC.rglob("*.py")
        for name in MENTION.findall(path.read_text(encoding="utf-8"))
    }
)


def test_some_names_are_mentioned() -> None:
    assert len(MENTIONS) > 20


@pytest.mark.parametrize("name", MENTIONS)
def test_every_public_name_that_the_source_mentions_exists(name: str) -> None:
    found = da
    for part in name.split(".")[1:]:
        found = getattr(found, part)
