"""What a person gives: lists of the right length, or an error that says what was expected."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from dalembert.errors import InvalidMechanism


def items(value: object, counts: Collection[int] | None, expected: str, where: str) -> list[Any]:
    """Return the entries of a list, a tuple or an array whose number is one of ``counts``.

    >>> items((1, 2), [2], "two numbers", "joint 'j'")
    [1, 2]
    """
    try:
        found = None if isinstance(value, str | bytes) else list(value)  # type: ignore[call-overload]
    except TypeError:
        found = None
    if found is None or (counts is not None and len(found) not in counts):
        count = "" if found is None else f"{len(found)}: "
        raise InvalidMechanism(f"expected {expected} for {where}, got {count}{value!r:.60}")
    return found
