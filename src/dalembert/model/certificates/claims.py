"""Claims that numbers vanish for all values of the symbols, and the verdicts on them.

"Proved" means: the identity holds at every real point where all that is computed is defined, under
the hypotheses that the proof lists. It is shown at random points of prime fields, so it is wrong
with the chance that the proof states, over the randomness of the system. "Refuted" comes with a
rational point at which ball arithmetic finds a number that is certainly not zero, or rests on a
point of a prime field where nothing was looked up. All else is "undecided", with the reason.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dalembert.expr import Expr
from dalembert.kernel.program.program import Program
from dalembert.mechanics.proofs.proof import Proof
from dalembert.model.certificates.cases import MAX_CASES, TooManyCases
from dalembert.model.certificates.chance import POINTS, TRIES, ErrorBound
from dalembert.model.certificates.evaluation import Evaluation, Numbers
from dalembert.model.certificates.in_balls import InBalls, precision, rational_point
from dalembert.model.certificates.in_field import (
    FieldPoint,
    InField,
    NeedsFinerAngles,
    NoRoot,
    Pole,
)
from dalembert.ring import Point

REAL_POINTS = 12
"""Rational points at which ball arithmetic looks for a difference; the same in every run."""
PRECISIONS = (128, 1024)
PARTIAL = {"sqrt", "pow", "log", "asin", "acos"}
"""Operations that have no value at some real numbers."""
NO_ZERO = "no argument of sign is zero"


@dataclass(frozen=True)
class Claim:
    """That a residual vanishes.

    Attributes:
        statement: What is proved with it.
        title: Where the expectation comes from.
        residual: What must vanish.
        programs: Those that it runs: they bound its degree.
        inputs: The symbols that stand for each input of a program.
        unit_vectors: Symbols whose squares sum to one.
        hypotheses: What it assumes.
    """

    statement: str
    title: str
    residual: Callable[[Evaluation], Numbers]
    programs: Sequence[Program]
    inputs: Mapping[str, Sequence[Expr]]
    unit_vectors: Sequence[Sequence[Expr]] = ()
    hypotheses: tuple[str, ...] = ()

    def error_bound(self, unit: int) -> ErrorBound:
        """Return the bound on the chance of error, with angles in fractions of a unit."""
        return ErrorBound.of(self.programs, unit, on_spheres=bool(self.unit_vectors))

    @property
    def is_partial(self) -> bool:
        """Whether it may have no value at some real points, beside poles."""
        return any(x.op in PARTIAL for program in self.programs for x in program.code)


@dataclass(frozen=True)
class Finding:
    """What random points of prime fields show.

    Attributes:
        kind: The residual vanishes, differs from zero, or neither could be seen.
        bound: On the chance of error.
        opaque: Functions that were looked up, by their names in order.
        why: The reason where nothing could be seen.
    """

    kind: Literal["vanishes", "differs", "unknown"]
    bound: ErrorBound
    opaque: tuple[str, ...] = ()
    why: str = ""


def judge(claim: Claim) -> Proof:
    """Return the proof or refutation of a claim, or say why there is neither."""
    finding = at_random_points(claim)
    if finding.kind == "vanishes":
        return _proved(claim, finding)
    if finding.kind == "unknown":
        # too many roots: what holds for any function holds for them
        simpler = at_random_points(claim, split_roots=False)
        if simpler.kind == "vanishes":
            return _proved(claim, simpler)
    point = counterexample(claim)
    if point is not None:
        method = "differs at a rational point, in ball arithmetic"
        return Proof(claim.statement, "refuted", method, claim.hypotheses, point)
    if finding.kind == "differs" and not finding.opaque:
        method = f"differs at random points of prime fields of {finding.bound.bits} bits"
        return Proof(claim.statement, "refuted", method, claim.hypotheses)
    if "sign" in finding.opaque:
        return _by_cases(claim, finding)
    return _undecided(claim, finding)


def _by_cases(claim: Claim, general: Finding) -> Proof:
    """Return what the cases of all signs show: with zeros, then without."""
    for signs, hypotheses in (((1, -1, 0), ()), ((1, -1), (NO_ZERO,))):
        finding = at_random_points(claim, signs)
        if finding.kind == "vanishes":
            return _proved(claim, finding, hypotheses)
    return _undecided(claim, finding if finding.kind == "unknown" else general)


def _proved(claim: Claim, finding: Finding, more: tuple[str, ...] = ()) -> Proof:
    """Return the proof, if the claim is about anything."""
    hypotheses = (*claim.hypotheses, *more)
    if claim.is_partial and not any(_is_defined(claim, x) for x in real_points(claim)):
        method = f"defined at none of {REAL_POINTS} rational points: it may hold nowhere"
        return Proof(claim.statement, "undecided", method, hypotheses)
    known = _listed(finding.opaque)
    method = f"equal, wherever both are defined, to {claim.title}, {finding.bound}"
    if known:
        method += f"; {known}"
    return Proof(claim.statement, "proved", method, hypotheses)


def _undecided(claim: Claim, finding: Finding) -> Proof:
    known = _listed(finding.opaque)
    method = finding.why or (
        f"not equal in a prime field, {known}; no difference found at {REAL_POINTS} rational points"
    )
    return Proof(claim.statement, "undecided", method, claim.hypotheses)


def _listed(opaque: Sequence[str]) -> str:
    """Return how functions were taken that a field does not have."""
    words = {"±√": "√ has both signs", "±sign": "sign takes all values"}
    found = [words[name] for name in opaque if name in words]
    others = [name for name in opaque if name not in words]
    if others:
        found.append(f"for any function of equal arguments in the place of {', '.join(others)}")
    return " and ".join(found)


# ---- prime fields


def at_random_points(
    claim: Claim, signs: Sequence[int] | None = None, split_roots: bool = True
) -> Finding:
    """Return what random points of prime fields show of a claim.

    Args:
        claim: What to look at.
        signs: What sign(x) may be: all combinations are tried; any numbers unless given.
        split_roots: Whether all combinations of signs of roots are tried; else √ is any function.
    """
    seen, poles, bound = 0, 0, claim.error_bound(unit=1)
    for _ in range(bound.tries):
        point = FieldPoint(None, bound.unit, bits=bound.bits, signs=signs, split_roots=split_roots)
        try:
            vanishes = _vanishes_at(claim, point)
        except NoRoot:
            continue
        except Pole:
            poles += 1
            if poles < TRIES:
                continue
            break
        except NeedsFinerAngles as finer:
            bound = claim.error_bound(math.lcm(bound.unit, finer.denominator))
            continue
        except TooManyCases:
            why = f"there are more than {MAX_CASES} cases of signs and roots"
            return Finding("unknown", bound, tuple(sorted(point.opaque)), why)
        opaque = tuple(sorted(point.opaque))
        if not vanishes:
            return Finding("differs", bound, opaque)
        seen += 1
        if seen == POINTS:
            return Finding("vanishes", bound, opaque)
    why = "nearly all random points are poles" if poles else "the roots exist at no random point"
    return Finding("unknown", bound, why=why)


def _vanishes_at(claim: Claim, point: FieldPoint) -> bool:
    """Tell whether the residual is zero at a point, in all cases."""
    for symbols in claim.unit_vectors:
        point.set_unit_vector(symbols)
    at = InField(point, claim.inputs)
    differs = False
    # all cases must be defined, also where an earlier one differs
    for _ in point.cases.runs():
        differs |= any(x % point.p for x in claim.residual(at))
    return not differs


# ---- real numbers


def counterexample(claim: Claim) -> Point | None:
    """Return a rational point at which the residual is certainly not zero, or None."""
    for bits in PRECISIONS:
        for point in real_points(claim):
            residual = _residual(claim, point, bits) or []
            if any(x.is_finite() and not x.contains(0) for x in residual):
                return point
    return None


def real_points(claim: Claim) -> Iterator[Point]:
    """Yield rational points, the same for the same claim."""
    rng = random.Random(1743)
    symbols = list(dict.fromkeys(x for group in claim.inputs.values() for x in group))
    for _ in range(REAL_POINTS):
        yield rational_point(symbols, claim.unit_vectors, rng)


def _is_defined(claim: Claim, point: Point) -> bool:
    residual = _residual(claim, point, PRECISIONS[0])
    return residual is not None and all(x.is_finite() for x in residual)


def _residual(claim: Claim, point: Point, bits: int) -> Numbers | None:
    """Return the residual in balls, or None where a hypothesis does not certainly hold."""
    with precision(bits):
        at = InBalls(point, claim.inputs)
        residual = claim.residual(at)
        return residual if at.is_admissible else None
