"""Decide whether sines and cosines are written short (s₁, c₁₂) or long."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.errors import InvalidExpression
from dalembert.typeset.render.names import parse_name, trig_index
from dalembert.typeset.tree import Product, SymbolLeaf, TrigLeaf, leaves


def is_short(trees: Iterable[Product], trig: str = "auto") -> bool:
    """Tell whether c₁₂ can stand for every cosine without ambiguity.

    That is so when every angle is a plain sum of coordinates with one base letter and distinct
    single-digit indices, and no symbol is itself called c₁ or s₁.
    """
    if trig not in ("auto", "short", "long"):
        raise InvalidExpression(f"expected trig='auto', 'short' or 'long', got {trig!r}")
    if trig != "auto":
        return trig == "short"
    bases: set[str] = set()
    has_trig = False
    for tree in trees:
        for leaf in leaves(tree):
            if isinstance(leaf, SymbolLeaf) and parse_name(leaf.symbol.name).base in ("c", "s"):
                return False
            if isinstance(leaf, TrigLeaf):
                indexed = short_index(leaf)
                if indexed is None:
                    return False
                bases.add(indexed[0])
                has_trig = True
    return has_trig and len(bases) == 1


def short_index(leaf: TrigLeaf) -> tuple[str, str] | None:
    """Return (base, digits) when the angle is a plain sum such as q₁ + q₂, else None."""
    found = []
    for term in leaf.angle:
        if term.coefficient != 1 or len(term.factors) != 1 or term.under:
            return None
        base, exponent = term.factors[0].base, term.factors[0].exponent
        index = trig_index(base.symbol) if isinstance(base, SymbolLeaf) and exponent == 1 else None
        if index is None:
            return None
        found.append(index)
    bases, digits = {b for b, _ in found}, sorted(d for _, d in found)
    if len(bases) != 1 or len(set(digits)) < len(digits):
        return None
    return bases.pop(), "".join(digits)
