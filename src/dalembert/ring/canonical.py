"""Map expressions into a ring."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dalembert.errors import DivisionByZero
from dalembert.expr import Expr, Matrix, postorder
from dalembert.expr.graph import outline
from dalembert.ring.budget import MAX_TERMS, check_terms
from dalembert.ring.choose.angles import Pair, angle_multiples, split_known, turn, turn_times
from dalembert.ring.choose.arguments import linear_form
from dalembert.ring.choose.atoms import generator_power, is_atom, normalise
from dalembert.ring.ring import Element, Ring


def canonical(ring: Ring, e: Expr, max_terms: int = MAX_TERMS) -> Element:
    """Return the canonical form of one expression of the ring."""
    return canonical_all(ring, [e], max_terms)[0]


def canonical_matrix(ring: Ring, a: Matrix) -> Matrix:
    """Return the matrix of canonical forms."""
    return a._like(canonical_all(ring, a.entries))


def canonical_all(ring: Ring, exprs: Sequence[Expr], max_terms: int = MAX_TERMS) -> list[Element]:
    """Return the canonical forms of several expressions in one sweep."""
    done: dict[Expr, Element] = {}
    pairs: dict[Expr, Pair] = {}
    for node in postorder(list(exprs)):
        done[node] = _element(ring, node, done, pairs, max_terms)
    return [done[e] for e in exprs]


def _element(
    ring: Ring, node: Expr, done: dict[Expr, Element], pairs: dict[Expr, Pair], max_terms: int
) -> Element:
    args = [done[arg] for arg in node.args]
    match node.op:
        case "const":
            return ring.constant(node.value)
        case "symbol" | "pi":
            return ring.element_of(node)
        case "add":
            result = args[0] + args[1]
        case "sub":
            result = args[0] - args[1]
        case "neg":
            return -args[0]
        case "mul":
            check_terms(len(args[0].num) * len(args[1].num), 50 * max_terms)
            result = args[0] * args[1]
        case "div":
            if args[1].is_zero:
                raise DivisionByZero(
                    f"expected a nonzero denominator, got {outline(node.args[1])}, which vanishes "
                    "identically: remove the quotient"
                )
            result = args[0] / args[1]
        case "pow" if node.value.denominator == 1:
            _limit_power(args[0], int(node.value), max_terms)
            result = args[0] ** int(node.value)
        case "sin" | "cos" | "tan":
            s, c = _sine_and_cosine(ring, node.args[0], pairs)
            return s if node.op == "sin" else c if node.op == "cos" else s / c
        case _ if node in ring.index:
            return ring.element_of(node)
        case _:
            coefficient, powers = normalise(node)
            result = ring.constant(coefficient)
            for part in powers:
                g, n = generator_power(part, ring.units)
                result = result * (ring.element_of(g) if is_atom(g) else canonical(ring, g)) ** n
    check_terms(len(result.num), max_terms)
    return result


def _sine_and_cosine(ring: Ring, angle: Expr, pairs: dict[Expr, Pair]) -> Pair:
    """Return (sin, cos) of an angle by the addition theorem over the independent angles."""
    if angle in pairs:
        return pairs[angle]
    free, known = split_known(linear_form(angle))
    result = (ring.zero, ring.one)
    for i, n in angle_multiples(ring, free):
        a = ring.angles[i]
        result = turn(result, turn_times(ring, (ring.element_at(a.sin), ring.element_at(a.cos)), n))
    for s, c, n in known:
        pair = (canonical(ring, s), canonical(ring, c))
        result = turn(result, turn_times(ring, pair, n))
    pairs[angle] = result
    return result


def _limit_power(base: Element, n: int, max_terms: int) -> None:
    """Refuse powers whose expansion is known to be too large before computing them."""
    terms = min(len(base.num), 50)
    estimate = Fraction(1)
    # multinomial count C(n + terms - 1, terms - 1)
    for i in range(1, terms):
        estimate = estimate * (n + i) / i
        if estimate > 50 * max_terms:
            break
    check_terms(int(estimate), 50 * max_terms)
