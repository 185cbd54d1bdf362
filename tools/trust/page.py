"""The page of promises: promise, tests, figures, and when they were seen."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tools.trust.collect import Kept
from tools.trust.promises import PROMISES, Promise

HEAD = """\
# Trust: what is promised, and what was seen

`python -m tools.trust` runs the tests listed below and writes this page; do not edit.
A promise is what the tests look for: none of them proves that no other case exists.

| | promise | tests | seen | last run |
|---|---|---|---|---|
"""
ROW = re.compile(r"^\| (\w+) \|.*\|$", re.MULTILINE)


def page(kept: Mapping[str, Kept], *, run: str, before: str = "") -> str:
    """Return the page as Markdown, one row for each promise.

    Args:
        kept: What the tests of promises have seen, by promise.
        run: Date and conditions of this run.
        before: The page as it was: promises that did not run keep their row.
    """
    old = {found[1]: found[0] for found in ROW.finditer(before)}
    rows = [
        old[name] if name in old and name not in kept else _row(name, promise, kept.get(name), run)
        for name, promise in PROMISES.items()
    ]
    return HEAD + "\n".join(rows) + "\n"


def _row(name: str, promise: Promise, kept: Kept | None, run: str) -> str:
    files = dict.fromkeys(test.split("::")[0] for test in promise.tests)
    tests = "<br>".join(f"`{file}`" for file in files) or "-"
    parts = [seen(kept)] if kept else ["not run"] if promise.tests else []
    parts += [f"not tested: {promise.missing}"] if promise.missing else []
    cells = [name, promise.text, tests, "; ".join(parts), run if kept else "-"]
    return f"| {' | '.join(cells)} |"


def seen(kept: Kept) -> str:
    """Return the figures of a promise in one line."""
    parts = [f"{kept.passed:,} tests passed"]
    parts += [f"{kept.failed:,} **failed**"] if kept.failed else []
    parts += [f"{kept.skipped:,} skipped"] if kept.skipped else []
    parts += [f"{name} {number:,}" for name, number in kept.counts.items()]
    parts += [f"{name} ≤ {value:.1e}" for name, value in kept.worst.items()]
    return "; ".join(parts)
