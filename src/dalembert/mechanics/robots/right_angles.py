"""Right angles that a file gives by a few digits: where they cost, it is said whose they are.

A rotation by 1.5708 instead of π/2 has no zeros, and equations get many times as many terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from dalembert.errors import TooLarge
from dalembert.mechanics.proofs.proof import Proof
from dalembert.mechanism import Mechanism
from dalembert.mechanism.io.xml.angles import rounded_angles


@contextmanager
def naming_rounded_angles(mechanism: Mechanism) -> Iterator[None]:
    """Let a refusal by size say which angles of the file are rounded, and how to mend them."""
    try:
        yield
    except TooLarge as error:
        words = rounded_words(mechanism)
        if not words or words in str(error):
            raise
        raise TooLarge(f"{error}\n{words}") from None


def with_rounded_angles(mechanism: Mechanism, proofs: list[Proof]) -> list[Proof]:
    """Return the proofs, the first with a note if rounded angles made the equations large."""
    words = rounded_words(mechanism)
    if words and proofs:
        proofs[0] = replace(proofs[0], notes=(*proofs[0].notes, words))
    return proofs


def rounded_words(mechanism: Mechanism) -> str:
    """Return a sentence on the rounded angles of a mechanism; nothing if it has none."""
    owners = rounded_angles(mechanism.notes)
    if not owners:
        return ""
    return (
        f"rounded right angles make many times as many terms ({owners}): "
        "load with repair={'angles'}, or write more digits"
    )
