"""Map expressions into a ring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from fractions import Fraction

from dalembert.errors import DivisionByZero, OutsideRing
from dalembert.expr import Expr, Matrix, postorder
from dalembert.expr.graph import outline
from dalembert.ring.budget import MAX_TERMS, check_terms
from dalembert.ring.choose.angles import (
    LinearForm,
    Multiples,
    Pair,
    Term,
    angle_multiples,
    form_expr,
    turn,
    turn_times,
)
from dalembert.ring.choose.arguments import plain_form
from dalembert.ring.choose.atoms import Power, generator_power, is_atom, is_function
from dalembert.ring.choose.clusters import are_small, whole_combination
from dalembert.ring.ring import Element, Ring
from dalembert.ring.sparse import Word, sparse_terms

SUMS = ("add", "sub", "neg")


def canonical(ring: Ring, e: Expr, max_terms: int = MAX_TERMS) -> Element:
    """Return the canonical form of one expression of the ring."""
    return canonical_all(ring, [e], max_terms)[0]


def canonical_matrix(ring: Ring, a: Matrix) -> Matrix:
    """Return the matrix of canonical forms."""
    return a._like(canonical_all(ring, a.entries))


def canonical_all(ring: Ring, exprs: Sequence[Expr], max_terms: int = MAX_TERMS) -> list[Element]:
    """Return the canonical forms of several expressions in one sweep.

    A form is forgotten after its last use, and the terms of a sum are added all at once: of a sum
    of n terms there are n partial sums. A power below a line is not multiplied out.
    """
    done: dict[Expr, Element] = {}
    sums: dict[Expr, list[Element]] = {}
    pairs: dict[Expr, Pair] = {}
    nodes = postorder(list(exprs))
    users = Counter(arg for node in nodes for arg in node.args)
    inner = {arg for node in nodes if node.op in SUMS for arg in node.args}
    wanted = set(exprs)
    inner = {x for x in inner if x.op in SUMS and users[x] == 1 and x not in wanted}
    divisors = Counter(node.args[1] for node in nodes if node.op == "div")
    below = {
        x for x, n in divisors.items() if _is_whole_power(x) and n == users[x] and x not in wanted
    }
    for node in nodes:
        if node in below:
            done[node] = done[node.args[0]]
        elif node.op in SUMS:
            terms = _terms(node, done, sums)
            if node in inner:
                sums[node] = terms
            else:
                done[node] = ring.sum(terms)
                check_terms(len(done[node]), max_terms)
        else:
            done[node] = _element(ring, node, done, pairs, below, max_terms)
        for arg in node.args:
            users[arg] -= 1
            if not users[arg] and arg not in wanted:
                done.pop(arg, None)
    return [done[e] for e in exprs]


def _terms(
    node: Expr, done: Mapping[Expr, Element], sums: dict[Expr, list[Element]]
) -> list[Element]:
    """Return the terms of a sum, those of sums inside it that nothing else uses too."""
    found: list[Element] = []
    for k, arg in enumerate(node.args):
        terms = sums.pop(arg) if arg in sums else [done[arg]]
        if node.op == "neg" or (node.op == "sub" and k):
            terms = [-x for x in terms]
        # the longer list stays: a chain of sums is not copied at every link
        found, terms = (found, terms) if len(found) >= len(terms) else (terms, found)
        found += terms
    return found


def has_place(ring: Ring, exprs: Sequence[Expr]) -> bool:
    """Tell whether all symbols and functions of some expressions have a place in a ring."""
    nodes = [n for n in postorder(list(exprs)) if n not in ring.index]
    if any(n.op in ("symbol", "pi") for n in nodes):
        return False
    try:
        canonical_all(ring, [n for n in nodes if is_function(n)])
    except OutsideRing:
        return False
    return True


def _is_whole_power(x: Expr) -> bool:
    return x.op == "pow" and x.value.denominator == 1 and x.value > 1


def _element(
    ring: Ring,
    node: Expr,
    done: dict[Expr, Element],
    pairs: dict[Expr, Pair],
    below: Set[Expr],
    max_terms: int,
) -> Element:
    args = [done[arg] for arg in node.args]
    match node.op:
        case "const":
            return ring.constant(node.value)
        case "symbol" | "pi":
            return ring.element_of(node)
        case "mul":
            check_terms(len(args[0]) * len(args[1]), 50 * max_terms)
            result = args[0] * args[1]
        case "div":
            if args[1].is_surely_zero:
                raise DivisionByZero(
                    f"expected a nonzero denominator, got {outline(node.args[1])}, which vanishes "
                    "identically: remove the quotient"
                )
            if node.args[1] in below:
                result = args[0] * (ring.one / args[1]) ** int(node.args[1].value)
            else:
                result = args[0] / args[1]
        case "pow" if node.value.denominator == 1:
            _limit_power(args[0], int(node.value), max_terms)
            result = args[0] ** int(node.value)
        case "sin" | "cos" | "tan":
            s, c = _sine_and_cosine(ring, node.args[0], args[0], pairs)
            return s if node.op == "sin" else c if node.op == "cos" else s / c
        case _ if node in ring.index:
            return ring.element_of(node)
        case _:
            coefficient, powers = ring.functions.meaning(node, args)
            result = ring.constant(coefficient)
            for part in powers:
                result = result * _power(ring, part)
    check_terms(len(result), max_terms)
    return result


def _power(ring: Ring, p: Power) -> Element:
    g, n = generator_power(p, ring.units)
    return (ring.element_of(g) if is_atom(g) else canonical(ring, g)) ** n


def _sine_and_cosine(ring: Ring, angle: Expr, x: Element, pairs: dict[Expr, Pair]) -> Pair:
    """Return (sin, cos) of an angle by the addition theorem over the independent angles."""
    if angle in pairs:
        return pairs[angle]
    free, known = ring.functions.turn(angle, x)
    multiples = _multiples(ring, [a.form for a in ring.angles], free)
    if multiples is None:
        # a term may be a sum in this ring: its angles are other ones than those of its making
        multiples = _multiples_by_words(ring, free)
    whole = plain_form(angle) if multiples is None else None
    if whole is not None:
        # an angle of the ring may hold a part of π: u + π where no multiple of u stands alone
        multiples, known = _multiples(ring, [a.form for a in ring.angles], whole), []
    if multiples is None:
        raise OutsideRing(
            f"expected a whole combination of the ring's angles, got {outline(angle)}"
        )
    result = (ring.zero, ring.one)
    for i, n in multiples:
        a = ring.angles[i]
        result = turn(result, turn_times(ring, (ring.element_at(a.sin), ring.element_at(a.cos)), n))
    for s, c, n in known:
        pair = (canonical(ring, s), canonical(ring, c))
        result = turn(result, turn_times(ring, pair, n))
    pairs[angle] = result
    return result


def _multiples(
    ring: Ring, angles: Sequence[Mapping[Term, Fraction]], form: Mapping[Term, Fraction]
) -> Multiples | None:
    """Return the angle by those of the first cluster of which it is a small combination."""
    if not form:
        return []
    found: list[Multiples] = []
    first = 0
    for size in ring.clusters:
        multiples = angle_multiples(angles[first : first + size], form)
        if multiples is not None:
            found.append([(first + i, n) for i, n in multiples])
        first += size
    small = next(filter(are_small, found), None)
    if small is not None or not ring.wild:
        return small or (found[0] if found else None)
    # a product of angles of several clusters has waves of their sums
    return whole_combination(angles, form)


def _multiples_by_words(ring: Ring, free: LinearForm) -> Multiples | None:
    """Return the angle by those of a cluster, compared as elements."""
    angles = ring.functions.known.angles
    if not angles or all(t.op in ("symbol", "pi", "const") for t in free):
        return None
    form = _by_words(canonical(ring, form_expr(free)))
    if form is None:
        return None
    forms: list[dict[Word, Fraction]] = []
    for i, a in enumerate(ring.angles):
        # while the ring is made, an angle that is not known yet is none of those inside
        x = angles.get(ring.generators[a.sin])
        found = None if x is None else _by_words(x)
        # a quotient is no combination: its term is not that of any form
        forms.append({((i, -1),): Fraction(1)} if found is None else found)
    return _multiples(ring, forms, form)


def _by_words(x: Element) -> dict[Word, Fraction] | None:
    if not x.is_polynomial:
        return None
    return {word: Fraction(int(k.p), int(k.q)) for word, k in sparse_terms(x.whole)}


def _limit_power(base: Element, n: int, max_terms: int) -> None:
    """Refuse powers whose expansion is known to be too large before computing them."""
    terms = min(len(base), 50)
    estimate = Fraction(1)
    # multinomial count C(n + terms - 1, terms - 1)
    for i in range(1, terms):
        estimate = estimate * (n + i) / i
        if estimate > 50 * max_terms:
            break
    check_terms(int(estimate), 50 * max_terms)
