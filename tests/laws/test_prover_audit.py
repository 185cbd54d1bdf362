"""No statement of known truth gets the wrong verdict; DALEMBERT_STATEMENTS=20000 tries so many."""

from __future__ import annotations

import os
import random

import dalembert as da
from dalembert.expr.graph import outline
from tests.effort import effort
from tests.figures import Figures
from tests.laws.audit import contradicted, judged, verdicts
from tests.laws.statements import statement

PAIRS = 200
# true statements whose functions have no common rule, as log and atan2 of products
MOST_UNDECIDED = 0.03


def text(e: da.Expr) -> str:
    """Return the whole structure, also of functions without a definition."""
    return outline(e, depth=100)


def test_no_verdict_is_wrong(figures: Figures) -> None:
    pairs = int(os.environ.get("DALEMBERT_STATEMENTS", effort(PAIRS)))
    undecided = wrong = 0
    for claim, found in verdicts(pairs, seed=2026):
        faults = {"false_true", "false_false", "pointless", "raised"} & set(found)
        if faults:
            wrong += 1
            print(f"{faults}: {claim.made_by}\n{text(claim.left)}\n{text(claim.right)}")
        undecided += "undecided" in found
    figures.count("statements of known truth", pairs)
    figures.count("wrong verdicts", wrong)
    figures.count("of these undecided", undecided)
    assert wrong == 0
    assert undecided <= MOST_UNDECIDED * pairs + 1


def test_the_truth_of_the_statements_is_what_mpmath_sees() -> None:
    rng = random.Random(7)
    for _ in range(effort(60)):
        claim = statement(rng)
        assert not contradicted(claim, rng), (
            f"{claim.made_by}\n{text(claim.left)}\n{text(claim.right)}"
        )


def test_the_audit_counts_a_wrong_verdict() -> None:
    """A statement that is called false but holds is counted: the audit can fail."""
    rng = random.Random(11)
    claims = [statement(rng) for _ in range(30)]
    lies = [claim._replace(is_true=not claim.is_true) for claim in claims]
    assert any("false_true" in judged(lie) for lie in lies)
    assert any("false_false" in judged(lie) for lie in lies)
