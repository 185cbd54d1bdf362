"""Where two elements differ, term by term: what is missing, what should not be there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import Undecided
from dalembert.expr import Expr, Matrix, Notation
from dalembert.mechanics.answers.grade import Fault
from dalembert.mechanics.answers.on_domain import resolved
from dalembert.mechanics.answers.slips import name_slip
from dalembert.mechanics.proofs.domain import restricted
from dalembert.mechanics.proofs.identity import ring_for
from dalembert.ring import Element, Ring, canonical_all, is_zero, partials, rebuild, refute
from dalembert.typeset.printer import text

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

MAX_SHOWN = 24
"""A difference with more terms is not written out."""


class Pair(NamedTuple):
    """The terms of an answer that are not right, and the right terms that it does not have."""

    mine: Element
    right: Element


def in_one_ring(
    eq: Equations, mine: Sequence[Expr], expected: Sequence[Element]
) -> tuple[Ring, list[Element], list[Element]]:
    """Return the answer and what is expected as elements of one ring.

    Where the system is defined on a part of the states only, they are compared there.
    """
    if restricted(eq.system):
        # √(x²) is |x| in the ring, and x where the system has √x
        simple = [rebuild(x) for x in canonical_all(ring_for(eq, mine), mine)]
        mine = resolved(eq, simple)
        expected = canonical_all(eq.ring, resolved(eq, [rebuild(x) for x in expected]))
    ring = ring_for(eq, mine)
    if ring is not eq.ring:
        expected = canonical_all(ring, [rebuild(x) for x in expected])
    return ring, canonical_all(ring, mine), list(expected)


def vanishes(x: Element) -> bool:
    """Tell whether an element is zero wherever it is defined; both answers are certain.

    Raises:
        Undecided: neither a proof nor a point where it differs from zero was found.
    """
    try:
        return is_zero(x)
    except Undecided:
        # zero on one side only, as x - |x|: one point is enough
        if refute(rebuild(x)) is not None:
            return False
        raise


def depends(x: Element, symbols: Collection[Expr]) -> bool:
    """Tell whether an element has some of the symbols, or a function of them."""
    generators = x.ring.generators
    return any(not set(symbols).isdisjoint(generators[i].symbols) for i in x.used())


def is_affine(x: Element, symbols: Sequence[Expr]) -> bool:
    """Tell whether an element is a sum of the symbols, times what does not have them, and a rest.

    |u| and sin u are none in u, and neither is sign u, whose slope is zero.
    """
    inside = [y for y in symbols if y in x.ring.index]
    slopes = [d(x) for d in partials(x.ring, inside)]
    for slope, y in zip(slopes, inside, strict=True):
        x = x - slope * x.ring.element_of(y)
    return not any(depends(y, inside) for y in (*slopes, x))


def open_terms(mine: Element, expected: Element) -> Pair:
    """Return the terms that only one of two elements has; equal ones are left out.

    Terms are compared above each denominator by itself.
    """
    return Pair(_without(mine, expected), _without(expected, mine))


def _without(x: Element, other: Element) -> Element:
    """Return the terms of an element that another one does not have."""
    ring, known = x.ring, dict(other.parts())
    left = ring.zero
    for key, p in x.parts():
        theirs = known[key].to_dict() if key in known else {}
        terms = {e: k for e, k in p.to_dict().items() if theirs.get(e) != k}
        left = left + ring.polynomial(ring.context.from_dict(terms)).over(key)
    return left


def count_terms(pair: Pair) -> int:
    """Return how many terms differ."""
    return len(pair.mine) + len(pair.right)


def fault(eq: Equations, where: str, mine: Element, expected: Element) -> Fault:
    """Return the words for two elements that differ, and the slip that explains them if known."""
    pair = open_terms(mine, expected)
    difference = expected - mine
    hint = name_slip(eq, pair.mine, pair.right, mine, expected)
    shown = None if len(difference) > 50 * MAX_SHOWN else rebuild(difference)
    return Fault(where, _words(eq.notation, pair, difference), hint, shown)


def entry_faults(
    eq: Equations, mine: Matrix, expected: Matrix, where: str = "entry"
) -> list[Fault]:
    """Return a fault for each entry that differs; of a symmetric pair the first is enough."""
    m, n = mine.shape
    found = []
    for i in range(m):
        for j in range(n):
            twin = (j, i) if j < i and m == n else None
            if vanishes(expected[i, j] - mine[i, j]):
                continue
            if twin and mine[twin] == mine[i, j] and expected[twin] == expected[i, j]:
                continue
            place = f"{where} ({i + 1}, {j + 1})" if n > 1 else f"{where} {i + 1}"
            found.append(fault(eq, place, mine[i, j], expected[i, j]))
    return found


def written(notation: Notation, x: Element) -> str:
    """Return an element in the notation of the system."""
    return text(x, notation=notation, named=False)


def _words(notation: Notation, pair: Pair, difference: Element) -> str:
    if len(pair.mine) + len(pair.right) > MAX_SHOWN:
        if len(difference) > MAX_SHOWN:
            return f"differs from what is right by a sum of {len(difference)} terms"
        return f"what is right minus yours is {written(notation, difference)}"
    if pair.mine.is_surely_zero:
        return f"missing {_counted(written(notation, pair.right))}"
    if pair.right.is_surely_zero:
        return f"superfluous {_counted(written(notation, pair.mine))}"
    return f"{written(notation, pair.mine)} should be {written(notation, pair.right)}"


def _counted(terms: str) -> str:
    """Return "term …", or "terms …" for a sum."""
    depth = 0
    for c in terms[1:]:
        depth += (c == "(") - (c == ")")
        if c in "+-" and depth == 0:
            return f"terms {terms}"
    return f"term {terms}"
