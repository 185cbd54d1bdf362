"""Render print trees as Python that builds the same expressions again."""

from __future__ import annotations

from fractions import Fraction

from dalembert.errors import InvalidExpression
from dalembert.expr import FUNCTIONS
from dalembert.typeset.tree import (
    CallLeaf,
    Leaf,
    NumberLeaf,
    PartialLeaf,
    PiLeaf,
    Power,
    Product,
    RootLeaf,
    Sum,
    SymbolLeaf,
    TextLeaf,
    TrigLeaf,
    leaf_tree,
    leaves,
    open_sum,
)

_RATES = ("", ".dot", ".ddot")


class PythonRenderer:
    """Turns print trees into Python over symbols of the names that they have.

    Functions are those of ``import dalembert as da``; rates are ``q.dot`` and ``q.ddot``.
    """

    def render(self, p: Product) -> str:
        """Return the text of a tree."""
        terms = open_sum(p)
        text = ("-" if terms[0].coefficient < 0 else "") + self._magnitude(terms[0])
        for term in terms[1:]:
            text += (" - " if term.coefficient < 0 else " + ") + self._magnitude(term)
        return text

    def _magnitude(self, p: Product) -> str:
        if not p.coefficient:
            return "0"
        top, bottom = abs(p.coefficient.numerator), p.coefficient.denominator
        above = [str(top)] if top != 1 else []
        above += [self._power(x) for x in p.factors]
        below = ([str(bottom)] if bottom != 1 else []) + [self._power(x) for x in p.under]
        text = " * ".join(above) or "1"
        if not p.factors and not p.under and below:
            # 1 / 3 would be a float
            return f"Fraction({top}, {bottom})"
        if not below:
            return text
        return f"{text} / {below[0]}" if len(below) == 1 else f"{text} / ({' * '.join(below)})"

    def _power(self, p: Power) -> str:
        n = p.exponent
        if isinstance(p.base, Sum):
            text = f"({self.render(leaf_tree(p.base))})"
        elif isinstance(p.base, RootLeaf):
            exponent = Fraction(n, p.base.degree)
            arg = self.render(p.base.arg)
            if next(leaves(p.base.arg), None) is None:
                # the power of a number would be a float
                root = f"da.sqrt({arg})"
                if p.base.degree != 2:
                    raise InvalidExpression(f"expected square roots of numbers, got {p.base}")
                return root if n == 1 else f"{root}**{n}"
            return f"({arg}) ** {_exponent(exponent)}"
        else:
            text = self._leaf(p.base)
        return text if n == 1 else f"{text}**{n}"

    def _leaf(self, leaf: Leaf) -> str:
        match leaf:
            case SymbolLeaf(symbol) if symbol.order < len(_RATES):
                return symbol.name + _RATES[symbol.order]
            case PiLeaf():
                return "da.pi"
            case NumberLeaf(value):
                return f"Fraction({value.numerator}, {value.denominator})"
            case TrigLeaf(function, angle):
                return f"da.{function}({self.render(leaf_tree(Sum(tuple(angle))))})"
            case CallLeaf(function, args):
                name = f"da.{function}" if function in FUNCTIONS else function
                return f"{name}({', '.join(map(self.render, args))})"
            case RootLeaf():
                return f"({self._power(Power(leaf))})"
            case SymbolLeaf() | PartialLeaf() | TextLeaf():
                raise InvalidExpression(
                    f"expected symbols with rates up to the second and known functions for Python, "
                    f"got {leaf}"
                )


def _exponent(value: Fraction) -> str:
    if value == Fraction(1, 2):
        return "0.5"
    whole = value.denominator == 1
    return str(value) if whole else f"Fraction({value.numerator}, {value.denominator})"
