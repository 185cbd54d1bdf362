"""Recognise the commonest slips: what turns a wrong answer into the right one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import flint

from dalembert.errors import DalembertError
from dalembert.expr import (
    Expr,
    constant,
    cos,
    free_symbols,
    postorder,
    sin,
    substitute,
    symbol_text,
)
from dalembert.expr.functions import rebuild as rebuild_node
from dalembert.ring import Element, Ring, canonical, rebuild

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

MAX_TERMS = 60
"""Slips are looked for in differences of at most so many terms."""


class Slip(NamedTuple):
    """The terms that differ, and the whole of what they stand in."""

    eq: Equations
    mine: Element
    right: Element
    whole_mine: Element
    whole_right: Element


def name_slip(
    eq: Equations, mine: Element, expected: Element, whole_mine: Element, whole_right: Element
) -> str:
    """Return the slip that explains a difference, or an empty text."""
    if len(mine) + len(expected) > MAX_TERMS:
        return ""
    slip = Slip(eq, mine, expected, whole_mine, whole_right)
    for recognise in RECOGNISED:
        try:
            words = recognise(slip)
        except DalembertError:
            # a guess that cannot be followed up explains nothing; the verdict does not need it
            continue
        if words:
            return words
    return ""


def _opposite_sign(slip: Slip) -> str:
    if slip.mine.is_surely_zero or not (slip.mine + slip.right).is_surely_zero:
        return ""
    if _all_contain(slip.right, _gravity(slip.eq)):
        return "the sign of gravity is opposite"
    if slip.mine == slip.whole_mine and slip.right == slip.whole_right:
        return "the sign is opposite"
    return "the sign is opposite here"


def _number_factor(slip: Slip) -> str:
    """Recognise a forgotten ½ or 2, or any other number."""
    if slip.mine.is_surely_zero or slip.right.is_surely_zero:
        return ""
    k = slip.mine / slip.right
    if not (k.is_polynomial and k.polynomial.is_constant()):
        return ""
    value = k.polynomial.leading_coefficient()
    if value == 2:
        return "twice too much: a factor ½ is forgotten"
    if value * 2 == 1:
        return "half of what is right: a factor 2 is forgotten"
    if value == -2 or value * -2 == 1:
        return "the sign is opposite, and a factor ½ or 2 is wrong"
    return f"the number should be multiplied by {1 / value}"


def _forgotten_gravity(slip: Slip) -> str:
    if slip.mine.is_surely_zero and _all_contain(slip.right, _gravity(slip.eq)):
        return "gravity is forgotten here"
    return ""


def _forgotten_body(slip: Slip) -> str:
    """Recognise an answer that is right for a mass or an inertia of zero."""
    if not slip.mine.is_surely_zero:
        return ""
    for p, words in _inertias(slip.eq):
        if p not in slip.right.ring.index or not _all_contain(slip.right, [p]):
            continue
        without = _substituted(slip.whole_right, {p: 0})
        if (without - slip.whole_mine).is_surely_zero:
            return words
    return ""


def _inertias(eq: Equations) -> Iterator[tuple[Expr, str]]:
    """Yield the masses and moments of inertia of the bodies, with what to say of each."""
    for number, body in enumerate(eq.system.bodies, 1):
        for p in free_symbols(_entries(body.inertia)):
            yield p, f"the moment of inertia {p} of body {number} is forgotten"
        for p in free_symbols(_entries(body.mass)):
            yield p, f"the mass {p} of body {number} is forgotten"
    for p in eq.parameters if not eq.system.bodies else ():
        if symbol_text(p)[0] in "mIJ":
            yield p, f"as if {p} were zero"


def _forgotten_velocity_products(slip: Slip) -> str:
    """Recognise a missing centrifugal term, of squares, or Coriolis term, of products."""
    if not slip.mine.is_surely_zero or not slip.right.is_polynomial:
        return ""
    places = [slip.right.ring.index[v] for v in slip.eq.velocities if v in slip.right.ring.index]
    powers = {tuple(int(e[i]) for i in places) for e in slip.right.polynomial.to_dict()}
    if any(sum(p) != 2 for p in powers):
        return ""
    squares, products = any(2 in p for p in powers), any(2 not in p for p in powers)
    if squares and products:
        return "centrifugal and Coriolis terms are forgotten"
    return f"a {'centrifugal' if squares else 'Coriolis'} term is forgotten"


def _forgotten_acceleration(slip: Slip) -> str:
    if slip.mine.is_surely_zero and _all_contain(slip.right, slip.eq.system.accelerations):
        return "a term with an acceleration is forgotten"
    return ""


def _sine_for_cosine(slip: Slip) -> str:
    """Recognise sines where cosines belong, or cosines where sines do."""
    if slip.mine.is_surely_zero or slip.right.is_surely_zero:
        return ""
    e = rebuild(slip.mine)
    angles = list(dict.fromkeys(n.args[0] for n in postorder([e]) if n.op in ("sin", "cos")))
    for angle in angles:
        turned = canonical(slip.mine.ring, _exchanged(e, [angle]))
        if (turned - slip.right).is_surely_zero:
            return f"sine and cosine of {angle} are exchanged"
        if (turned + slip.right).is_surely_zero:
            return f"sine and cosine of {angle} are exchanged, and the sign is opposite"
    turned = canonical(slip.mine.ring, _exchanged(e, angles))
    return (
        "sines and cosines are exchanged" if (turned - slip.right).is_surely_zero and angles else ""
    )


def _wrong_symbol(slip: Slip) -> str:
    """Recognise one symbol written for another, such as l₁ for l₂."""
    if slip.mine.is_surely_zero or slip.right.is_surely_zero:
        return ""
    for a in _symbols(slip.mine):
        for b in _symbols(slip.right):
            if a is b or not _is_same_kind(a, b):
                continue
            if (_substituted(slip.mine, {a: b}) - slip.right).is_surely_zero:
                return f"{a} stands where {b} should"
    return ""


def _missing_factor(slip: Slip) -> str:
    """Recognise a product that lacks a factor, or has one too many."""
    if slip.mine.is_surely_zero or slip.right.is_surely_zero:
        return ""
    k = slip.right / slip.mine
    ring, (num, den) = k.ring, k.over_one()
    if len(num) != 1 or len(den) != 1:
        return ""
    lacks, surplus = rebuild(ring.polynomial(num)), rebuild(ring.polynomial(den))
    number = _number_for(num, den, ring)
    if number:
        return number
    if surplus.op == "const":
        return f"a factor {lacks} is missing"
    if any(x.op == "const" and abs(x.value) != 1 for x in postorder([lacks, surplus])):
        # a number among letters was put in for one of them, who knows which
        return ""
    if lacks.op == "const":
        return f"a factor {surplus} is too many"
    if surplus.op == lacks.op == "pow" and surplus.value == lacks.value == 2:
        # l/g for g/l: what is missing is the square of the right quotient
        a, b = surplus.args[0], lacks.args[0]
        return f"{a}/{b} stands where {b}/{a} should"
    return f"{surplus} stands where {lacks} should"


def _number_for(num: flint.fmpq_mpoly, den: flint.fmpq_mpoly, ring: Ring) -> str:
    """Recognise 9.81 where g should stand: the lacking factor is the letter over the number."""
    if not den.is_constant() or sum(map(int, num.degrees())) != 1:
        return ""
    k = num.leading_coefficient() / den.leading_coefficient()
    if abs(k) == 1:
        return ""
    letter = rebuild(ring.polynomial(num / num.leading_coefficient()))
    return f"{constant(Fraction(int(k.q), int(k.p)))} stands where {letter} should"


RECOGNISED: tuple[Callable[[Slip], str], ...] = (
    _opposite_sign,
    _number_factor,
    _forgotten_gravity,
    _forgotten_velocity_products,
    _forgotten_body,
    _forgotten_acceleration,
    _sine_for_cosine,
    _wrong_symbol,
    _missing_factor,
)


def _gravity(eq: Equations) -> list[Expr]:
    """Return the symbols of gravity: those of the vector, or a parameter called g.

    None where applied forces contain them: friction μ m g is no gravity.
    """
    vector = eq.system.gravity
    found = list(free_symbols(vector.entries)) if vector is not None else []
    found = found or [p for p in eq.parameters if p.symbol and p.symbol.name == "g"]
    applied = free_symbols([*eq.system.forces, eq.system.dissipation])
    return [] if any(p in applied for p in found) else found


def _all_contain(x: Element, symbols: list[Expr] | tuple[Expr, ...]) -> bool:
    """Tell whether every term of a numerator has one of the symbols as a factor."""
    places = [x.ring.index[s] for s in symbols if s in x.ring.index]
    return bool(places) and all(
        any(e[i] for i in places) for _, p in x.parts() for e in p.to_dict()
    )


def _is_same_kind(a: Expr, b: Expr) -> bool:
    s, t = a.symbol, b.symbol
    return s is not None and t is not None and (s.kind, s.order) == (t.kind, t.order)


def _symbols(x: Element) -> list[Expr]:
    return [g for i, g in enumerate(x.ring.generators) if g.op == "symbol" and x.involves(i)]


def _substituted(x: Element, values: dict[Expr, Expr | int]) -> Element:
    (e,) = substitute([rebuild(x)], values)
    return canonical(x.ring, e)


def _exchanged(e: Expr, angles: list[Expr]) -> Expr:
    """Return an expression with sines and cosines of some angles exchanged."""
    done: dict[Expr, Expr] = {}
    for node in postorder([e]):
        if node.op in ("sin", "cos") and node.args[0] in angles:
            done[node] = cos(node.args[0]) if node.op == "sin" else sin(node.args[0])
        elif node.args:
            done[node] = rebuild_node(node, tuple(done[arg] for arg in node.args))
        else:
            done[node] = node
    return done[e]


def _entries(x: object) -> list[Expr]:
    """Return the expressions in a mass or an inertia."""
    entries = getattr(x, "entries", [x])
    return [e for e in entries if isinstance(e, Expr)]
