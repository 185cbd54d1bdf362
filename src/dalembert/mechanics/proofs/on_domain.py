"""Say of proofs on which part of the states they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.mechanics.proofs.domain import conditions, texts
from dalembert.mechanics.proofs.hypotheses import are_known_to_meet
from dalembert.mechanics.proofs.proof import Proof

if TYPE_CHECKING:
    from dalembert.mechanics.system.system import System

EVERYWHERE = " everywhere"


NOWHERE = "the description was found to be defined at no state"


def on_domain(system: System, proofs: Sequence[Proof | None]) -> list[Proof]:
    """Return the proofs under the conditions that their description is defined and smooth.

    Where no state is known that satisfies them, nothing is proved.
    """
    # derivatives of what was written exist where it is smooth
    where = conditions(system.differentiated(), is_smooth=True)
    found = [proof.under(texts(where)) for proof in proofs if proof is not None]
    if not are_known_to_meet(where):
        found = [
            replace(proof, verdict="undecided", method=NOWHERE) if proof.is_proved else proof
            for proof in found
        ]
    if not any(condition.moves for condition in where):
        return found
    # the M of a T with √x is none for x < 0
    return [replace(p, statement=p.statement.removesuffix(EVERYWHERE)) for p in found]
