"""The page of promises: promise, tests, figures."""

from __future__ import annotations

from collections.abc import Mapping

from tools.trust.collect import Kept
from tools.trust.promises import PROMISES, Promise

HEAD = """\
# Trust: what is promised, and what was seen

Written by `python -m tools.trust{arguments}`, which runs the tests listed below; do not edit.
A promise is what the tests look for: none of them proves that no other case exists.
{conditions}

| | promise | tests | seen |
|---|---|---|---|
"""


def page(kept: Mapping[str, Kept], *, arguments: str, conditions: str) -> str:
    """Return the page as Markdown, one row for each promise."""
    rows = [_row(name, promise, kept.get(name)) for name, promise in PROMISES.items()]
    return HEAD.format(arguments=arguments, conditions=conditions) + "\n".join(rows) + "\n"


def _row(name: str, promise: Promise, kept: Kept | None) -> str:
    files = dict.fromkeys(test.split("::")[0] for test in promise.tests)
    tests = "<br>".join(f"`{file}`" for file in files) or "-"
    parts = [seen(kept)] if kept else ["not run"] if promise.tests else []
    parts += [f"not tested: {promise.missing}"] if promise.missing else []
    return f"| {name} | {promise.text} | {tests} | {'; '.join(parts)} |"


def seen(kept: Kept) -> str:
    """Return the figures of a promise in one line."""
    parts = [f"{kept.passed:,} tests passed"]
    parts += [f"{kept.failed:,} **failed**"] if kept.failed else []
    parts += [f"{kept.skipped:,} skipped"] if kept.skipped else []
    parts += [f"{name} {number:,}" for name, number in kept.counts.items()]
    parts += [f"{name} ≤ {value:.1e}" for name, value in kept.worst.items()]
    return "; ".join(parts)
