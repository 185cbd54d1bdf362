"""Elements, numbers and new names in XML that is written."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, SupportsFloat
from xml.sax.saxutils import escape

from dalembert.errors import InvalidMechanism
from dalembert.expr import symbol_text

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism

# signs that XML 1.0 cannot hold at all
UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
ESCAPES = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def require_numbers(mechanism: Mechanism, format: str) -> None:
    """Refuse a mechanism with symbols, the time among them, in a format that holds numbers."""
    where = f"expected numbers in mechanism {mechanism.name!r} to write {format}, got"
    if mechanism.parameters:
        names = ", ".join(map(symbol_text, mechanism.parameters[:5]))
        raise InvalidMechanism(f"{where} the parameters {names}: bind them first")
    if mechanism.is_timed:
        raise InvalidMechanism(f"{where} some that depend on the time: write JSON")


def tag(
    name: str, attributes: Mapping[str, str | SupportsFloat] | None = None, *, open: bool = False
) -> str:
    """Return a start tag, or an empty element.

    >>> tag("mass", {"value": 0.5})
    '<mass value="0.5"/>'
    """
    words = "".join(
        f' {key}="{quoted(value) if isinstance(value, str) else number(value)}"'
        for key, value in (attributes or {}).items()
    )
    return f"<{name}{words}{'' if open else '/'}>"


def quoted(text: str) -> str:
    """Return text for an attribute in double quotes, on one line."""
    if UNWRITABLE.search(text):
        raise InvalidMechanism(
            f"expected names that XML can hold to write a file, got {text[:60]!r}: rename it"
        )
    return escape(text, ESCAPES)


def numbers(values: Iterable[SupportsFloat]) -> str:
    """Return numbers with blanks between them.

    >>> numbers((1, 0.5, -9.81))
    '1 0.5 -9.81'
    """
    return " ".join(number(x) for x in values)


def number(x: SupportsFloat) -> str:
    """Return the shortest decimal that reads back as the same double."""
    try:
        value = float(x)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise InvalidMechanism(
            f"expected numbers that a double can hold to write a file, got {str(x)[:40]}: check "
            "the units"
        )
    # -0.0 + 0.0 is 0.0
    return repr(value + 0.0).removesuffix(".0")


def indented(lines: Iterable[str]) -> list[str]:
    """Return the lines two columns further to the right."""
    return [f"  {line}" for line in lines]


def distinct(name: str, taken: set[str]) -> str:
    """Return the name, with a number behind it where it is taken, and take it."""
    result, k = name, 2
    while result in taken:
        result, k = f"{name}_{k}", k + 1
    taken.add(result)
    return result
