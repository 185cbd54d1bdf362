"""Every system of the gallery has a law of its own, and nothing said about it is refuted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.laws.gallery.exhibits import FOLDER, exhibits, text_of
from tools.markdown import sections

PAGES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "README")
SYSTEMS = [(page, title) for page in PAGES for title in sections(text_of(page))]
# proofs of this one take seconds; tests of long chains have them
LONG = "Planar arm with eight links"


def test_forty_systems() -> None:
    assert len(SYSTEMS) >= 40
    assert len({title for _, title in SYSTEMS}) == len(SYSTEMS)


@pytest.mark.parametrize("page", PAGES)
def test_every_system_has_a_law(page: str) -> None:
    laws = (Path(__file__).parent / f"test_{page}.py").read_text(encoding="utf-8")
    missing = [title for title in sections(text_of(page)) if f'"{title}"' not in laws]
    assert not missing


def test_the_index_names_every_system() -> None:
    index = text_of("README")
    missing = [title for _, title in SYSTEMS if title not in index]
    assert not missing


@pytest.mark.parametrize(("page", "title"), [s for s in SYSTEMS if s[1] != LONG])
def test_no_claim_is_refuted(page: str, title: str) -> None:
    verdicts = {proof.statement: proof.verdict for proof in exhibits(page)[title].prove()}
    assert "proved" in verdicts.values()
    assert [s for s, verdict in verdicts.items() if verdict == "refuted"] == []
