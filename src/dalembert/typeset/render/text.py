"""Render print trees as Unicode text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from fractions import Fraction

from dalembert.expr import FUNCTIONS
from dalembert.typeset.render.names import SUBSCRIPT, SUPERSCRIPT, symbol_glyphs
from dalembert.typeset.render.renderer import Renderer, split_number
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
    function_symbol,
    leaf_tree,
    leaves,
)


class TextRenderer(Renderer):
    """Turns print trees into Unicode text."""

    def _magnitude(self, p: Product) -> str:
        top, bottom = split_number(p.coefficient)
        if not p.coefficient:
            return "0"
        above = ([top] if top else []) + [self._power(x) for x in p.factors]
        below = ([bottom] if bottom else []) + [self._divisor(x) for x in p.under]
        text = _side_by_side(above) or "1"
        if not below:
            return text
        return f"{text}/{below[0]}" if len(below) == 1 else f"{text}/({_side_by_side(below)})"

    def _divisor(self, p: Power) -> str:
        is_quotient = isinstance(p.base, PartialLeaf) and p.exponent == 1
        return f"({self._power(p)})" if is_quotient else self._power(p)

    def _power(self, p: Power) -> str:
        base, n = p.base, p.exponent
        raised = _superscript(n)
        match base:
            case Sum():
                return f"({self.render(leaf_tree(base))}){raised}"
            case TrigLeaf(function=function, angle=angle):
                index = self._index(base)
                if index is not None:
                    return function[0] + index.translate(SUBSCRIPT) + raised
                return f"{function}{raised}({self._angle(angle)})"
            case RootLeaf(arg, degree) if n > 1:
                r = Fraction(n, degree)
                if r.numerator == 1:
                    return self._leaf(RootLeaf(arg, r.denominator))
                return f"{self._primary(arg)}^({r})"
            case SymbolLeaf(symbol) if raised and symbol.order > 2:
                return f"({self._leaf(base)}){raised}"
            case PartialLeaf() if raised:
                return f"({self._leaf(base)}){raised}"
            case _:
                return self._leaf(base) + raised

    def _angle(self, angle: Sequence[Product]) -> str:
        if len(angle) == 1:
            return self.render(angle[0])
        return self.render(leaf_tree(Sum(tuple(angle))))

    def _leaf(self, leaf: Leaf) -> str:
        match leaf:
            case SymbolLeaf(symbol):
                return symbol_glyphs(symbol)
            case PiLeaf():
                return "π"
            case NumberLeaf(_, digits, exponent):
                return f"{digits}·10{_superscript(exponent)}" if exponent else digits
            case TextLeaf(words):
                return f"⟨{words}⟩"
            case CallLeaf("abs", (arg,)) if not _has_bars(arg):
                return f"|{self.render(arg)}|"
            case CallLeaf(function, args):
                name = function if function in FUNCTIONS else self._name(function)
                return f"{name}({', '.join(map(self.render, args))})"
            case PartialLeaf():
                return self._partial(leaf)
            case RootLeaf(arg, degree):
                sign = {2: "√", 3: "³√", 4: "⁴√"}.get(degree)
                inside = self._primary(arg)
                return f"{sign}{inside}" if sign else f"{inside}^(1/{degree})"
            case TrigLeaf():
                return self._power(Power(leaf))

    def _name(self, function: str) -> str:
        return symbol_glyphs(function_symbol(function))

    def _by_places(self, leaf: PartialLeaf, name: str) -> str:
        between = "," if len(leaf.args) > 9 else ""
        return f"∂{between.join(map(str, leaf.places)).translate(SUBSCRIPT)}{name}"

    def _differential(self, letter: str, n: int) -> str:
        return f"∂{letter}{_superscript(n)}"

    def _quotient(self, name: str, order: int, below: Sequence[str]) -> str:
        return f"∂{_superscript(order)}{name}/{''.join(below)}"

    def _applied(self, function: str, args: Sequence[Product]) -> str:
        return f"{function}({', '.join(map(self.render, args))})"

    def _primary(self, p: Product) -> str:
        """Return the text, in brackets unless it is one letter or one whole number."""
        if not p.under and not p.factors and p.coefficient.denominator == 1 and p.coefficient >= 0:
            return self.render(p)
        is_letter = p.coefficient == 1 and len(p.factors) == 1 and not p.under
        if is_letter and p.factors[0].exponent == 1:
            base = p.factors[0].base
            if isinstance(base, SymbolLeaf | PiLeaf) and p == leaf_tree(base):
                return self.render(p)
        return f"({self.render(p)})"


def _has_bars(p: Product) -> bool:
    """Tell whether a modulus stands inside: bars within bars do not say which one closes."""
    return any(isinstance(x, CallLeaf) and x.function == "abs" for x in leaves(p))


def _side_by_side(factors: Sequence[str]) -> str:
    """Return the factors in a row; a dot stands in front of digits, as in 4·5^(2/3)."""
    text = "".join(f"·{x}" if x[0].isdecimal() else f" {x}" for x in factors)
    return text[1:]


def _superscript(n: int) -> str:
    return "" if n == 1 else str(n).translate(SUPERSCRIPT)


def width(text: str) -> int:
    """Return the number of columns the text takes on a terminal.

    >>> width("q̇₁")
    2
    """
    return sum(not unicodedata.combining(ch) for ch in text)


def matrix_text(rows: Sequence[Sequence[str]], num_columns: int) -> str:
    """Set texts in aligned columns between brackets."""
    if not rows or not num_columns:
        return "[]"
    widths = [max(width(row[j]) for row in rows) for j in range(num_columns)]
    lines = [
        "  ".join(" " * (w - width(text)) + text for w, text in zip(widths, row, strict=True))
        for row in rows
    ]
    if len(lines) == 1:
        return f"[{lines[0]}]"
    last = len(lines) - 1
    brackets = [("⎡⎤" if i == 0 else "⎣⎦" if i == last else "⎢⎥") for i in range(len(lines))]
    return "\n".join(f"{b[0]}{line}{b[1]}" for b, line in zip(brackets, lines, strict=True))
