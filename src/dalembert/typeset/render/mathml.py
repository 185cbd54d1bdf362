"""Render print trees as MathML, which browsers show without further programs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dalembert.expr import FUNCTIONS
from dalembert.typeset.render.names import (
    SUBSCRIPT_NAME,
    glyph_of,
    parse_name,
    split_small,
    symbol_glyphs,
)
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
    open_sum,
    sum_tree,
)

_DOTS = ("", "˙", "¨")
_APPLY = "<mo>&#x2061;</mo>"
_PARTIAL = "<mo>∂</mo>"
THIN_SPACE = '<mspace width="0.17em"/>'


class MathmlRenderer(Renderer):
    """Turns print trees into presentation MathML."""

    opening = '<mo minsize="2em" maxsize="2em">(</mo>'
    closing = '<mo minsize="2em" maxsize="2em">)</mo>'
    space = '<mspace width="2em"/>'

    def raised(self, n: int) -> str:
        """Return an exponent that stands by itself, nothing for 1."""
        return "" if n == 1 else f"<msup><mi></mi><mn>{n}</mn></msup>"

    def continued(self, term: str) -> str:
        """Return a rendered term as it stands after another."""
        row = "<mrow><mo>−</mo>"
        # an operator that is first in its row would be set as a sign
        if term.startswith(row):
            return f'<mo form="infix">−</mo><mrow>{term.removeprefix(row)}'
        return f'<mo form="infix">+</mo>{term}'

    def before_bracket(self, p: Product) -> str:
        """Return the factors in front of a bracket; of ±1 only the sign."""
        sign = "<mo>−</mo>" if p.coefficient < 0 else ""
        if abs(p.coefficient) == 1 and not p.factors and not p.under:
            return sign
        # a sum keeps its brackets here
        return f"<mrow>{sign}{self._magnitude(p)}</mrow>"

    def render(self, p: Product) -> str:
        """Return the terms of a tree in a row."""
        row = ""
        for i, term in enumerate(open_sum(p)):
            sign = "−" if term.coefficient < 0 else "+" if i else ""
            row += (f"<mo>{sign}</mo>" if sign else "") + self._magnitude(term)
        return f"<mrow>{row}</mrow>"

    def _magnitude(self, p: Product) -> str:
        if not p.coefficient:
            return "<mn>0</mn>"
        top, bottom = split_number(p.coefficient)
        # ½ m q̇² and ½ k (x - y): the number in front, as an energy is written
        if bottom and not p.under and any(stands_on_the_line(x.base) for x in p.factors):
            number = f"<mfrac><mn>{top or 1}</mn><mn>{bottom}</mn></mfrac>"
            return number + self._factors("", p.factors)
        above, below = self._line(top, p.factors), self._line(bottom, p.under)
        if not below:
            return self._factors(top, p.factors) or "<mn>1</mn>"
        return f"<mfrac><mrow>{above or '<mn>1</mn>'}</mrow><mrow>{below}</mrow></mfrac>"

    def _line(self, number: str, powers: Sequence[Power]) -> str:
        """Return what stands above or below a fraction line: a lone sum needs no brackets there."""
        if not number and len(powers) == 1 and powers[0].exponent == 1:
            base = powers[0].base
            if isinstance(base, Sum):
                return self.render(leaf_tree(base))
        return self._factors(number, powers)

    def _factors(self, number: str, powers: Sequence[Power]) -> str:
        row = f"<mn>{number}</mn>" if number else ""
        for i, x in enumerate(powers):
            # a function stands apart: l cos(θ) ẋ, not lcos(θ)ẋ
            apart = self._is_function(x) or (i > 0 and self._is_function(powers[i - 1]))
            if row:
                # and so does what follows a subscript: m_p g, not m_pg
                is_low = row.endswith(("</msub>", "</msubsup>"))
                row += THIN_SPACE if apart or is_low else "<mo>&#x2062;</mo>"
            row += self._power(x)
        return row

    def _is_function(self, p: Power) -> bool:
        if isinstance(p.base, TrigLeaf):
            return self._index(p.base) is None
        return isinstance(p.base, CallLeaf)

    def _power(self, p: Power) -> str:
        base, n = p.base, p.exponent
        match base:
            case TrigLeaf(function=function, angle=angle):
                index = self._index(base)
                if index is not None:
                    return _raised(_letter(function[0], index.replace("-", "−")), n)
                inside = sum_tree(list(angle))
                name = _raised(f"<mi>{function}</mi>", n)
                return f"{name}{_APPLY}{self._point([inside])}"
            case Sum():
                return _raised(self._bracket(leaf_tree(base)), n)
            case CallLeaf() | PartialLeaf() | RootLeaf() if n > 1:
                return _raised(f"<mrow><mo>(</mo>{self._leaf(base)}<mo>)</mo></mrow>", n)
            case _:
                return _raised(self._leaf(base), n)

    def _bracket(self, p: Product) -> str:
        return f"<mrow><mo>(</mo>{self.render(p)}<mo>)</mo></mrow>"

    def _point(self, args: Sequence[Product]) -> str:
        inside = "<mo>,</mo>".join(map(self.render, args))
        return f'<mrow><mo stretchy="false">(</mo>{inside}<mo stretchy="false">)</mo></mrow>'

    def _by_places(self, leaf: PartialLeaf, name: str) -> str:
        places = ",".join(map(str, leaf.places))
        return f"<msub>{_PARTIAL}<mtext>{places}</mtext></msub>{name}"

    def _differential(self, letter: str, n: int) -> str:
        return f"{_PARTIAL}{_raised(letter, n)}"

    def _quotient(self, name: str, order: int, below: Sequence[str]) -> str:
        above = f"{_raised(_PARTIAL, order)}{name}"
        return f"<mfrac><mrow>{above}</mrow><mrow>{''.join(below)}</mrow></mfrac>"

    def _applied(self, function: str, args: Sequence[Product]) -> str:
        return f"{function}{_APPLY}{self._point(args)}"

    def _leaf(self, leaf: Leaf) -> str:
        match leaf:
            case SymbolLeaf(symbol) if symbol.order < len(_DOTS):
                base, digits, subscripts = parse_name(symbol.name)
                small, base = split_small(base)
                glyph = f"<mi>{escape(glyph_of(symbol, base))}</mi>"
                if symbol.order:
                    glyph = f'<mover>{glyph}<mo scriptlevel="0">{_DOTS[symbol.order]}</mo></mover>'
                below = [f"<mn>{digits}</mn>"] if digits else []
                below += map(_subscript, subscripts)
                row = "<mo>,</mo>".join(below)
                glyph = f"<msub>{glyph}<mrow>{row}</mrow></msub>" if below else glyph
                return f"<mrow><mi>{small}</mi>{glyph}</mrow>" if small else glyph
            case SymbolLeaf(symbol):
                return f"<mtext>{escape(symbol_glyphs(symbol))}</mtext>"
            case PiLeaf():
                return "<mi>π</mi>"
            case NumberLeaf(_, digits, exponent):
                sign = "<mo>−</mo>" if exponent < 0 else ""
                power = f"<mrow>{sign}<mn>{abs(exponent)}</mn></mrow>"
                scale = f"<mo>·</mo><msup><mn>10</mn>{power}</msup>"
                return f"<mn>{digits}</mn>{scale if exponent else ''}"
            case TextLeaf(words):
                return f"<mtext>⟨{escape(words)}⟩</mtext>"
            case RootLeaf(arg, 2):
                return f"<msqrt>{self.render(arg)}</msqrt>"
            case RootLeaf(arg, degree):
                return f"<mroot>{self.render(arg)}<mn>{degree}</mn></mroot>"
            case CallLeaf(function, args):
                name = f"<mi>{function}</mi>"
                if function not in FUNCTIONS:
                    name = self._leaf(SymbolLeaf(function_symbol(function)))
                return f"{name}{_APPLY}{self._point(args)}"
            case PartialLeaf():
                return self._partial(leaf)
            case TrigLeaf():
                return self._power(Power(leaf))


def _subscript(part: str) -> str:
    match = SUBSCRIPT_NAME.fullmatch(part)
    word, digits = match.groups() if match else (part, "")
    # bare digits are marked: x_1 is not x₁
    if not word:
        return f"<mtext>_{digits}</mtext>"
    return f"<mi>{escape(glyph_of(None, word))}</mi>" + (f"<mn>{digits}</mn>" if digits else "")


def _raised(base: str, n: int) -> str:
    if n == 1:
        return base
    # the exponent stands above the subscript
    if base.startswith("<msub>") and base.endswith("</msub>"):
        return f"<msubsup>{base[6:-7]}<mn>{n}</mn></msubsup>"
    return f"<msup><mrow>{base}</mrow><mn>{n}</mn></msup>"


def _letter(letter: str, index: str) -> str:
    return f"<msub><mi>{letter}</mi><mn>{index}</mn></msub>"


def matrix_mathml(rows: Sequence[Sequence[str]]) -> str:
    """Set MathML in a bracketed matrix."""
    lines = "".join(f"<mtr>{''.join(f'<mtd>{entry}</mtd>' for entry in row)}</mtr>" for row in rows)
    return f"<mrow><mo>[</mo><mtable>{lines}</mtable><mo>]</mo></mrow>"
