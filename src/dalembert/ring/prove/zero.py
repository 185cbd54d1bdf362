"""Prove that an expression is zero wherever it is defined.

The expression is written with fewer functions and brought into a ring. Its numerator is a
polynomial in signs, in independent functions and in algebraic numbers: for each sign pattern each
coefficient of a monomial in the functions is a number, and a number is decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import flint

from dalembert.errors import DalembertError
from dalembert.expr import Expr, free_symbols
from dalembert.ring.canonical import canonical
from dalembert.ring.choose.build import ring_of
from dalembert.ring.prove.numbers import is_zero_number
from dalembert.ring.prove.rewrite import rewritten
from dalembert.ring.rebuild import rebuild
from dalembert.ring.ring import Element, Ring

MAX_SIGNS = 5
MAX_TERMS = 5_000
MAX_NUMBERS = 200

Poly = flint.fmpq_mpoly


def is_proved_zero(e: Expr) -> bool:
    """Tell whether the expression is certainly zero at every point where it is defined."""
    try:
        simple = rewritten(e)
        ring = ring_of([simple])
        element = canonical(ring, simple)
        return _vanishes(ring, element.num)
    except DalembertError:
        return False


def _vanishes(ring: Ring, p: Poly) -> bool:
    if not p:
        return True
    if ring.is_complete or len(p) > MAX_TERMS:
        return False
    degrees = p.degrees()
    signs = [i for i, g in enumerate(ring.generators) if g.op == "sign" and degrees[i]]
    if len(signs) > MAX_SIGNS:
        return False
    return all(_is_zero_function(ring, part) for part in _by_cases(ring, p, signs))


def _by_cases(ring: Ring, p: Poly, signs: Sequence[int]) -> Iterator[Poly]:
    """Yield p for every sign pattern that is possible; where a sign is 0, so is its argument."""
    arguments = {i: canonical(ring, ring.generators[i].args[0]) for i in signs}
    nonnegative = [g.args[0] for g in ring.generators if g.op == "pow"]
    for pattern in product((1, -1, 0), repeat=len(signs)):
        chosen = dict(zip(signs, pattern, strict=True))
        if any(k < 0 and ring.generators[i].args[0] in nonnegative for i, k in chosen.items()):
            # the root of a negative number is not defined
            continue
        part = p.subs({f"x{i}": k for i, k in chosen.items()}) if chosen else p
        for i, k in chosen.items():
            x = arguments[i]
            if not k and not x.num.is_constant():
                part = divmod(ring.reduce(part), x.num)[1]
        yield ring.reduce(part)


def _is_zero_function(ring: Ring, p: Poly) -> bool:
    """Tell whether every coefficient, a number, of the monomials in the functions is zero."""
    if not p:
        return True
    numbers = [i for i, g in enumerate(ring.generators) if not free_symbols([g]) and g.op != "pi"]
    groups: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
    for exponents, k in p.to_dict().items():
        inside = tuple(n if i in numbers else 0 for i, n in enumerate(exponents))
        outside = tuple(0 if i in numbers else n for i, n in enumerate(exponents))
        groups.setdefault(outside, {})[inside] = k
    if not numbers or len(groups) > MAX_NUMBERS:
        return False
    one = ring.one_poly
    coefficients = [Element(ring, ring.context.from_dict(g), one) for g in groups.values()]
    return all(is_zero_number(rebuild(c)) is True for c in coefficients)
