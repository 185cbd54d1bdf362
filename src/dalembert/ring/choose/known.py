"""The functions of a ring by their arguments: equal arguments are one function, as elements.

A function of an argument that the ring has already keeps its first spelling. ``abs``, ``sign`` and
roots forget a rational factor of their argument, which the caller takes out.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from operator import itemgetter
from typing import NamedTuple

import flint

from dalembert.errors import TooLarge
from dalembert.expr import Expr, count_nodes
from dalembert.expr.node import make
from dalembert.ring.choose.angles import LinearForm
from dalembert.ring.choose.arguments import linear_form, primitive
from dalembert.ring.rebuild import rebuild
from dalembert.ring.ring import Element, Ring

MAX_WRITTEN = 200
"""Terms of an argument that is written out to be compared with what was typed."""

SCALED = ("abs", "sign", "pow")
TERM = "term"
"""Stands for a quotient inside a sine or an exponential."""


class Scaled(NamedTuple):
    """The first spelling of a function of one argument: argument = ratio · that one's."""

    ratio: Fraction
    expr: Expr


class _Entry(NamedTuple):
    """A function with its arguments, of scaled ones without a number in front."""

    expr: Expr
    number: Fraction
    args: tuple[Element, ...]


class Known:
    """Atoms with their arguments as elements of one ring."""

    def __init__(self) -> None:
        self._by_text: dict[tuple[Hashable, ...], _Entry] = {}
        self._entries: dict[tuple[str, Hashable], list[_Entry]] = {}
        self._arguments: dict[Expr, tuple[Element, ...]] = {}
        self.angles: dict[Expr, Element] = {}
        """The independent angles by their sines, if functions stand inside of some."""

    def add(self, atom: Expr, args: Sequence[Element]) -> None:
        """Enter an atom of the ring, or the sine of an independent angle."""
        self._arguments[atom] = tuple(args)
        if atom.op == "sin":
            self.angles[atom] = args[0]
        elif atom.op in SCALED:
            k, x = primitive(args[0])
            expr = atom.args[0] if atom.op == "pow" else atom
            self._enter(atom.op, _side(atom.op, k), _Entry(expr, k, (x,)))
        else:
            self._enter(atom.op, atom.value, _Entry(atom, Fraction(1), tuple(args)))

    def argument(self, atom: Expr) -> Element:
        """Return the argument of an atom of one argument."""
        return self._arguments[atom][0]

    def exact(self, node: Expr, args: Sequence[Element], *, is_typed: bool = True) -> Expr:
        """Return the first spelling of a function of these arguments, those typed in the node."""
        found = self._find(node.op, node.value, args)
        if found is not None:
            return found.expr
        typed = node.args if is_typed else [None] * len(args)
        spelled = (_spelled(e, x) for e, x in zip(typed, args, strict=True))
        atom = make(node.op, tuple(spelled), node.value)
        self._enter(node.op, node.value, _Entry(atom, Fraction(1), tuple(args)))
        self._arguments.setdefault(atom, tuple(args))
        return atom

    def scaled(self, op: str, x: Element, typed: Expr | None = None) -> Scaled:
        """Return (k, f(y)) with x = k y for the y that came first, of a root (k, y) with k > 0.

        ``typed`` is x as it was typed.
        """
        k, y = primitive(x)
        found = self._find(op, _side(op, k), [y])
        if found is not None:
            return Scaled(k / found.number, found.expr)
        if not y.is_polynomial and op != "pow":
            # of quotients the sign is not unique either
            found = self._find(op, False, [-y])
            if found is not None:
                return Scaled(-k / found.number, found.expr)
        e = _spelled(typed, x)
        expr = e if op in ("pow", TERM) else make(op, (e,))
        self._enter(op, _side(op, k), _Entry(expr, k, (y,)))
        return Scaled(Fraction(1), expr)

    def form(self, x: Element) -> LinearForm:
        """Return {term: coefficient} of an element: its monomials, or a quotient as a whole."""
        if x.is_polynomial:
            return linear_form(x)
        ratio, term = self.scaled(TERM, x)
        return {term: ratio}

    def _enter(self, op: str, value: Hashable, entry: _Entry) -> None:
        self._by_text.setdefault(_key(op, value, entry.args), entry)
        self._entries.setdefault((op, value), []).append(entry)

    def _find(self, op: str, value: Hashable, args: Sequence[Element]) -> _Entry | None:
        found = self._by_text.get(_key(op, value, args))
        if found is not None:
            return found
        return next(
            (e for e in self._entries.get((op, value), ()) if _are_equal(args, e.args)), None
        )


def _are_equal(xs: Sequence[Element], ys: Sequence[Element]) -> bool:
    """Tell whether arguments of other text are equal: 1/(1 + √x) is (1 - √x)/(1 - x)."""
    if len(xs) != len(ys) or all(x.is_polynomial for x in (*xs, *ys)):
        return False
    return all((x - y).is_surely_zero for x, y in zip(xs, ys, strict=True))


def _side(op: str, k: Fraction) -> bool:
    """Tell a root of -x from the root of x."""
    return op == "pow" and k < 0


def _spelled(typed: Expr | None, x: Element) -> Expr:
    """Return an argument as it was typed, or as its canonical form where that is shorter."""
    if typed is None:
        return rebuild(x)
    if len(x) > MAX_WRITTEN:
        return typed
    try:
        written = rebuild(x)
    except TooLarge:
        return typed
    is_shorter = count_nodes([written]) < count_nodes([typed])
    return written if is_shorter or typed.symbols != written.symbols else typed


def _key(op: str, value: Hashable, args: Sequence[Element]) -> tuple[Hashable, ...]:
    return op, value, tuple(_text(x) for x in args)


def _text(x: Element) -> Hashable:
    """Return the parts as texts, polynomials alike however they were made."""
    return tuple([(key, _text_of(x.ring, p)) for key, p in sorted(x.parts(), key=itemgetter(0))])


def _text_of(ring: Ring, p: flint.fmpq_mpoly) -> str:
    return str(sorted(ring.waves.collected(p).items())) if ring.is_wild(p) else str(p)
