"""What a command prints: text for a person, JSON for a program, nothing that moves a terminal."""

import json
import math
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from threading import Timer
from typing import NamedTuple

from dalembert.cli.streams import printing

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
"""What JSON can say."""

DELAY = 1.0
"""Seconds of silence before a terminal is told what takes so long."""


class Table(NamedTuple):
    """Rows of text under headings."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


class Part(NamedTuple):
    """One piece of an answer, shown when it is ready.

    ``data`` stands under ``name`` in the JSON object; ``text`` is what a person sees, nothing where
    it is None. The exit status is 1 when a part is not ``ok``. What stands ``aside`` goes to
    standard error: a person sees it, and no program that reads standard output.
    """

    name: str
    data: Json
    text: str | Table | None = None
    ok: bool = True
    aside: bool = False


def visible(text: str) -> str:
    r"""Return text whose control characters are written out: names in a file move no cursor.

    >>> visible("arm\x1b[2J")
    'arm\\x1b[2J'
    """
    return "".join(_shown(c) for c in text)


def _shown(c: str) -> str:
    if c in "\n\t" or (c.isascii() and c.isprintable()):
        return c
    # also what turns the direction of writing (Cf), and halves of surrogate pairs (Cs)
    hidden = unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn")
    return c.encode("unicode_escape").decode() if hidden else c


def number(x: object) -> float | None:
    """Return a bound as JSON has it: a number, or None where there is none."""
    if x is None:
        return None
    value = float(x)  # type: ignore[arg-type]
    return value if math.isfinite(value) else None


def show(text: str | Table) -> None:
    """Print text or a table to standard output, in colour only on a terminal."""
    from rich.console import Console

    # a pipe gets whole lines: nothing is cut at the width of a screen that is not there
    console = Console(
        highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 10_000
    )
    with printing():
        if isinstance(text, str):
            console.print(visible(text), soft_wrap=True)
        elif not sys.stdout.isatty():
            console.print(_columns(text), soft_wrap=True)
        else:
            console.print(_rich_table(text))


def complain(text: str) -> None:
    """Print a sentence to standard error."""
    from rich.console import Console

    Console(stderr=True, highlight=False, markup=False, emoji=False).print(
        visible(text), soft_wrap=True
    )


def show_json(data: Mapping[str, Json]) -> None:
    """Print one JSON object; what is no number there, as infinity, is a text.

    It is ASCII, with escapes such as \\u03b8, so that it is the same in every encoding.
    """
    with printing():
        print(json.dumps(_plain(data), indent=2, allow_nan=False), flush=True)


def _plain(x: object) -> Json:
    """Return what JSON can say of a value."""
    if isinstance(x, Mapping):
        return {str(key): _plain(value) for key, value in x.items()}
    if isinstance(x, Fraction):
        return float(x)
    if hasattr(x, "tolist"):
        return _plain(x.tolist())  # type: ignore[attr-defined]
    if isinstance(x, list | tuple):
        return [_plain(value) for value in x]
    if isinstance(x, float):
        return x if math.isfinite(x) else str(x)
    return x if x is None or isinstance(x, bool | int | str) else str(x)


def _columns(table: Table) -> str:
    """Return a table without lines, its columns below each other."""
    rows = [[visible(cell) for cell in row] for row in [table.headings, *table.rows]]
    widths = [max(len(row[k]) for row in rows) for k in range(len(table.headings))]
    lines = ("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def _rich_table(table: Table) -> object:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    made = RichTable(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for heading in table.headings:
        made.add_column(visible(heading), overflow="fold")
    for row in table.rows:
        made.add_row(*(Text(visible(cell)) for cell in row))
    return made


@contextmanager
def working(what: str) -> Iterator[None]:
    """Say on the terminal what is being done, if it takes longer than a second."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    status = Console(stderr=True, highlight=False).status(f"{visible(what)} …", spinner="dots")
    timer = Timer(DELAY, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
