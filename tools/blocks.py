"""Blocks of pages that scripts write, between two comments that carry their name."""

from __future__ import annotations

from pathlib import Path


def write_block(page: Path, name: str, text: str) -> None:
    """Replace what stands between the markers ``<!-- name:begin -->`` and ``<!-- name:end -->``."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    old = page.read_text(encoding="utf-8")
    if old.count(begin) != 1 or old.count(end) != 1:
        raise SystemExit(f"expected {begin} and {end} once each in {page}")
    start, rest = old.split(begin)
    new = f"{start}{begin}\n{text}\n{end}{rest.split(end)[1]}"
    page.write_text(new, encoding="utf-8", newline="\n")
