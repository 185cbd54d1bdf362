"""Angles of a ring: which are known exactly, which are independent, and the addition theorem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from dalembert.errors import TooLarge
from dalembert.expr import PI, Expr, constant, sqrt
from dalembert.expr.fold import add, mul
from dalembert.expr.functions import sine_of_turns
from dalembert.expr.graph import structure
from dalembert.expr.node import make
from dalembert.ring.choose.lattice import combination, lattice_basis
from dalembert.ring.choose.nesting import nesting

if TYPE_CHECKING:
    from dalembert.ring.ring import Element, Ring

MAX_MULTIPLE = 2000

LinearForm = dict[Expr, Fraction]
"""{term: coefficient}, which stands for Σ coefficient · term."""


def form_expr(form: LinearForm) -> Expr:
    """Return Σ coefficient · term as an expression."""
    result = constant(0)
    for term, k in form.items():
        result = add(result, mul(constant(k), term))
    return result


def known_pair(term: Expr, k: Fraction) -> tuple[Expr, Expr, int] | None:
    """Return (sin, cos, n) with k·term = n times an angle of known sine and cosine, or None."""
    if term is PI:
        s, c = sine_of_turns(k), sine_of_turns(k + Fraction(1, 2))
        return None if s is None or c is None else (s, c, 1)
    if k.denominator != 1:
        return None
    match term.op:
        case "asin":
            x = term.args[0]
            return x, sqrt(1 - x**2), int(k)
        case "acos":
            x = term.args[0]
            return sqrt(1 - x**2), x, int(k)
        case "atan2":
            y, x = term.args
            r = sqrt(x**2 + y**2)
            return y / r, x / r, int(k)
    return None


def split_known(form: LinearForm) -> tuple[LinearForm, list[tuple[Expr, Expr, int]]]:
    """Separate the terms of known sine and cosine from the free ones."""
    free: LinearForm = {}
    known = []
    for term, k in form.items():
        pairs = [known_pair(term, part) for part in _known_turns(k)] if term is PI else []
        pair = known_pair(term, k)
        if pair is not None:
            known.append(pair)
        elif pairs:
            known += [p for p in pairs if p is not None]
        else:
            free[term] = k
    return free, known


def _known_turns(k: Fraction) -> list[Fraction]:
    """Split a multiple of 1/12, such as 5/12, into thirds and quarters; empty for others."""
    n = k * 12
    if n.denominator != 1:
        return []
    # n = 4a + 3b
    a = int(n) % 3
    return [Fraction(a, 3), Fraction(int(n) - 4 * a, 12)]


def independent_angles(forms: Iterable[LinearForm], *, ordered: bool = False) -> list[LinearForm]:
    """Return angles of which every form is a whole combination, taken from the forms if possible.

    Keeping q₁, q₁+q₂, q₁+q₂+q₃ as they occur, rather than expanding them into q₁, q₂, q₃, keeps
    the polynomials of a planar chain small: cos(q₂+q₃) is two terms instead of four. They come in
    the order of appearance, or ``ordered`` by the coordinates they contain, simple ones first.
    None is written by an angle that has it inside: sin x by those of x + sin x and 2x + sin x.
    """
    distinct = {frozenset(form.items()): form for form in forms if form}
    terms = list(dict.fromkeys(term for form in distinct.values() for term in form))
    # by name and structure, not by what was made first
    terms.sort(key=lambda term: (term.op != "symbol", structure(term)))
    vectors = [[form.get(term, Fraction(0)) for term in terms] for form in distinct.values()]
    if ordered:
        # simple ones first: which are taken does not depend on what was made first
        vectors.sort(key=lambda v: (sum(map(abs, v)), [abs(k) for k in reversed(v)], v))
    levels = [nesting(term) for term in terms]
    vectors.sort(key=lambda v: max(level for level, k in zip(levels, v, strict=True) if k))
    scale = lcm(*(k.denominator for v in vectors for k in v)) if vectors else 1
    basis = lattice_basis([[int(k * scale) for k in v] for v in vectors], scale, levels)
    if ordered:
        basis.sort(key=lambda v: [abs(k) for k in reversed(v)])
    return [
        {term: Fraction(k, scale) for term, k in zip(terms, v, strict=True) if k} for v in basis
    ]


def sine_and_cosine(form: LinearForm) -> tuple[Expr, Expr]:
    """Return the generators of an independent angle, unfolded nodes."""
    angle = form_expr(form)
    return make("sin", (angle,)), make("cos", (angle,))


Term = TypeVar("Term")
Multiples = Sequence[tuple[int, int]]
"""(number of an angle, whole multiple) pairs."""


def angle_multiples(
    angles: Sequence[Mapping[Term, Fraction]], form: Mapping[Term, Fraction]
) -> list[tuple[int, int]] | None:
    """Return (number, whole multiple) with Σ multiple · angle = form for independent angles.

    None if no whole multiples fit.
    """
    terms = list(dict.fromkeys([*form, *(t for angle in angles for t in angle)]))
    vectors = [[angle.get(t, Fraction(0)) for t in terms] for angle in angles]
    target = [form.get(t, Fraction(0)) for t in terms]
    scale = lcm(*(k.denominator for v in [*vectors, target] for k in v))
    k = combination(
        [[int(x * scale) for x in v] for v in vectors], [int(x * scale) for x in target]
    )
    if k is None or any(x.denominator != 1 for x in k):
        return None
    return [(i, int(x)) for i, x in enumerate(k) if x]


Pair: TypeAlias = "tuple[Element, Element]"


def turn(a: Pair, b: Pair) -> Pair:
    """Return (sin, cos) of the sum of two angles given by their (sin, cos)."""
    (s1, c1), (s2, c2) = a, b
    return s1 * c2 + c1 * s2, c1 * c2 - s1 * s2


def turn_times(ring: Ring, pair: Pair, n: int) -> Pair:
    """Return (sin, cos) of n times the angle."""
    if abs(n) > MAX_MULTIPLE:
        raise TooLarge(
            f"expected multiples of an angle up to {MAX_MULTIPLE}, got {n}: "
            "rescale the coordinate or evaluate numerically"
        )
    if n < 0:
        pair, n = (-pair[0], pair[1]), -n
    result = (ring.zero, ring.one)
    while n:
        if n & 1:
            result = turn(result, pair)
        n >>= 1
        if n:
            pair = turn(pair, pair)
    return result
