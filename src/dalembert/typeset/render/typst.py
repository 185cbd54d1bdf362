"""Render print trees as Typst mathematics, from which PDF pages are made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from dalembert.expr import Symbol
from dalembert.typeset.render.names import (
    INERTIA,
    SUBSCRIPT_NAME,
    glyph_of,
    parse_name,
    split_small,
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
    sum_tree,
)

_FUNCTIONS = {"log": "log", "tanh": "tanh", "asin": "arcsin", "acos": "arccos"}
_OPERATORS = {"atan2": 'op("atan2")', "sign": 'op("sgn")'}
_DOTS = ("", "dot", "dot.double")


class TypstRenderer(Renderer):
    """Turns print trees into Typst mathematics."""

    opening = "lr(size: #2.2em, paren.l) "
    closing = " lr(size: #2.2em, paren.r)"
    space = "quad"

    def raised(self, n: int) -> str:
        """Return an exponent, nothing for 1."""
        return "" if n == 1 else f"^{n}" if n < 10 else f"^({n})"

    def _magnitude(self, p: Product) -> str:
        if not p.coefficient:
            return "0"
        top, bottom = map(typst_number, split_number(p.coefficient))
        above, below = self._factors(p.factors), self._factors(p.under)
        if not p.under and not bottom:
            return f"{top} {above}".strip() or "1"
        if not p.under and any(stands_on_the_line(x.base) for x in p.factors):
            return f"frac({top or 1}, {bottom}) {above}"
        above = self._bare(p.factors) if not top else f"{top} {above}".strip()
        below = self._bare(p.under) if not bottom else f"{bottom} {below}".strip()
        return f"frac({above or 1}, {below})"

    def _bare(self, powers: Sequence[Power]) -> str:
        """Return the factors; a lone sum needs no brackets on a fraction line."""
        if len(powers) == 1 and isinstance(powers[0].base, Sum) and powers[0].exponent == 1:
            return self.render(Product(Fraction(1), tuple(powers)))
        return self._factors(powers)

    def _factors(self, powers: Sequence[Power]) -> str:
        return " ".join(self._power(x) for x in powers)

    def _power(self, p: Power) -> str:
        base, raised = p.base, self.raised(p.exponent)
        match base:
            case Sum():
                return self._bracket(leaf_tree(base)) + raised
            case TrigLeaf(function=function, angle=angle):
                index = self._index(base)
                if index is not None:
                    return f"{function[0]}_({index}){raised}"
                return f"{function}{raised} {self._bracket(sum_tree(list(angle)))}"
            case CallLeaf() | PartialLeaf() | RootLeaf() if raised:
                return f"({self._leaf(base)}){raised}"
            case SymbolLeaf(symbol) if raised and symbol.order >= len(_DOTS):
                return f"({self._leaf(base)}){raised}"
            case _:
                return self._leaf(base) + raised

    def _bracket(self, p: Product) -> str:
        return f"({self.render(p)})"

    def _point(self, args: Sequence[Product]) -> str:
        # a comma of its own would separate arguments of Typst
        return f"({' comma '.join(map(self.render, args))})"

    def _by_places(self, leaf: PartialLeaf, name: str) -> str:
        return f"∂_({' comma '.join(map(str, leaf.places))}) {name}"

    def _differential(self, letter: str, n: int) -> str:
        return f"∂ {letter}{self.raised(n)}"

    def _quotient(self, name: str, order: int, below: Sequence[str]) -> str:
        return f"frac(∂{self.raised(order)} {name}, {' '.join(below)})"

    def _applied(self, function: str, args: Sequence[Product]) -> str:
        return f"{function} {self._point(args)}"

    def _leaf(self, leaf: Leaf) -> str:
        match leaf:
            case SymbolLeaf(symbol):
                return symbol_typst(symbol)
            case PiLeaf():
                return "π"
            case NumberLeaf(_, digits, exponent):
                return f"{digits} dot 10^({exponent})" if exponent else digits
            case TextLeaf(words):
                return typst_string(f"⟨{words}⟩")
            case RootLeaf(arg, 2):
                return f"sqrt({self.render(arg)})"
            case RootLeaf(arg, degree):
                return f"root({degree}, {self.render(arg)})"
            case CallLeaf("exp", (arg,)):
                return f"e^({self.render(arg)})"
            case CallLeaf("abs", (arg,)):
                return f"abs({self.render(arg)})"
            case CallLeaf(function, args):
                name = _FUNCTIONS.get(function) or _OPERATORS.get(function)
                return f"{name or symbol_typst(function_symbol(function))} {self._point(args)}"
            case PartialLeaf():
                return self._partial(leaf)
            case TrigLeaf():
                return self._power(Power(leaf))


def symbol_typst(symbol: Symbol) -> str:
    """Return the Typst mathematics of a symbol.

    >>> from dalembert.expr import Kind
    >>> symbol_typst(Symbol(Kind.COORDINATE, "theta1", 1))
    'dot(θ)_(1)'
    """
    base, index, subscripts = parse_name(symbol.name)
    small, base = split_small(base)
    inertia = INERTIA.fullmatch(base)
    below = [index] if index else []
    if inertia:
        # Ixx1 is the entry xx of the matrix I₁
        base, below = inertia[1], [" ".join([*inertia[2], index]).strip()]
    glyph, order = _letters(glyph_of(symbol, base)), symbol.order
    if 0 < order < len(_DOTS):
        glyph = f"{_DOTS[order]}({glyph})"
    below += map(_subscript, subscripts)
    if below:
        glyph += f"_({' comma '.join(below)})"
    if order >= len(_DOTS):
        glyph = f"{glyph}^(({order}))"
    return f"{small} {glyph}" if small else glyph


def _subscript(part: str) -> str:
    match = SUBSCRIPT_NAME.fullmatch(part)
    word, digits = match.groups() if match else (part, "")
    # bare digits are marked: x_1 is not x₁
    return f"{_letters(glyph_of(None, word))} {digits}".strip() if word else f"underline({digits})"


def _letters(word: str) -> str:
    """Return one letter as a variable, a word upright."""
    return word if len(word) == 1 and word.isalpha() else typst_string(word)


def typst_number(digits: str) -> str:
    """Return the glyphs of a number; words that stand for a very long one are quoted."""
    return digits if re.fullmatch(r"[0-9.]*", digits) else typst_string(digits)


def typst_string(text: str) -> str:
    r"""Return a string of Typst, in which no character of the text is a command.

    >>> print(typst_string('a "b" \\c'))
    "a \"b\" \\c"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(ch if ch.isprintable() else " " for ch in escaped) + '"'


def matrix_typst(rows: Sequence[Sequence[str]], num_columns: int) -> str:
    """Set Typst mathematics in a bracketed matrix."""
    if not rows or not num_columns:
        return "[ ]"
    lines = "; ".join(", ".join(row) for row in rows)
    return f'mat(delim: "[", {lines})'
