"""Which generators may satisfy relations that the ring does not know.

Sines, cosines and exponentials of terms u₁, u₂, … that are linearly independent over ℚ up to
constants are algebraically independent over the field of all that the terms are made of (Ax, On
Schanuel's conjectures, Annals of Mathematics 93, 1971). A function without a definition can have
any values at arguments that differ, so that it is independent of everything else.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import combinations

from dalembert.expr import Expr
from dalembert.ring.canonical import canonical
from dalembert.ring.choose.primes import is_prime
from dalembert.ring.ring import Ring
from dalembert.ring.sparse import sparse_terms

MAX_COMPARED = 40
"""Arguments of one undefined function that are compared pair by pair; of more all are unsure."""


def unsure_generators(ring: Ring) -> set[int]:
    """Return the generators that may satisfy relations which the ring does not know."""
    terms = {i: tuple(a.form) for a in ring.angles for i in (a.sin, a.cos)}
    terms |= {i: (_term(g),) for i, g in enumerate(ring.generators) if g.op == "exp"}
    unsure = {i for i, g in enumerate(ring.generators) if i not in terms and not _is_sure(g)}
    pending = {i: ts for i, ts in terms.items() if not all(t.op == "symbol" for t in ts)}
    # while it is not known, no form with functions inside shows that arguments differ
    ring.unsure = unsure | pending.keys()
    unsure |= _uncertain_functions(ring)
    words = _monomials(ring, pending.values())
    size = -1
    while len(unsure) != size:
        size = len(unsure)
        for i, ts in pending.items():
            if any(not words[t] or not unsure.isdisjoint(words[t]) for t in ts):
                unsure.add(i)
    return unsure


def _is_sure(g: Expr) -> bool:
    """Tell whether a generator that is no sine or exponential has all its relations in the ring."""
    if g.op == "pow":
        # roots of distinct primes are independent (Besicovitch), other roots may not be
        return g.args[0].op == "const" and is_prime(int(g.args[0].value))
    return g.op in ("symbol", "pi", "apply")


def _term(g: Expr) -> Expr:
    """Return the term of a generator exp(unit · term)."""
    (u,) = g.args
    return u.args[1] if u.op == "mul" and u.args[0].op == "const" else u


def _monomials(ring: Ring, forms: Iterable[tuple[Expr, ...]]) -> dict[Expr, set[int]]:
    """Return the generators in each term; none of a constant, or if it is no monomial of its own.

    Different monomials are linearly independent.
    """
    found: dict[Expr, set[int]] = {}
    first: dict[Hashable, Expr] = {}
    for t in dict.fromkeys(t for form in forms for t in form):
        x = canonical(ring, t)
        # products of sines of angles that depend on each other are no basis, waves are
        words: list[Hashable] = (
            list(ring.waves.collected(x.whole))
            if ring.is_wild(x.whole)
            else [word for word, _ in sparse_terms(x.whole)]
        )
        found[t] = set()
        if x.is_polynomial and len(words) == 1 and t.symbols and first.setdefault(words[0], t) is t:
            found[t] = x.used()
    return found


def _uncertain_functions(ring: Ring) -> set[int]:
    """Return the functions without a definition whose arguments may be those of another."""
    by_name: dict[str, dict[tuple[Expr, ...], list[int]]] = {}
    for i, g in enumerate(ring.generators):
        if g.op == "apply":
            by_name.setdefault(g.value.name, {}).setdefault(g.args, []).append(i)
    unsure: set[int] = set()
    for places in by_name.values():
        for (xs, here), (ys, there) in combinations(places.items(), 2):
            if len(places) > MAX_COMPARED or not _certainly_differ(ring, xs, ys):
                unsure.update(here, there)
    return unsure


def _certainly_differ(ring: Ring, xs: tuple[Expr, ...], ys: tuple[Expr, ...]) -> bool:
    if len(xs) != len(ys):
        return True
    return any(
        (canonical(ring, x) - canonical(ring, y)).is_surely_nonzero
        for x, y in zip(xs, ys, strict=True)
    )
