"""A Lagrangian as a sum of pieces with denominators of their own.

Over one denominator 1/r₁₂ + 1/r₁₃ + 1/r₂₃ has thousands of terms; apart they have one each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr import Expr
from dalembert.ring import Element, canonical_all

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def lagrangian_pieces(eq: Equations) -> list[Element]:
    """Return elements whose sum is L, first the polynomial one, then one for each denominator."""
    ring, L = eq.ring, eq.forms.L
    if L.is_polynomial:
        return [L]
    whole, others = ring.zero, dict[str, Element]()
    for x in canonical_all(ring, _terms(eq.system.lagrangian)):
        if x.is_polynomial:
            whole = whole + x
        else:
            key = str(x.den)
            others[key] = others[key] + x if key in others else x
    total = whole
    for x in others.values():
        total = total + x
    # equations may be a claim about another L than the description has
    return [whole, *others.values()] if (total - L).is_zero else [ring.zero, L]


def _terms(e: Expr) -> list[Expr]:
    """Return the terms of a sum as it was typed."""
    found, stack = [], [(e, 1)]
    while stack:
        node, sign = stack.pop()
        if node.op in ("add", "sub"):
            a, b = node.args
            stack += [(a, sign), (b, sign if node.op == "add" else -sign)]
        elif node.op == "neg":
            stack.append((node.args[0], -sign))
        else:
            found.append(node * sign)
    return found
