"""Decide whether an element is zero: a proof, a certificate of the contrary, or `Undecided`."""

from __future__ import annotations

from dalembert.errors import Undecided
from dalembert.expr.graph import outline
from dalembert.ring.prove.zero import is_proved_zero
from dalembert.ring.rebuild import rebuild
from dalembert.ring.ring import Element

MAX_TERMS = 2_000


def is_zero(x: Element) -> bool:
    """Tell whether an element is zero as a function; both answers are certain.

    Raises:
        Undecided: neither a proof nor a point where it differs from zero was found.
    """
    if x.is_surely_zero:
        return True
    if x.is_surely_nonzero:
        return False
    e = rebuild(x) if len(x) <= MAX_TERMS else None
    if e is not None and is_proved_zero(e):
        return True
    words = f"{len(x):,} terms" if e is None else outline(e)
    raise Undecided(
        f"expected to decide whether {words} is zero, got neither a proof nor a point where it is "
        "not: rewrite the expressions with the same functions"
    )
