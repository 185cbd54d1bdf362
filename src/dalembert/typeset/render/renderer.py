"""What Unicode text and LaTeX share: sums of signed terms, and the glyphs of numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction

from dalembert.typeset.render.trig_style import short_index
from dalembert.typeset.tree import (
    Leaf,
    PartialLeaf,
    Product,
    Sum,
    SymbolLeaf,
    TrigLeaf,
    function_symbol,
    open_sum,
)


class Renderer(ABC):
    """Turns print trees into text, with sines short (s₁) or long (sin(q₁)).

    ``opening`` and ``closing`` are brackets of a term that is broken between lines, and ``space``
    what the further lines begin with.
    """

    opening, closing, space = "(", ")", "  "

    def __init__(self, short: bool = False) -> None:
        self.short = short

    def render(self, p: Product) -> str:
        """Return the text of a tree."""
        terms = open_sum(p)
        text = ("-" if terms[0].coefficient < 0 else "") + self._magnitude(terms[0])
        for term in terms[1:]:
            text += (" - " if term.coefficient < 0 else " + ") + self._magnitude(term)
        return text

    def raised(self, n: int) -> str:
        """Return an exponent, nothing for 1."""
        return "" if n == 1 else f"^{n}"

    def continued(self, term: str) -> str:
        """Return a rendered term as it stands after another."""
        return f" - {term[1:]}" if term.startswith("-") else f" + {term}"

    def before_bracket(self, p: Product) -> str:
        """Return the factors in front of a bracket; of ±1 only the sign."""
        sign, front = "-" if p.coefficient < 0 else "", self._magnitude(p)
        # a sum keeps its brackets here
        return sign if front == "1" else f"{sign}{front} "

    @abstractmethod
    def _magnitude(self, p: Product) -> str:
        """Return the text of a product without its sign."""

    @abstractmethod
    def _leaf(self, leaf: Leaf) -> str:
        """Return the text of a leaf."""

    def _partial(self, leaf: PartialLeaf) -> str:
        """Return ∂f/∂x, with the arguments if there are several; ∂₁ f(2x) by its first one."""
        name = self._leaf(SymbolLeaf(function_symbol(leaf.function)))
        if leaf.letters is None:
            return self._applied(self._by_places(leaf, name), leaf.args)
        pairs = zip(leaf.letters, leaf.orders, strict=True)
        below = [self._differential(self._leaf(SymbolLeaf(x)), n) for x, n in pairs if n]
        quotient = self._quotient(name, sum(leaf.orders), below)
        return quotient if len(leaf.letters) == 1 else self._applied(quotient, leaf.args)

    @abstractmethod
    def _by_places(self, leaf: PartialLeaf, name: str) -> str:
        """Return ∂₁ f: a derivative by the places of arguments."""

    @abstractmethod
    def _differential(self, letter: str, n: int) -> str:
        """Return ∂x²: what stands below the line of a derivative."""

    @abstractmethod
    def _quotient(self, name: str, order: int, below: Sequence[str]) -> str:
        """Return ∂²f/∂x∂y."""

    @abstractmethod
    def _applied(self, function: str, args: Sequence[Product]) -> str:
        """Return a function with its arguments in brackets."""

    def _index(self, leaf: TrigLeaf) -> str | None:
        """Return the digits of s₁₂ where the sine is written short, else None."""
        return short_index(leaf) if self.short and leaf.function in ("sin", "cos") else None


def stands_on_the_line(base: Leaf | Sum) -> bool:
    """Tell whether a fraction stands in front of a factor, as in ½ m q̇² and ½ k (x - y)."""
    return isinstance(base, Sum) or (isinstance(base, SymbolLeaf) and base.symbol.order > 0)


def decimal(value: Fraction) -> str | None:
    """Return the exact decimal of a rational that is shorter as a decimal, such as 9.81, or None.

    >>> decimal(Fraction(981, 100)), decimal(Fraction(3, 20))
    ('9.81', None)
    """
    d = value.denominator
    if d < 20 or d % 5:
        return None
    twos, fives = (d & -d).bit_length() - 1, 0
    d >>= twos
    while d % 5 == 0:
        d, fives = d // 5, fives + 1
    places = max(twos, fives)
    if d != 1 or places > 12:
        return None
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    typed = f"{digits[:-places]}.{digits[-places:]}"
    return typed if len(typed) < len(f"{abs(value.numerator)}/{value.denominator}") else None


def split_number(value: Fraction) -> tuple[str, str]:
    """Return the glyphs above and below the fraction line, without sign; 1 is empty."""
    typed = decimal(value)
    if typed is not None:
        return typed, ""
    top, bottom = abs(value.numerator), value.denominator
    return "" if top == 1 else digits(top), "" if bottom == 1 else digits(bottom)


def digits(n: int) -> str:
    """Return the digits of a whole number, or how many there are."""
    return str(n) if n.bit_length() < 4000 else f"⟨{n.bit_length()}-bit number⟩"
