"""One statement by identities: proved when all differences vanish, else refuted at a point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ParamSpec

from dalembert.errors import DalembertError
from dalembert.expr import Expr, Matrix
from dalembert.mechanics.proofs.domain import restricted
from dalembert.mechanics.proofs.proof import Proof
from dalembert.ring import Element, Ring, canonical_all, has_place, rebuild, refute, ring_of

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

IDENTICAL = "canonical forms identical"
P = ParamSpec("P")
FEW_TERMS, MAX_SHOWN_TERMS, MAX_SHOWN_LENGTH = 8, 60, 120
"""A difference is written out if it has few terms, or is short when it is collected."""


def identity(
    ring: Ring,
    statement: str,
    differences: Iterable[Element],
    method: str,
    hypotheses: Sequence[str] = (),
    places: Sequence[str] = (),
    where: Sequence[Expr] = (),
) -> Proof:
    """Return the proof that all differences vanish identically, or a point where one does not.

    ``places`` says in words where each difference is; of a matrix it is the entry. The statement
    is about points where the expressions ``where`` are defined.
    """
    listed = list(differences)
    if not places and isinstance(differences, Matrix):
        places = _entries(*differences.shape)
    words = [f"in {place} " for place in places] or [""] * len(listed)
    pairs = zip(listed, words, strict=True)
    open_differences = [(x, place) for x, place in pairs if not x.is_surely_zero]
    if not open_differences:
        return Proof(statement, "proved", method, tuple(hypotheses))
    for difference, place in open_differences:
        point = refute(rebuild(difference), where=where)
        # what is not zero may still be zero where the description is defined: |x| - x is, with √x
        if point is not None or (difference.is_surely_nonzero and not where):
            reason = differ_by(difference, place)
            return Proof(statement, "refuted", reason, tuple(hypotheses), point)
    return Proof(
        statement,
        "undecided",
        f"{differ_by(*open_differences[0])}, of which it is not known whether it is zero: no point "
        "was found where it is not",
        tuple(hypotheses),
    )


def _entries(num_rows: int, num_columns: int) -> list[str]:
    """Return ``row 2`` for every entry of a column, ``entry (1, 2)`` for those of a matrix."""
    if num_rows * num_columns == 1:
        return []
    rows, columns = range(1, num_rows + 1), range(1, num_columns + 1)
    if num_columns == 1:
        return [f"row {i}" for i in rows]
    return [f"entry ({i}, {j})" for i in rows for j in columns]


def are_as_written(
    eq: Equations,
    statement: str,
    claimed: Sequence[Element],
    written: Sequence[Expr],
    method: str,
    places: Sequence[str] = (),
) -> Proof:
    """Return the proof that parts of the equations are expressions as written, in one ring."""
    ring = ring_for(eq, written)
    if ring is not eq.ring:
        claimed = canonical_all(ring, [rebuild(x) for x in claimed])
    differences = [a - b for a, b in zip(claimed, canonical_all(ring, written), strict=True)]
    described = f"{method}: {IDENTICAL}"
    return identity(ring, statement, differences, described, (), places, restricted(eq.system))


def attempt(
    statement: Callable[P, Proof | None], *args: P.args, **kwargs: P.kwargs
) -> Proof | None:
    """Return the proof, or an undecided one where its formulas are too large or have no value.

    One statement that is out of reach leaves the others untouched. The first line of a function
    that proves something is its statement.
    """
    try:
        return statement(*args, **kwargs)
    except DalembertError as error:
        first, *_ = (statement.__doc__ or statement.__name__.replace("_", " ")).splitlines()
        return Proof(first.rstrip("."), "undecided", str(error))


def differ_by(difference: Element, place: str = "") -> str:
    """Return the sentence that says by how much the two sides differ, and where."""
    words = f"the two sides differ {place}by"
    if len(difference) <= MAX_SHOWN_TERMS:
        text = str(rebuild(difference))
        if len(difference) <= FEW_TERMS or len(text) <= MAX_SHOWN_LENGTH:
            return f"{words} {text}"
    return f"{words} a sum of {len(difference)} terms"


def ring_for(eq: Equations, exprs: Sequence[Expr]) -> Ring:
    """Return the ring of the equations, or a larger one when the expressions need it."""
    if has_place(eq.ring, exprs):
        return eq.ring
    symbols = [g for g in eq.ring.generators if g.op == "symbol"]
    return ring_of([*eq.system.expressions(), *eq.ring.generators, *exprs], symbols)
