"""One statement by identities: proved when all differences vanish, else refuted at a point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ParamSpec

from dalembert.errors import TooLarge, Undecided
from dalembert.expr import Expr
from dalembert.mechanics.proofs.proof import Proof
from dalembert.ring import Element, Ring, canonical_all, rebuild, refute, ring_of

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

IDENTICAL = "canonical forms identical"
P = ParamSpec("P")
MAX_SHOWN_TERMS = 8
"""A difference with more terms is not written out."""


def identity(
    ring: Ring,
    statement: str,
    differences: Iterable[Element],
    method: str,
    hypotheses: Sequence[str] = (),
) -> Proof:
    """Return the proof that all differences vanish identically, or a point where one does not."""
    open_differences = [x for x in differences if not x.is_zero]
    if not open_differences:
        return Proof(statement, "proved", method, tuple(hypotheses))
    for difference in open_differences:
        point = refute(rebuild(difference))
        if point is not None or ring.is_complete:
            return Proof(statement, "refuted", differ_by(difference), tuple(hypotheses), point)
    return Proof(
        statement,
        "undecided",
        f"{differ_by(open_differences[0])}, of which it is not known whether it is zero: no point "
        "was found where it is not",
        tuple(hypotheses),
    )


def are_as_written(
    eq: Equations,
    statement: str,
    claimed: Sequence[Element],
    written: Sequence[Expr],
    method: str,
) -> Proof:
    """Return the proof that parts of the equations are expressions as written, in one ring."""
    ring = ring_for(eq, written)
    if ring is not eq.ring:
        claimed = canonical_all(ring, [rebuild(x) for x in claimed])
    differences = [a - b for a, b in zip(claimed, canonical_all(ring, written), strict=True)]
    return identity(ring, statement, differences, f"{method}: {IDENTICAL}")


def attempt(
    statement: Callable[P, Proof | None], *args: P.args, **kwargs: P.kwargs
) -> Proof | None:
    """Return the proof, or an undecided one if its formulas are too large or cannot be decided.

    One statement that is out of reach leaves the others untouched. The first line of a function
    that proves something is its statement.
    """
    try:
        return statement(*args, **kwargs)
    except (TooLarge, Undecided) as error:
        first, *_ = (statement.__doc__ or statement.__name__).splitlines()
        return Proof(first.rstrip("."), "undecided", str(error))


def differ_by(difference: Element) -> str:
    """Return the sentence that says by how much the two sides differ."""
    if len(difference) > MAX_SHOWN_TERMS:
        return f"the two sides differ by a sum of {len(difference)} terms"
    return f"the two sides differ by {rebuild(difference)}"


def ring_for(eq: Equations, exprs: Sequence[Expr]) -> Ring:
    """Return the ring of the equations, or a larger one when the expressions need it."""
    needed = ring_of(exprs)
    if all(g in eq.ring.index for g in needed.generators):
        return eq.ring
    symbols = [g for g in eq.ring.generators if g.op == "symbol"]
    return ring_of([*eq.system.expressions(), *eq.ring.generators, *exprs], symbols)
