"""A problem of a book: a system, and what the book prints as its answer, in the book's form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import dalembert as da
from dalembert.mechanics.answers.grade import Grade

Answer = str | list[str] | dict[str, str] | dict[str, list[list[str]]]


@dataclass(frozen=True)
class Problem:
    """A problem in words of our own.

    ``answers`` are printed forms, typed in by hand; ``part`` is which part they are where it does
    not show, and ``where`` says what further letters of the book stand for. ``is_complete`` is
    whether the equations of each answer determine the motion.
    """

    title: str
    place: str
    system: Callable[[], da.System]
    answers: tuple[Answer, ...]
    part: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    is_complete: bool = True

    def grades(self) -> list[Grade]:
        """Return the verdict on every answer."""
        eq = self.system().equations()
        options = {"where": self.where} if self.where else {}
        return [da.check_answer(x, eq, self.part, **options) for x in self.answers]
