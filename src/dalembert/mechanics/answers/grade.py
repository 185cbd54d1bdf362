"""The grade of an answer: right or wrong, and for each fault where it is and what it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dalembert.expr import Expr
from dalembert.typeset.render.lines import wrap

GradeVerdict = Literal["right", "wrong", "undecided"]

_MARKS = {"right": "✓", "wrong": "✗", "undecided": "?"}


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


@dataclass(frozen=True)
class Grade:
    """The verdict on one or several parts of the equations.

    ``parts`` are the names of what was graded, ``faults`` what is wrong, ``notes`` what was
    accepted although it is written otherwise, or why nothing was decided. Of several parts
    ``right_parts`` are those that are right though others are not.
    """

    parts: tuple[str, ...]
    verdict: GradeVerdict
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
    right_parts: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool:
        """Tell whether all of the answer was proved right."""
        return self.verdict == "right"

    def __str__(self) -> str:
        named = _are([x for x in self.parts if x not in self.right_parts], self.verdict)
        head = f"{_MARKS[self.verdict]} {named}"
        if self.right_parts:
            head += f"; {_are(self.right_parts, 'right')}"
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


def right(part: str, *notes: str) -> Grade:
    """Return the grade of a part that is right."""
    return Grade((part,), "right", (), notes)


def joined(grades: Sequence[Grade]) -> Grade:
    """Return one grade for several parts; it is right if all are."""
    if len(grades) == 1:
        return grades[0]
    verdicts = [grade.verdict for grade in grades]
    verdict = next((v for v in ("wrong", "undecided") if v in verdicts), "right")
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
    )
