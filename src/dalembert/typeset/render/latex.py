"""Render print trees as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dalembert.typeset.render.names import symbol_latex
from dalembert.typeset.render.renderer import (
    Renderer,
    split_number,
    stands_on_the_line,
)
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
)

_FUNCTIONS = {
    "log": r"\log",
    "tanh": r"\tanh",
    "asin": r"\arcsin",
    "acos": r"\arccos",
    "atan2": r"\operatorname{atan2}",
    "sign": r"\operatorname{sgn}",
}


class LatexRenderer(Renderer):
    """Turns print trees into LaTeX."""

    opening, closing, space = r"\Bigl(", r"\Bigr)", r"\quad"

    def raised(self, n: int) -> str:
        """Return an exponent, nothing for 1."""
        return "" if n == 1 else f"^{{{n}}}"

    def _magnitude(self, p: Product) -> str:
        if not p.coefficient:
            return "0"
        top, bottom = split_number(p.coefficient)
        above, below = self._factors(p.factors), self._factors(p.under)
        if not p.under and not bottom:
            return f"{top} {above}".strip() or "1"
        # ½ m q̇² and ½ k (x - y): the number in front, as an energy is written
        if not p.under and any(stands_on_the_line(x.base) for x in p.factors):
            return rf"\frac{{{top or 1}}}{{{bottom}}} {above}"
        above = self._bare(p.factors) if not top else f"{top} {above}".strip()
        below = self._bare(p.under) if not bottom else f"{bottom} {below}".strip()
        return rf"\frac{{{above or 1}}}{{{below}}}"

    def _bare(self, powers: Sequence[Power]) -> str:
        """Return the factors; a lone sum needs no brackets on a fraction line."""
        if len(powers) == 1 and isinstance(powers[0].base, Sum) and powers[0].exponent == 1:
            return self.render(Product(Fraction(1), tuple(powers)))
        return self._factors(powers)

    def _factors(self, powers: Sequence[Power]) -> str:
        text = ""
        for i, power in enumerate(powers):
            following = powers[i + 1].base if i + 1 < len(powers) else None
            text += self._power(power, isinstance(following, Sum))
            if following is not None:
                # cos q · q̇: a thin space ends the argument
                thin = self._is_open(power.base) and not isinstance(following, Sum)
                text += r" \, " if thin else " "
        return text

    def _is_open(self, base: Leaf | Sum) -> bool:
        """Tell whether a function is written without brackets around its argument."""
        return isinstance(base, TrigLeaf) and not self._index(base) and _is_letter(base.angle)

    def _power(self, p: Power, before_bracket: bool = False) -> str:
        base, n = p.base, p.exponent
        raised = "" if n == 1 else f"^{{{n}}}"
        match base:
            case Sum():
                return self._bracket(leaf_tree(base)) + raised
            case TrigLeaf(function=function, angle=angle):
                index = self._index(base)
                if index is not None:
                    return f"{function[0]}_{{{index}}}{raised}"
                if _is_letter(angle) and not before_bracket:
                    return rf"\{function}{raised} {self.render(angle[0])}"
                return rf"\{function}{raised}{self._bracket(*angle)}"
            case RootLeaf(arg, degree) if n > 1:
                r = Fraction(n, degree)
                if r.numerator == 1:
                    return self._leaf(RootLeaf(arg, r.denominator))
                return f"{self._bracket(arg)}^{{{r}}}"
            case SymbolLeaf(symbol) if raised and symbol.order > 2:
                return rf"\left({self._leaf(base)}\right){raised}"
            case CallLeaf() | PartialLeaf() if raised:
                return rf"\left({self._leaf(base)}\right){raised}"
            case _:
                return self._leaf(base) + raised

    def _point(self, args: Sequence[Product]) -> str:
        return rf"\left({', '.join(map(self.render, args))}\right)"

    def _by_places(self, leaf: PartialLeaf, name: str) -> str:
        return rf"\partial_{{{','.join(map(str, leaf.places))}}} {name}"

    def _differential(self, letter: str, n: int) -> str:
        return rf"\partial {letter}{self.raised(n)}"

    def _quotient(self, name: str, order: int, below: Sequence[str]) -> str:
        above = rf"\partial{self.raised(order)} {name}"
        return rf"\frac{{{above}}}{{" + r" \, ".join(below) + "}"

    def _applied(self, function: str, args: Sequence[Product]) -> str:
        return function + self._point(args)

    def _bracket(self, *terms: Product) -> str:
        inside = terms[0] if len(terms) == 1 else leaf_tree(Sum(terms))
        return rf"\left({self.render(inside)}\right)"

    def _leaf(self, leaf: Leaf) -> str:
        match leaf:
            case SymbolLeaf(symbol):
                return symbol_latex(symbol)
            case PiLeaf():
                return r"\pi"
            case NumberLeaf(_, digits, exponent):
                return rf"{digits} \cdot 10^{{{exponent}}}" if exponent else digits
            case TextLeaf(words):
                return rf"\langle\text{{{words}}}\rangle"
            case CallLeaf("exp", (arg,)):
                # upright: a symbol may be called e
                return rf"\mathrm{{e}}^{{{self.render(arg)}}}"
            case CallLeaf("abs", (arg,)):
                return rf"\left|{self.render(arg)}\right|"
            case CallLeaf(function, args):
                name = _FUNCTIONS.get(function) or symbol_latex(function_symbol(function))
                return name + self._point(args)
            case PartialLeaf():
                return self._partial(leaf)
            case RootLeaf(arg, degree):
                index = "" if degree == 2 else f"[{degree}]"
                return rf"\sqrt{index}{{{self.render(arg)}}}"
            case TrigLeaf():
                return self._power(Power(leaf))


def _is_letter(angle: Sequence[Product]) -> bool:
    if len(angle) != 1 or angle[0].coefficient != 1 or angle[0].under:
        return False
    factors = angle[0].factors
    return (
        len(factors) == 1
        and factors[0] == Power(factors[0].base)
        and isinstance(factors[0].base, SymbolLeaf)
    )


def matrix_latex(rows: Sequence[Sequence[str]], num_columns: int) -> str:
    """Set LaTeX texts in a bracketed matrix."""
    if not rows or not num_columns:
        return r"\begin{bmatrix}\end{bmatrix}"
    lines = r" \\ ".join(" & ".join(row) for row in rows)
    return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"
