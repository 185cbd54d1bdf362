"""Nested pieces of a formula become tokens in order, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeAlias, TypeVar

from dalembert.reader.tokens import Token

Item = TypeVar("Item")


class Frame(Generic[Item]):
    """Items side by side, and how far they have been read."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.at = 0
        self.pushed: list[Item] = []

    def peek(self) -> Item | None:
        """Return the next item, or None."""
        if self.pushed:
            return self.pushed[-1]
        return self.items[self.at] if self.at < len(self.items) else None

    def take(self) -> Item | None:
        """Return the next item and go on, or None."""
        if self.pushed:
            return self.pushed.pop()
        if self.at >= len(self.items):
            return None
        self.at += 1
        return self.items[self.at - 1]

    def push(self, *items: Item | None) -> None:
        """Put items back, to be taken next in this order."""
        self.pushed.extend(item for item in reversed(items) if item is not None)


Written: TypeAlias = Token | Frame[Item]
"""A token, or items whose tokens are still to be found."""


def flattened(
    items: Sequence[Item], expand: Callable[[Item, Frame[Item]], Sequence[Written[Item]]]
) -> Iterator[Token]:
    """Yield the tokens of nested items.

    ``expand`` says what an item becomes; it may take arguments from the frame in which it stands.
    """
    work: list[Written[Item]] = [Frame(items)]
    while work:
        top = work[-1]
        if isinstance(top, Token):
            yield top
            work.pop()
        elif (item := top.take()) is None:
            work.pop()
        else:
            work.extend(reversed(expand(item, top)))
