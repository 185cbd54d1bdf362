"""Whether functions are equal, judged at random points of prime fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from dalembert.expr import Expr
from dalembert.kernel.program.program import Program
from dalembert.mechanics.proofs.proof import Proof
from dalembert.model.certificates.chance import POINTS, ErrorBound
from dalembert.model.certificates.in_field import BadPoint, FieldPoint, NeedsFinerAngles
from dalembert.ring import refute

TRIES = 20
SEED = 1788

Residual = Callable[[FieldPoint], list[int]]
"""What must vanish at a point, if the claim is true."""


def vanishes(
    statement: str,
    residual: Residual,
    programs: Sequence[Program],
    *,
    title: str,
    unit_vectors: Sequence[Sequence[Expr]] = (),
    expressions: Callable[[], list[Expr]] = list,
    hypotheses: tuple[str, ...] = (),
) -> Proof:
    """Return the proof that a residual vanishes everywhere, from random points.

    Args:
        statement: What is proved with it.
        residual: What must vanish.
        programs: The programs that it runs: they bound its degree.
        title: Where the expectation comes from.
        unit_vectors: Symbols whose squares sum to one.
        expressions: These must vanish too: they are tried where a field does not decide.
        hypotheses: What the claim assumes; with any, sign(x) is 1.
    """
    seen, bound = 0, ErrorBound.of(programs, unit=1)
    for attempt in range(TRIES):
        signs = 1 if hypotheses else None
        point = FieldPoint(SEED + attempt, bound.unit, bits=bound.bits, signs=signs)
        for symbols in unit_vectors:
            point.set_unit_vector(symbols)
        try:
            errors = residual(point)
        except BadPoint:
            continue
        except NeedsFinerAngles as finer:
            bound = ErrorBound.of(programs, math.lcm(bound.unit, finer.denominator))
            continue
        if any(errors):
            return _refuted(statement, point, bound, expressions, hypotheses)
        seen += 1
        if seen == POINTS:
            return Proof(statement, "proved", f"equal to {title}, {bound}", hypotheses)
    method = f"every one of {TRIES} random points is a pole or has no root"
    return Proof(statement, "undecided", method, hypotheses)


def _refuted(
    statement: str,
    point: FieldPoint,
    bound: ErrorBound,
    expressions: Callable[[], list[Expr]],
    hypotheses: tuple[str, ...],
) -> Proof:
    """Return what a point where the residual differs from zero shows."""
    if point.is_algebraic:
        method = f"differs at a random point of a prime field of {bound.bits} bits"
        return Proof(statement, "refuted", method, hypotheses)
    # a table in the place of a function proves nothing: look for a true counterexample
    found = (refute(e) for e in expressions())
    counterexample = next((x for x in found if x is not None), None)
    if counterexample is not None:
        method = "differs at a rational point, in ball arithmetic"
        return Proof(statement, "refuted", method, hypotheses, counterexample)
    method = "differs at a random point where functions stand for their tables"
    return Proof(statement, "undecided", method, hypotheses)
