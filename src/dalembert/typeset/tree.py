"""The print tree: what the layout decides on, before any glyph is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

from dalembert.expr import Kind, Symbol, time
from dalembert.expr.undefined import Applied

R = TypeVar("R")

_TIME: Symbol = time.value


@dataclass(frozen=True, slots=True)
class SymbolLeaf:
    """A symbol."""

    symbol: Symbol


@dataclass(frozen=True, slots=True)
class PiLeaf:
    """The number π."""


@dataclass(frozen=True, slots=True)
class TrigLeaf:
    """sin, cos, tan, sinh or cosh of Σ coefficient · term."""

    function: str
    angle: tuple[Product, ...]
    memo: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    def __hash__(self) -> int:
        # met in every term: hashed once
        if "hash" not in self.memo:
            self.memo["hash"] = hash((self.function, self.angle))
        return self.memo["hash"]


@dataclass(frozen=True, slots=True)
class CallLeaf:
    """Another function of its arguments."""

    function: str
    args: tuple[Product, ...]


@dataclass(frozen=True, slots=True)
class PartialLeaf:
    """A partial derivative of a function without a definition; ``orders`` by each argument."""

    function: str
    orders: tuple[int, ...]
    args: tuple[Product, ...]

    @property
    def letters(self) -> tuple[Symbol, ...] | None:
        """The arguments, if they are different symbols."""
        bases = [arg.factors[0].base for arg in self.args if arg.factors]
        found = [b.symbol for b in bases if isinstance(b, SymbolLeaf)]
        are_letters = self.args == tuple(leaf_tree(SymbolLeaf(s)) for s in found)
        return tuple(found) if are_letters and len(set(found)) == len(found) else None

    @property
    def places(self) -> list[int]:
        """The numbers of the arguments that differentiate, from 1."""
        return [i + 1 for i, n in enumerate(self.orders) for _ in range(n)]


@dataclass(frozen=True, slots=True)
class RootLeaf:
    """The ``degree``-th root of the argument."""

    arg: Product
    degree: int


@dataclass(frozen=True, slots=True)
class NumberLeaf:
    """A positive number that is printed rounded: ``digits``, times ten to the ``exponent``."""

    value: Fraction
    digits: str
    exponent: int


@dataclass(frozen=True, slots=True)
class TextLeaf:
    """Words in place of an expression that is too large to print."""

    words: str


Leaf = SymbolLeaf | PiLeaf | TrigLeaf | CallLeaf | PartialLeaf | RootLeaf | NumberLeaf | TextLeaf


def applied_leaf(value: Applied, args: tuple[Product, ...]) -> CallLeaf | PartialLeaf | SymbolLeaf:
    """Return the leaf of a function without a definition, or of a derivative of one.

    The rates of a function of time are letters with dots, as those of a coordinate are.
    """
    if not any(value.orders):
        return CallLeaf(value.name, args)
    if args == (leaf_tree(SymbolLeaf(_TIME)),):
        return SymbolLeaf(function_symbol(value.name, value.orders[0]))
    return PartialLeaf(value.name, value.orders, args)


def function_symbol(name: str, order: int = 0) -> Symbol:
    """Return the symbol whose letters a function without a definition has, or its rate in time."""
    return Symbol(Kind.PARAMETER, name, order)


@dataclass(frozen=True, slots=True)
class Sum:
    """Two or more terms, in print order; ``memo`` keeps what is asked of a sum again and again."""

    terms: tuple[Product, ...]
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __hash__(self) -> int:
        return self.remember("hash", lambda s: hash(s.terms))

    def remember(self, what: str, ask: Callable[[Sum], R]) -> R:
        """Return ask(self), computed once."""
        if what not in self.memo:
            self.memo[what] = ask(self)
        return self.memo[what]


@dataclass(frozen=True, slots=True)
class Power:
    """A leaf or a sum to a positive whole exponent."""

    base: Leaf | Sum
    exponent: int = 1


@dataclass(frozen=True, slots=True)
class Product:
    """coefficient · Π factors / Π under, in print order; every tree is one."""

    coefficient: Fraction
    factors: tuple[Power, ...] = ()
    under: tuple[Power, ...] = ()


def number(value: Fraction | int) -> Product:
    """Return the tree of a number."""
    return Product(Fraction(value))


def leaf_tree(leaf: Leaf | Sum) -> Product:
    """Return the tree of one leaf or sum."""
    return Product(Fraction(1), (Power(leaf),))


def sum_tree(terms: list[Product]) -> Product:
    """Return the tree of a sum; sums inside it are opened."""
    opened = [inner for term in terms for inner in open_sum(term)]
    if len(opened) == 1:
        return opened[0]
    return Product(Fraction(1), (Power(Sum(tuple(opened))),)) if opened else number(0)


def open_sum(p: Product) -> tuple[Product, ...]:
    """Return the terms of ± a bare sum, else the tree alone."""
    if abs(p.coefficient) == 1 and len(p.factors) == 1 and not p.under:
        base, exponent = p.factors[0].base, p.factors[0].exponent
        if isinstance(base, Sum) and exponent == 1:
            return base.terms if p.coefficient > 0 else tuple(map(negative, base.terms))
    return (p,)


def negative(p: Product) -> Product:
    """Return the tree with the other sign."""
    return Product(-p.coefficient, p.factors, p.under)


def times(p: Product, k: Fraction) -> Product:
    """Return the tree with another coefficient."""
    return Product(p.coefficient * k, p.factors, p.under)


def leaves(p: Product) -> Iterator[Leaf]:
    """Yield every leaf, those in arguments too."""
    stack: list[Product] = [p]
    while stack:
        product = stack.pop()
        for power in (*product.factors, *product.under):
            base = power.base
            if isinstance(base, Sum):
                stack.extend(base.terms)
                continue
            yield base
            stack.extend(arguments(base))


def arguments(leaf: Leaf) -> tuple[Product, ...]:
    """Return the trees inside a leaf."""
    match leaf:
        case TrigLeaf(angle=angle):
            return angle
        case CallLeaf(args=args) | PartialLeaf(args=args):
            return args
        case RootLeaf(arg, _):
            return (arg,)
        case _:
            return ()


def cost(p: Product) -> int:
    """Return the reading length of a tree: the number of letters, numbers and brackets."""
    total = int(abs(p.coefficient.numerator) != 1) + int(p.coefficient.denominator != 1)
    for power in (*p.factors, *p.under):
        total += _base_cost(power.base)
    return total


def _base_cost(base: Leaf | Sum) -> int:
    if isinstance(base, Sum):
        return base.remember("cost", lambda s: 1 + sum(map(cost, s.terms)))
    if isinstance(base, TrigLeaf):
        return 1
    return 1 + sum(map(cost, arguments(base)))
