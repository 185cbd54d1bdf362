"""Where the functions of a description have jumps or kinks: there no derivative is taken."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import TooLarge
from dalembert.expr import Expr, Kind, count_nodes, is_kind, postorder
from dalembert.expr.graph import outline
from dalembert.mechanics.proofs.nonnegative import is_manifestly_positive
from dalembert.ring import Element, canonical, canonical_all, rebuild, ring_of
from dalembert.ring.algebra.trig_factors import square_root
from dalembert.ring.algebra.volume import readable_factor

MAX_SHOWN_NODES = 40
BENT = ("sign", "abs", "atan2", "asin", "acos")


def smooth_where(exprs: Sequence[Expr]) -> tuple[str, ...]:
    """Return the conditions under which moving expressions are smooth, as short texts.

    sign and | | have a jump or a kink at zero, roots a vertical tangent, atan2 a jump across its
    cut, asin and acos end at ±1. An argument that does not move, or is positive for positive
    parameters, needs no condition.

    >>> from dalembert import coordinates, sign
    >>> (x,) = coordinates("x")
    >>> smooth_where([sign(x - 1)])
    ('x - 1 ≠ 0',)
    """
    conditions: dict[str, None] = {}
    for node in postorder(list(exprs)):
        root = node.op == "pow" and node.value.denominator != 1
        if not (root or node.op in BENT) or not any(map(_moves, node.args)):
            continue
        if node.op == "atan2":
            y, x = map(_text, node.args)
            conditions[f"not both {y} = 0 and {x} ≤ 0"] = None
        elif node.op in ("asin", "acos"):
            conditions[f"|{_text(node.args[0])}| ≠ 1"] = None
        elif not _is_positive(node.args[0]):
            conditions[f"{_text(node.args[0])} ≠ 0"] = None
    return tuple(conditions)


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
        for factor, _ in x.den.factor()[1]:
            element = ring.polynomial(factor)
            if _moves(rebuild(element)) and not is_manifestly_positive(element):
                moving = moving * element
        if not moving.num.is_constant():
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


def _is_positive(e: Expr) -> bool:
    """Tell whether an argument is positive, or negative, for positive parameters."""
    try:
        element = canonical(ring_of([e]), e)
    except TooLarge:
        return False
    return is_manifestly_positive(element) or is_manifestly_positive(-element)


def _text(e: Expr) -> str:
    return str(e) if count_nodes([e]) <= MAX_SHOWN_NODES else outline(e)
