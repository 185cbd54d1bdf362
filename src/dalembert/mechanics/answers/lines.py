"""Grade a derivation line by line: the first line that does not follow is the mistake."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from dalembert.errors import InvalidSystem, ParseError, TooLarge, Undecided
from dalembert.expr import Expr, Kind, free_symbols, is_kind
from dalembert.expr.greek import spelled_out
from dalembert.mechanics.answers.by_motion.equations import grade_motion
from dalembert.mechanics.answers.energies import grade_energy
from dalembert.mechanics.answers.grade import Fault
from dalembert.mechanics.answers.read import Names, check_equations, known_names
from dalembert.mechanics.answers.terms import fault, in_one_ring, vanishes
from dalembert.mechanics.proofs.domain import lost
from dalembert.mechanics.system.system import System
from dalembert.reader import parse, unknown_words

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

MAX_LINES = 200
"""Lines of a derivation that are read."""

LineVerdict = Literal["right", "right where", "follows", "wrong", "undecided"]
_MARKS = {"right": "✓", "right where": "≈", "follows": "→", "wrong": "✗", "undecided": "?"}

ENERGIES = ("T", "V", "L")
# dL/dq̇ and ∂L/∂q.dot, which text notation does not have
_SLOPE = re.compile(r"[d∂](?P<of>[TVL])/[d∂](?P<by>[^\W\d][\w\u0307\u0308]*(?:\.d?dot|'+)?)")


@dataclass(frozen=True)
class Line:
    """One line with its verdict.

    ``right`` is true of the system, ``right where`` of a part of its states, ``follows`` follows
    from lines before it of which one is wrong, ``wrong`` does neither. ``faults`` say what is
    wrong, ``notes`` what was accepted and where a line holds.
    """

    number: int
    text: str
    verdict: LineVerdict
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        rows = [f"{_MARKS[self.verdict]} {self.number}  {self.text}"]
        rows += [f"       {x}" for x in (*map(str, self.faults), *self.notes)]
        return "\n".join(rows)


@dataclass(frozen=True)
class GradedDerivation:
    """The lines of a derivation with their verdicts."""

    lines: tuple[Line, ...]

    @property
    def is_right(self) -> bool:
        """Tell whether all lines were proved right."""
        return all(line.verdict == "right" for line in self.lines)

    @property
    def first_mistake(self) -> Line | None:
        """The first line that does not follow from the system and the lines before it."""
        return next((line for line in self.lines if line.verdict == "wrong"), None)

    def __str__(self) -> str:
        return "\n".join(map(str, self.lines))


def check_derivation(lines: str | Sequence[str], eq: Equations) -> GradedDerivation:
    """Say of each line of a derivation whether it is right, and which is the first mistake.

    A line is an equation, or a chain ``a = b = c``. ``T = …``, ``V = …``, ``L = …`` and names of
    the derivation's own (``v = l*theta.dot``) say what a letter means; further lines are identities
    such as ``∂L/∂θ̇ = m l² θ̇`` or equations of motion. A line that follows from a wrong line before
    it is no second mistake.

    Args:
        lines: the lines, or one text with line breaks; empty ones are left out.
        eq: the equations of motion.

    Raises:
        ParseError, UnknownName: a line that cannot be read; the message names it.

    >>> import dalembert as da
    >>> (theta,) = da.coordinates("theta")
    >>> m, l, g = da.parameters("m l g")
    >>> T, V = m * (l * theta.dot) ** 2 / 2, -m * g * l * da.cos(theta)
    >>> eq = da.System(coordinates=[theta], kinetic=T, potential=V).equations()
    >>> print(check_derivation("L = m l² θ̇²/2 + m g l cos θ; ∂L/∂θ̇ = m l θ̇".split("; "), eq))
    ✓ 1  L = m l² θ̇²/2 + m g l cos θ
    ✗ 2  ∂L/∂θ̇ = m l θ̇
           m l θ̇ should be m l² θ̇ (a factor l is missing)
    """
    check_equations(eq)
    if not isinstance(lines, str | list | tuple):
        raise ParseError(f"expected text or a list of lines, got {lines!r:.60}")
    texts = lines.splitlines() if isinstance(lines, str) else lines
    texts = [_checked(text) for text in texts]
    texts = [text for text in texts if text]
    if not 0 < len(texts) <= MAX_LINES:
        raise InvalidSystem(f"expected 1 to {MAX_LINES} lines, got {len(texts)}")
    board = _Board(eq)
    return GradedDerivation(tuple(board.grade(k, text) for k, text in enumerate(texts, 1)))


def _checked(text: object) -> str:
    if not isinstance(text, str):
        raise ParseError(f"expected lines of text, got {type(text).__name__}: pass str")
    return text.strip().rstrip(",;").strip()


class _Board:
    """What the lines so far have said: energies, names of their own."""

    def __init__(self, eq: Equations) -> None:
        self.eq, self.names = eq, known_names(eq)
        # a length L is no Lagrangian
        energies = ENERGIES if eq.is_quadratic else ("L",)
        self.energies = [name for name in energies if name not in self.names]
        self.truth = {name: getattr(eq, name) for name in self.energies}
        self.said: dict[str, Expr] = {}
        self.own: dict[str, Expr] = {}
        self.first_wrong = 0
        self.written: list[Expr] = []
        self._theirs: Equations | None = None

    def grade(self, number: int, text: str) -> Line:
        """Return the verdict on the next line."""
        self.written = []
        try:
            line = self._grade(number, text)
            if line.verdict == "right":
                line = _only_where(line, lost(self.written, self.eq.system.expressions()))
        except (TooLarge, Undecided) as error:
            line = Line(number, text, "undecided", (), (str(error),))
        except ParseError as error:
            raise ParseError(f"line {number}: {error}") from None
        if line.verdict == "wrong" and not self.first_wrong:
            self.first_wrong = number
        return line

    def _grade(self, number: int, text: str) -> Line:
        sides = re.split(r"==?", _SLOPE.sub(self._derivative, unicodedata.normalize("NFD", text)))
        if len(sides) < 2 or not all(side.strip() for side in sides):
            raise ParseError(f"expected an equation, got {text[:40]!r}: write left = right")
        letter = spelled_out(sides[0].strip())
        if letter in self.energies:
            *chain, value = [self._read(side, but=letter) for side in sides[1:]]
            line = self._energy(number, text, letter, value)
            self.said[letter], self._theirs = value, None
            return self._broken(number, text, [*chain, value]) or line
        if letter.isidentifier() and unknown_words([letter], self._known()):
            *chain, value = [self._read(side) for side in sides[1:]]
            self.own[letter] = value
            return self._broken(number, text, [*chain, value]) or Line(number, text, "right")
        return self._statement(number, text, sides)

    def _broken(self, number: int, text: str, values: Sequence[Expr]) -> Line | None:
        """Return a line whose values should be the same, but are not."""
        for a, b in pairwise(values):
            if not _is_same(self.eq, a, b):
                return Line(number, text, "wrong", _faults(self.eq, text, a, b))
        return None

    def _derivative(self, match: re.Match[str]) -> str:
        if match["of"] not in self.energies:
            return match.group()
        return f"(Derivative({match['of']}, {match['by']}))"

    def _known(self, but: str = "") -> Names:
        energies = {**self.truth, **self._derived(), **self.said}
        energies.pop(but, None)
        return {**self.names, **energies, **self.own}

    def _derived(self) -> dict[str, Expr]:
        """L = T - V of the lines, where they have said T or V but not L."""
        if "L" not in self.energies or not ({"T", "V"} & set(self.said)):
            return {}
        T, V = (self.said.get(x, self.truth.get(x)) for x in ("T", "V"))
        return {} if T is None or V is None else {"L": T - V}

    def _read(self, text: str, but: str = "") -> Expr:
        e = parse(text, self._known(but))
        self.written.append(e)
        return e

    def _energy(self, number: int, text: str, letter: str, value: Expr) -> Line:
        grade = grade_energy(self.eq, letter, value)
        if grade.verdict in ("right", "right where"):
            return _only_where(Line(number, text, "right", (), grade.notes), grade.where)
        earlier = self._derived().get(letter)
        if earlier is not None and _is_same(self.eq, value, earlier):
            return Line(number, text, "follows", (), (f"follows from line {self.first_wrong}",))
        return Line(number, text, "wrong", grade.faults, grade.notes)

    def _statement(self, number: int, text: str, sides: Sequence[str]) -> Line:
        true = [parse(side, {**self.names, **self.truth, **self.own}) for side in sides]
        self.written += true
        if _holds(self.eq, true):
            return Line(number, text, "right")
        said = [self._read(side) for side in sides]
        theirs = self._their_equations()
        if theirs is not None and _holds(theirs, said):
            if not self.first_wrong:
                return Line(number, text, "right")
            return Line(number, text, "follows", (), (f"follows from line {self.first_wrong}",))
        eq = theirs or self.eq
        a, b = next(pair for pair in pairwise(said) if not _holds(eq, pair))
        return Line(number, text, "wrong", _faults(eq, text, a, b))

    def _their_equations(self) -> Equations | None:
        """Return the equations of motion of the energies that the lines have said, if they have."""
        known: Mapping[str, Expr] = {**self.truth, **self._derived(), **self.said}
        if self._theirs is None and self.said and "L" in known:
            self._theirs = _equations_of(self.eq.system, known["L"])
        return self._theirs


def _only_where(line: Line, where: Sequence[object]) -> Line:
    """Return a right line that says something under conditions only."""
    if not where:
        return line
    words = f"where {', '.join(map(str, where))}"
    return replace(line, verdict="right where", notes=(*line.notes, words))


def _equations_of(system: System, lagrangian: Expr) -> Equations | None:
    """Return the equations of motion with another Lagrangian, None if it has none."""
    with warnings.catch_warnings():
        # what is odd about it is the answer's
        warnings.simplefilter("ignore")
        try:
            return System(
                coordinates=system.coordinates,
                lagrangian=lagrangian,
                forces=system.forces,
                constraints=system.constraints,
                velocity_constraints=system.velocity_constraints,
                dissipation=system.dissipation,
                keep_redundant=system.keep_redundant,
            ).equations()
        except InvalidSystem:
            return None


def _is_same(eq: Equations, a: Expr, b: Expr) -> bool:
    _, (x,), _ = in_one_ring(eq, [a - b], [])
    return vanishes(x)


def _holds(eq: Equations, sides: Sequence[Expr]) -> bool:
    """Tell whether all sides are the same, or are so in every motion.

    Raises:
        Undecided: neither a proof nor a point where they differ was found.
    """
    return all(
        _is_same(eq, a, b) or grade_motion(eq, "equation", [a - b]).is_right
        for a, b in pairwise(sides)
    )


def _faults(eq: Equations, text: str, a: Expr, b: Expr) -> tuple[Fault, ...]:
    """Return what is wrong: the value of a derivative, or the equation."""
    has_accelerations = any(is_kind(x, Kind.COORDINATE, 2) for x in free_symbols([a - b]))
    is_derivative = _SLOPE.search(text) or "\\partial" in text
    if is_derivative or not has_accelerations:
        _, (mine, right), _ = in_one_ring(eq, [b, a], [])
        return (fault(eq, "", mine, right),)
    return grade_motion(eq, "equation", [a - b]).faults
