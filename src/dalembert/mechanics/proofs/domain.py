"""The set on which expressions are defined and smooth, as conditions on what stands in functions.

A claim holds on that set of its description. One that holds only on a part of it says on which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from dalembert.errors import DalembertError, Undecided
from dalembert.expr import ONE, Expr, Kind, cos, count_nodes, free_symbols, is_kind, postorder
from dalembert.expr.fold import is_nonnegative
from dalembert.expr.graph import outline
from dalembert.mechanics.proofs.hypotheses import are_known_to_meet
from dalembert.mechanics.proofs.nonnegative import is_manifestly_positive
from dalembert.ring import Element, canonical, canonical_all, rebuild, ring_of
from dalembert.ring.algebra.trig_factors import square_root
from dalembert.ring.algebra.volume import readable_factor
from dalembert.ring.balls import Point, defined_balls
from dalembert.ring.factors import factors

if TYPE_CHECKING:
    from dalembert.mechanics.system.system import System

MAX_SHOWN_NODES = 40
WITNESS_PRECISION = 128
"""Bits of the balls in which a point shows that conditions hold together."""
IMPLIES = {">": (">", "≥", "≠"), "≥": ("≥",), "≠": ("≠",), "<1": ("<1", "≤1"), "≤1": ("≤1",)}
"""What each relation of a condition implies of the same argument."""


class Condition(NamedTuple):
    """What the arguments of a function satisfy: ``> ≥ ≠`` 0, ``<1 ≤1`` of a modulus, or ``cut``.

    ``cut`` of (y, x) excludes the half line y = 0, x ≤ 0, and ``origin`` the point (0, 0).
    """

    relation: str
    args: tuple[Expr, ...]

    def __str__(self) -> str:
        texts = [*map(_text, self.args)]
        match self.relation:
            case "cut":
                return f"not both {texts[0]} = 0 and {texts[1]} ≤ 0"
            case "origin":
                return f"not both {texts[0]} = 0 and {texts[1]} = 0"
            case "<1" | "≤1":
                return f"|{texts[0]}| {self.relation[0]} 1"
        is_square = self.relation == ">" and is_nonnegative(self.args[0])
        return f"{texts[0]} {'≠' if is_square else self.relation} 0"

    @property
    def moves(self) -> bool:
        """Whether it speaks of the state, not of parameters alone."""
        return any(map(_moves, self.args))

    def implies(self, other: Condition) -> bool:
        """Tell whether it is certain that the other one holds wherever this one does."""
        if other.relation not in IMPLIES.get(self.relation, (self.relation,)):
            is_cut = (self.relation, other.relation) == ("cut", "origin")
            return is_cut and self.args == other.args
        if self.args == other.args:
            return True
        try:
            ring = ring_of([*self.args, *other.args])
            mine, theirs = (canonical_all(ring, x.args) for x in (self, other))
            ratios = [_ratio(a, b) for a, b in zip(mine, theirs, strict=True)]
        except DalembertError:
            return False
        if other.relation in ("≠", "cut", "origin"):
            return len(ratios) == 1 and ratios[0] is not None
        return other.relation in (">", "≥") and ratios[0] is not None and ratios[0] > 0

    def holds_at(self, point: Point) -> bool:
        """Tell whether it certainly holds at a point, and all its arguments are defined there."""
        values = defined_balls(self.args, point, WITNESS_PRECISION)
        if values is None:
            return False
        a, *rest = values
        match self.relation:
            case ">":
                return bool(a > 0)
            case "≥":
                return bool(a >= 0)
            case "≠":
                return not a.contains(0)
            case "<1" | "≤1":
                return bool(abs(a) < 1)
        # the half plane, or all but a line
        return bool(rest[0] > 0) or not a.contains(0)


def _ratio(a: Element, b: Element) -> Fraction | None:
    """Return k with b = k a, None if there is no such number."""
    if a.is_surely_zero or b.is_surely_zero:
        return None
    k = b.content() / a.content() * b.leading_sign() * a.leading_sign()
    return k if (b - a * k).is_surely_zero else None


def conditions(
    exprs: Sequence[Expr], *, is_smooth: bool = False, of_constants: bool = False
) -> list[Condition]:
    """Return the conditions under which expressions are defined, or smooth along a motion, too.

    Logarithms and roots need a positive argument, quotients a denominator; asin and acos end at
    ±1. Besides, sign and | | have a jump or a kink at zero, roots a vertical tangent, and atan2 a
    jump across its cut, where their arguments move. An argument that is positive for positive
    parameters needs no condition, nor does a number, except ``of_constants``.

    >>> from dalembert import coordinates, log, sqrt
    >>> x, y = coordinates("x y")
    >>> [*map(str, conditions([log(x - 1) / y + sqrt(2 + x**2)]))]
    ['x - 1 > 0', 'y ≠ 0']
    """
    found: dict[Condition, None] = {}
    for node in postorder(list(exprs)):
        for condition in _own_conditions(node, is_smooth and _moves(node)):
            is_open = of_constants or bool(free_symbols(condition.args))
            if is_open and not _holds(condition):
                found[condition] = None
    kept: list[Condition] = []
    for c in found:
        # of 1/√x, x > 0 is enough
        if not any(d.implies(c) for d in kept):
            kept = [*(d for d in kept if not c.implies(d)), c]
    return kept


_restricted: WeakKeyDictionary[System, tuple[Expr, ...]] = WeakKeyDictionary()


def restricted(system: System) -> tuple[Expr, ...]:
    """Return the expressions of a system that are not defined at every state.

    A point says something about the system only if all of them are defined there.
    """
    if system not in _restricted:
        _restricted[system] = tuple(x for x in system.expressions() if conditions([x]))
    return _restricted[system]


def _own_conditions(node: Expr, is_smooth: bool) -> Iterator[Condition]:
    """Yield what a node demands of its arguments."""
    for condition in _demanded(node, is_smooth):
        yield from _plain(condition)


def _plain(c: Condition) -> Iterator[Condition]:
    """Yield what a condition demands of what stands inside of moduli, roots and products.

    |u| ≠ 0 says that u ≠ 0, √u > 0 that u > 0, and k u > 0, for a positive k, that u > 0.
    """
    if c.relation not in (">", "≥", "≠"):
        yield c
        return
    (a,) = c.args
    is_root = a.op == "pow" and a.value > 0 and a.value.denominator != 1
    is_even = a.op == "abs" or (a.op == "pow" and a.value > 0 and a.value.numerator % 2 == 0)
    if a.op == "neg" and c.relation == "≠":
        yield from _plain(Condition("≠", a.args))
    elif is_root:
        # what makes the root itself defined stands beside
        if c.relation != "≥":
            yield from _plain(Condition(">", a.args))
    elif is_even:
        if c.relation != "≥":
            yield from _plain(Condition("≠", a.args))
    elif a.op == "mul" and any(map(_is_positive, a.args)):
        (kept,) = [x for x in a.args if not _is_positive(x)] or [ONE]
        yield from _plain(Condition(c.relation, (kept,)))
    elif a.op == "div" and _is_positive(a.args[1]):
        yield from _plain(Condition(c.relation, a.args[:1]))
    elif a is not ONE:
        yield c


def _demanded(node: Expr, is_smooth: bool) -> Iterator[Condition]:
    args = node.args
    match node.op:
        case "pow" if node.value.denominator != 1:
            # √0 is zero, and not bent
            if node.value < 0 or not _is_zero(args[0]):
                yield Condition(">" if is_smooth or node.value < 0 else "≥", args)
        case "pow" if node.value < 0:
            yield from _nonzero(args[0])
        case "div":
            yield from _nonzero(args[1])
        case "tan":
            yield from _nonzero(cos(args[0]))
        case "log":
            yield Condition(">", args)
        case "asin" | "acos":
            yield Condition("<1" if is_smooth else "≤1", args)
        case "atan2":
            yield Condition("cut" if is_smooth else "origin", args)
        case "sign" | "abs" if is_smooth:
            yield Condition("≠", args)


def _nonzero(e: Expr) -> Iterator[Condition]:
    """Yield what keeps each factor of a denominator from being zero."""
    match e.op:
        case "mul":
            for arg in e.args:
                yield from _nonzero(arg)
        case "div":
            yield from _nonzero(e.args[0])
        case "neg":
            yield from _nonzero(e.args[0])
        case "pow" if e.value > 0:
            relation = "≠" if e.value.denominator == 1 else ">"
            if relation == "≠":
                yield from _nonzero(e.args[0])
            else:
                yield Condition(relation, e.args)
        case "exp" | "pow":
            # with a negative exponent: zero nowhere
            return
        case _:
            yield Condition("≠", (e,))


def implied(c: Condition, given: Sequence[Condition]) -> bool:
    """Tell whether it is certain that a condition holds wherever the given ones do."""
    return _holds(c) or all(any(d.implies(x) for d in given) for x in _plain(c))


def _holds(c: Condition) -> bool:
    """Tell whether a condition holds everywhere, for positive parameters."""
    if c.relation == "≥":
        return is_nonnegative(c.args[0]) or _is_positive(c.args[0])
    if c.relation == ">":
        return _is_positive(c.args[0])
    if c.relation == "≠":
        return _is_nonzero(c.args[0])
    if c.relation in ("cut", "origin"):
        return _is_positive(c.args[1]) or _is_nonzero(c.args[0])
    return False


def _is_nonzero(e: Expr) -> bool:
    return _is_positive(e) or _is_positive(-e)


def smooth_where(exprs: Sequence[Expr]) -> tuple[str, ...]:
    """Return the conditions under which moving expressions are smooth, as short texts.

    >>> from dalembert import coordinates, sign
    >>> (x,) = coordinates("x")
    >>> smooth_where([sign(x - 1)])
    ('x - 1 ≠ 0',)
    """
    return texts(conditions(exprs, is_smooth=True))


def texts(found: Sequence[Condition]) -> tuple[str, ...]:
    """Return conditions as texts, each once."""
    return tuple(dict.fromkeys(map(str, found)))


def lost(mine: Sequence[Expr], description: Sequence[Expr]) -> tuple[Condition, ...]:
    """Return the conditions that expressions need and a description does not.

    Raises:
        Undecided: no state is known where the expressions and the description are defined.
    """
    given = conditions(description, is_smooth=True)
    found = tuple(c for c in conditions(mine) if not any(d.implies(c) for d in given))
    if found and not are_known_to_meet([*given, *found]):
        texts = ", ".join(map(str, found))
        raise Undecided(
            f"expected an answer that is defined somewhere, got one that needs {texts}, which was "
            "found to hold at no state: look for a sign that is wrong"
        )
    return found


def defined_where(exprs: Sequence[Expr]) -> tuple[str, ...]:
    """Return the conditions under which the denominators of expressions are not zero.

    One that does not move, or is positive for positive parameters, needs no condition.

    >>> from dalembert import coordinates, parameters, sin
    >>> (x,), (m,) = coordinates("x"), parameters("m")
    >>> defined_where([1 / (m * sin(x)), 1 / (m + x**2)])
    ('sin(x) ≠ 0',)
    """
    ring = ring_of(list(exprs))
    conditions: dict[str, None] = {}
    for x in canonical_all(ring, list(exprs)):
        if x.is_polynomial:
            continue
        moving = ring.one
        for factor, _ in factors(x.over_one().den)[1]:
            element = ring.polynomial(factor)
            if _moves(rebuild(element)) and not is_manifestly_positive(element):
                moving = moving * element
        if not moving.polynomial.is_constant():
            conditions[f"{_text(_without_square(moving))} ≠ 0"] = None
    return tuple(conditions)


def _without_square(x: Element) -> Expr:
    """Return what vanishes where x does: of 1 - cos² θ, sin θ."""
    for signed in (x, -x):
        root = square_root(signed)
        if root is not None:
            x = canonical(ring_of([root[1]]), root[1])
            break
    return readable_factor(x)[1]


def _moves(e: Expr) -> bool:
    return any(is_kind(x, Kind.COORDINATE) or is_kind(x, Kind.TIME) for x in e.symbols)


def _is_zero(e: Expr) -> bool:
    try:
        return canonical(ring_of([e]), e).is_surely_zero
    except DalembertError:
        return False


def _is_positive(e: Expr) -> bool:
    """Tell whether an argument is positive for positive parameters."""
    if e.op in ("mul", "div") or (e.op == "pow" and e.value.denominator != 1):
        return all(map(_is_positive, e.args))
    if e.op == "exp":
        return True
    terms = _terms(e)
    if all(is_nonnegative(t) or _is_number(t) for t in terms) and any(map(_is_number, terms)):
        return True
    try:
        element = canonical(ring_of([e]), e)
    except DalembertError:
        return False
    return is_manifestly_positive(element)


def _is_number(e: Expr) -> bool:
    """Tell whether an expression is a positive number or parameter, or a product of such."""
    match e.op:
        case "const":
            return e.value > 0
        case "mul" | "div" | "add" | "pow":
            return all(map(_is_number, e.args))
        case _:
            return e.op == "pi" or is_kind(e, Kind.PARAMETER)


def _terms(e: Expr) -> list[Expr]:
    return [t for arg in e.args for t in _terms(arg)] if e.op == "add" else [e]


def _text(e: Expr) -> str:
    return str(e) if count_nodes([e]) <= MAX_SHOWN_NODES else outline(e)
