"""Expressions by their canonical form: as linear forms, without a number in front, as powers."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from dalembert.expr import ONE, Expr
from dalembert.ring.canonical import canonical
from dalembert.ring.choose import arguments
from dalembert.ring.choose.angles import LinearForm
from dalembert.ring.choose.build import ring_of
from dalembert.ring.rebuild import rebuild
from dalembert.ring.ring import Element
from dalembert.ring.waves import linked_angles

MAX_SWEEPS = 4


def linear_form(e: Expr) -> LinearForm:
    """Return {term: coefficient} with Σ coefficient · term = e, over symbols or monomials.

    A constant has the term 1.

    >>> from dalembert import coordinates
    >>> a, b = coordinates("a b")
    >>> linear_form(2 * (a - b) + b) == {a: 2, b: -1}
    True
    """
    form = arguments.plain_form(e)
    return dict(_expanded_form(e)) if form is None else form


@lru_cache(maxsize=4096)
def _expanded_form(e: Expr) -> LinearForm:
    return arguments.linear_form(_form(e))


@lru_cache(maxsize=4096)
def perfect_root(e: Expr, degree: int) -> Expr | None:
    """Return x with e = x ** degree when the canonical form is such a power, else None."""
    if e.op in ("symbol", "const", "pi"):
        return None
    root = arguments.perfect_root(_form(e), degree)
    return None if root is None else rebuild(root)


@lru_cache(maxsize=4096)
def canonical_argument(e: Expr) -> tuple[Fraction, Expr]:
    """Return (k, x) with e = k·x; x is canonical, coprime, with a positive first coefficient.

    Of a number x is 1, so a hidden zero or number is seen here.
    """
    if e.op == "symbol" or e.op == "pi":
        return Fraction(1), e
    if e.op == "const":
        return e.value, ONE
    k, x = Fraction(1), e
    # rebuilt with single angles, a form may have another first coefficient: until it stays
    for _ in range(MAX_SWEEPS):
        content, element = arguments.primitive(_form(x))
        before, x = x, rebuild(element)
        k *= content
        if x is before or x is ONE or not linked_angles(element.ring):
            break
    return k, x


def _form(e: Expr) -> Element:
    """Return the canonical form of an expression in a ring of its own."""
    # ordered: an equal expression written otherwise must get the same leading coefficient
    return canonical(ring_of([e], ordered=True), e)
