"""A proof: a statement about equations, with its verdict and how it was reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from dalembert.expr import Expr, symbol_text
from dalembert.expr.data import packable
from dalembert.ring import Point

Verdict = Literal["proved", "refuted", "undecided"]

_MARKS = {"proved": "✓", "refuted": "✗", "undecided": "?"}


@packable
@dataclass(frozen=True)
class Proof:
    """A statement with its hypotheses, verdict, method and, when refuted, a counter-example.

    ``counterexample`` is a point with rational values at which the statement fails. ``notes`` are
    lines that belong beside the verdict and are no part of the statement.
    """

    statement: str
    verdict: Verdict
    method: str
    hypotheses: tuple[str, ...] = ()
    counterexample: Point | None = field(default=None, repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)

    @property
    def is_proved(self) -> bool:
        """Tell whether the statement was proved."""
        return self.verdict == "proved"

    def under(self, hypotheses: Sequence[str]) -> Proof:
        """Return the proof with further hypotheses."""
        return replace(self, hypotheses=tuple(dict.fromkeys((*self.hypotheses, *hypotheses))))

    def __str__(self) -> str:
        text = f"{_MARKS[self.verdict]} {self.statement}"
        if self.hypotheses:
            text += f"  [{'; '.join(self.hypotheses)}]"
        text += f"\n    {'' if self.is_proved else f'{self.verdict}: '}{self.method}"
        if self.counterexample is not None:
            where = point_text(self.counterexample)
            text += f", for example at {where}" if where else ", at every point"
        return "\n    ".join([text, *self.notes])

    def _repr_markdown_(self) -> str:
        statement, *lines = str(self).split("\n")
        return "  \n".join([f"**{statement}**", *(line.strip() for line in lines)])


class Proofs(list[Proof]):
    """Several proofs; printed below each other, with a count."""

    def __str__(self) -> str:
        count = sum(proof.is_proved for proof in self)
        return "\n".join([*map(str, self), f"{count} of {len(self)} proved"])

    def _repr_markdown_(self) -> str:
        return "\n\n".join(proof._repr_markdown_() for proof in self)


def point_text(point: Point) -> str:
    """Return ``q₁ = 3/7, q̇₁ = -2`` for a point."""
    return ", ".join(f"{x} = {value}" for x, value in _by_name(point))


def _by_name(point: Point) -> list[tuple[Expr, object]]:
    return sorted(point.items(), key=lambda item: symbol_text(item[0]))
