"""Decide whether sines and cosines are written short (s₁, c₁₂) or long.

s₁ stands for sin q₁ and for nothing else: only the joint coordinates q1 … q9 have short sines. The
digits are those of the angle: c₁₂ = cos(q₁ + q₂), c₁₋₂ = cos(q₁ - q₂), c₁₁ = cos(2 q₁).
"""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.errors import InvalidExpression
from dalembert.expr import Symbol
from dalembert.typeset.render.names import parse_name, trig_index
from dalembert.typeset.tree import Product, SymbolLeaf, TrigLeaf, leaves

MAX_MULTIPLE = 4
HYPERBOLIC = ("sinh", "cosh")


def is_short(trees: Iterable[Product], trig: str = "auto") -> bool:
    """Tell whether all sines and cosines are written short.

    By itself an expression has short sines if each of its angles can be written with digits, and
    if none of its symbols is called c₁ or s₁.
    """
    if trig not in ("auto", "short", "long"):
        raise InvalidExpression(f"expected trig='auto', 'short' or 'long', got {trig!r}")
    if trig != "auto":
        return trig == "short"
    has_trig = False
    for tree in trees:
        for leaf in leaves(tree):
            if isinstance(leaf, SymbolLeaf) and looks_like_a_sine(leaf.symbol):
                return False
            if isinstance(leaf, TrigLeaf) and leaf.function not in HYPERBOLIC:
                if short_index(leaf) is None:
                    return False
                has_trig = True
    return has_trig


def looks_like_a_sine(symbol: Symbol) -> bool:
    """Tell whether a symbol has the letter of a short sine, as the dampings c₁ and c₂ have."""
    return parse_name(symbol.name).base in ("c", "s")


def short_index(leaf: TrigLeaf) -> str | None:
    """Return the digits of an angle such as q₁ + q₂ - q₃, here ``12-3``, else None."""
    above, below = [], []
    for term in leaf.angle:
        k, base = term.coefficient, term.factors[0].base if len(term.factors) == 1 else None
        if k.denominator != 1 or abs(k) > MAX_MULTIPLE or term.under:
            return None
        if not isinstance(base, SymbolLeaf) or term.factors[0].exponent != 1:
            return None
        digit = trig_index(base.symbol)
        if digit is None:
            return None
        (above if k > 0 else below).extend([digit] * abs(int(k)))
    if not above:
        return None
    return "".join(sorted(above)) + "".join(f"-{digit}" for digit in sorted(below))
