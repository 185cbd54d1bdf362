"""Say of proofs on which part of the states they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.mechanics.proofs.domain import smooth_where
from dalembert.mechanics.proofs.proof import Proof

if TYPE_CHECKING:
    from dalembert.mechanics.system.system import System

EVERYWHERE = " everywhere"


def on_domain(system: System, proofs: Sequence[Proof | None]) -> list[Proof]:
    """Return the proofs under the conditions that their description is defined and smooth."""
    # derivatives of what was written exist where it is smooth
    where = smooth_where(system.differentiated())
    found = [proof.under(where) for proof in proofs if proof is not None]
    if not where:
        return found
    # the M of a T with √x is none for x < 0
    return [replace(p, statement=p.statement.removesuffix(EVERYWHERE)) for p in found]
