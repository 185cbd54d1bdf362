"""The grade of an answer: right or wrong, and for each fault where it is and what it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from dalembert.expr import Expr
from dalembert.typeset.render.lines import wrap

GradeVerdict = Literal["right", "right where", "other convention", "wrong", "undecided"]

NUMERALS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_MARKS = {"right": "✓", "right where": "≈", "other convention": "≈", "wrong": "✗", "undecided": "?"}


_WORDS = {word: word for word in _MARKS} | {"other convention": "right in another convention"}


@dataclass(frozen=True)
class Fault:
    """One place where an answer differs.

    ``where`` is such as "entry (1, 2)", ``words`` say what differs, ``hint`` names the slip if it
    is a common one, and ``difference`` is exactly what is right minus what was answered.
    """

    where: str
    words: str
    hint: str = ""
    difference: Expr | None = None

    def __str__(self) -> str:
        text = f"{self.where}: {self.words}" if self.where else self.words
        return f"{text} ({self.hint})" if self.hint else text


class Extent(NamedTuple):
    """Of ``whole`` independent equations of motion an answer says ``said``."""

    said: int
    whole: int

    @property
    def is_complete(self) -> bool:
        """Tell whether the equations of motion follow back from the answer."""
        return self.said == self.whole

    def __str__(self) -> str:
        if self.is_complete:
            return "and complete"
        if not self.said:
            return "not complete"
        said, whole = (NUMERALS.get(n, str(n)) for n in self)
        return f"{said} of the {whole} equations"


@dataclass(frozen=True)
class Grade:
    """The verdict on one or several parts of the equations.

    ``parts`` are the names of what was graded, ``faults`` what is wrong, ``notes`` what was
    accepted although it is written otherwise, or why nothing was decided. Of several parts
    ``right_parts`` are those that are right though others are not. ``extent`` says how much of the
    motion right equations determine. ``where`` are the conditions of an answer that is right where
    it is defined, which is not wherever the system is: k x = k exp(log x) for x > 0.
    """

    parts: tuple[str, ...]
    verdict: GradeVerdict
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
    right_parts: tuple[str, ...] = ()
    extent: Extent | None = None
    where: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool | None:
        """Tell whether the equations of motion follow back from right ones; None of other parts."""
        return None if self.extent is None else self.extent.is_complete

    @property
    def is_right(self) -> bool:
        """Tell whether all of the answer was proved right, wherever the system is defined."""
        return self.verdict == "right"

    def only_where(self, conditions: Sequence[object]) -> Grade:
        """Return the grade of an answer that says something under conditions only."""
        if not conditions or self.verdict not in ("right", "right where"):
            return self
        where = tuple(dict.fromkeys((*self.where, *map(str, conditions))))
        return replace(self, verdict="right where", where=where)

    def __str__(self) -> str:
        words = " ".join([_WORDS[self.verdict], ", ".join(self.where)]).rstrip()
        named = _are([x for x in self.parts if x not in self.right_parts], words)
        head = f"{_MARKS[self.verdict]} {named}"
        if self.right_parts:
            head += f"; {_are(self.right_parts, 'right')}"
        if self.extent is not None:
            head += f"{'' if self.is_complete and not self.where else ','} {self.extent}"
        lines = [wrap(f"    {line}", " " * 8) for line in [*map(str, self.faults), *self.notes]]
        return "\n".join([head, *lines])

    def _repr_markdown_(self) -> str:
        head, *_ = str(self).split("\n")
        lines = [*map(str, self.faults), *self.notes]
        return "\n".join([f"**{head}**", "", *(f"- {line}" for line in lines)])


def _are(parts: Sequence[str], what: str) -> str:
    is_plural = len(parts) > 1 or parts[0] in ("accelerations", "equations", "forces")
    return f"{', '.join(parts)} {'are' if is_plural else 'is'} {what}"


def wrong(part: str, faults: Sequence[Fault], notes: Sequence[str] = ()) -> Grade:
    """Return the grade of a part with faults."""
    return Grade((part,), "wrong", tuple(faults), tuple(notes))


def right(part: str, *notes: str, extent: Extent | None = None) -> Grade:
    """Return the grade of a part that is right."""
    return Grade((part,), "right", (), notes, extent=extent)


def joined(grades: Sequence[Grade]) -> Grade:
    """Return one grade for several parts; it is right if all are."""
    if len(grades) == 1:
        return grades[0]
    verdicts = [grade.verdict for grade in grades]
    verdict = next(
        (v for v in ("wrong", "undecided", "other convention", "right where") if v in verdicts),
        "right",
    )
    return Grade(
        tuple(name for grade in grades for name in grade.parts),
        verdict,  # type: ignore[arg-type]
        tuple(
            replace(fault, where=", ".join(filter(None, [*grade.parts, fault.where])))
            for grade in grades
            for fault in grade.faults
        ),
        tuple(f"{', '.join(grade.parts)}: {note}" for grade in grades for note in grade.notes),
        tuple(x for grade in grades if grade.is_right for x in grade.parts)
        if verdict != "right"
        else (),
        where=tuple(dict.fromkeys(c for grade in grades for c in grade.where)),
    )
