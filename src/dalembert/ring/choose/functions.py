"""What the functions of a ring are: numbers times powers of atoms, and sums of angles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.expr import PI, Expr
from dalembert.ring.choose.angles import LinearForm, split_known
from dalembert.ring.choose.arguments import plain_form
from dalembert.ring.choose.atoms import Normalised, normalise
from dalembert.ring.choose.known import Known
from dalembert.ring.ring import Element


class Turn(NamedTuple):
    """An angle: terms that are free, and multiples of angles of known sine and cosine.

    ``whole`` are all its terms.
    """

    free: LinearForm
    known: list[tuple[Expr, Expr, int]]
    whole: LinearForm

    def with_free_phase(self) -> Turn:
        """Return the angle with its multiple of π among the free terms."""
        rest = {term: k for term, k in self.whole.items() if term is not PI}
        free, known = split_known(rest)
        return Turn(free | {PI: self.whole[PI]}, known, self.whole)


class Functions:
    """The meaning of every function node in a ring, told by the elements that its arguments are."""

    def __init__(self, known: Known, before: Functions | None = None) -> None:
        """Begin with what was found in a smaller ring of the same functions."""
        self.known = known
        self.meanings: dict[Expr, Normalised] = {} if before is None else dict(before.meanings)
        self.turns: dict[Expr, Turn] = {} if before is None else dict(before.turns)

    def meaning(self, node: Expr, args: Sequence[Element]) -> Normalised:
        """Return an atomic node as powers of atoms and polynomials."""
        found = self.meanings.get(node)
        if found is None:
            found = self.meanings[node] = normalise(node, args, self.known)
        return found

    def turn(self, angle: Expr, x: Element | None) -> Turn:
        """Return the form of the argument of a sine, which is ``x`` unless it is a plain sum."""
        found = self.turns.get(angle)
        if found is None:
            form = plain_form(angle)
            if form is None:
                assert x is not None
                form = self.known.form(x)
            found = self.turns[angle] = Turn(*split_known(form), form)
        return found
