"""The audit of `da.equal`: how many verdicts on statements of known truth are wrong."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import dalembert as da
from dalembert.expr import free_symbols
from tests.laws.statements import Statement, gap, statement

DIGITS = 60
# rounding of sixty digits through some dozen operations
AGREED = 1e-35
FINE_DIGITS = 450


def audit(pairs: int, seed: int = 2026) -> dict[str, int]:
    """Return the number of pairs and of false True, false False, undecided and pointless verdicts.

    "pointless" counts a False whose `counterexample` gives no point where mpmath sees a difference,
    "raised" what is neither a verdict nor undecided.
    """
    counts = Counter({"pairs": 0, "true": 0, "false_true": 0, "false_false": 0, "undecided": 0})
    counts["pointless"] = counts["raised"] = 0
    for _, found in verdicts(pairs, seed):
        counts.update(found)
    return dict(counts)


def verdicts(pairs: int, seed: int) -> Iterator[tuple[Statement, list[str]]]:
    """Yield statements with what is to be counted of their verdicts."""
    rng = random.Random(seed)
    for _ in range(pairs):
        claim = statement(rng)
        yield claim, judged(claim)


def judged(claim: Statement) -> list[str]:
    """Return the names of the counts that a statement adds to."""
    found = ["pairs"] + ["true"] * claim.is_true
    try:
        verdict = da.equal(claim.left, claim.right)
    except da.Undecided:
        return [*found, "undecided"]
    except da.DalembertError:
        return [*found, "raised"]
    if verdict and not claim.is_true:
        found.append("false_true")
    if not verdict and claim.is_true:
        found.append("false_false")
    if not verdict:
        point = da.counterexample(claim.left, claim.right)
        seen = None if point is None else gap(claim, point, FINE_DIGITS)
        if not seen:
            found.append("pointless")
    return found


def contradicted(claim: Statement, rng: random.Random) -> bool:
    """Tell whether mpmath sees at random points that the truth of a statement is another.

    Of a false one it cannot tell: where no difference is seen there may be a small one.
    """
    symbols = free_symbols([claim.left, claim.right])
    for _ in range(4):
        point = {x: Fraction(rng.randint(1, 10**6), 10**6) for x in symbols}
        apart = gap(claim, point, DIGITS)
        if claim.is_true and apart is not None and apart > AGREED:
            return True
    return False
