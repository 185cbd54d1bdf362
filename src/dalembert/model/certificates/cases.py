"""Every combination of choices that a computation asks for, one run after the other."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

MAX_CASES = 64
"""Runs of one computation, beyond which nothing is decided: six choices of two."""


class TooManyCases(ArithmeticError):
    """There are more than `MAX_CASES` combinations of choices."""


class Cases:
    """Choices by what they are about: the same key has the same choice throughout a run.

    A computation may ask for other choices after it was given some, as a root of a root does: the
    combinations are the paths through a tree, which is walked depth first.
    """

    def __init__(self) -> None:
        # the options at each place of the path, and the one that is taken now
        self._path: list[tuple[Sequence[int], int]] = []
        self._chosen: dict[Hashable, int] = {}

    def runs(self) -> Iterator[None]:
        """Yield once for each combination; the computation runs in the body of the loop.

        Raises:
            TooManyCases: there are more than `MAX_CASES`.
        """
        for count in range(MAX_CASES + 1):
            if count == MAX_CASES:
                raise TooManyCases
            self._chosen.clear()
            yield
            while self._path and self._path[-1][1] + 1 == len(self._path[-1][0]):
                self._path.pop()
            if not self._path:
                return
            options, taken = self._path.pop()
            self._path.append((options, taken + 1))

    def choose(self, key: Hashable, options: Sequence[int]) -> int:
        """Return one of the options, in every run another combination."""
        if key not in self._chosen:
            depth = len(self._chosen)
            if depth == len(self._path):
                self._path.append((options, 0))
            chosen, taken = self._path[depth]
            self._chosen[key] = chosen[taken]
        return self._chosen[key]
