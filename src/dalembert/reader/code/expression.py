"""The one grammar of expressions in programs; a language says what names, calls and cells are.

    binary operators by priority: || && == != < <= > >= + - * / % unary ** ^ postfix

An expression becomes a Python function of the frame in which it is run.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from dalembert.errors import ParseError
from dalembert.reader.code.lexer import Lexeme, Reader

Frame = Any
Run = Callable[[Frame], Any]
"""An expression that is ready to run."""

MAX_DEPTH = 100
"""Brackets inside each other."""


def divided(a: Any, b: Any) -> Any:
    """Return a/b as C does: whole numbers are cut off towards zero, 1.0/0 is infinite."""
    if isinstance(a, int) and isinstance(b, int):
        return int(math.copysign(1, a) * math.copysign(1, b)) * (abs(a) // abs(b))
    try:
        return a / b
    except ZeroDivisionError:
        return math.nan if not a or a != a else math.copysign(math.inf, a) * math.copysign(1, b)


def raised(a: Any, b: Any) -> Any:
    """Return aᵇ; NaN where it is no real number."""
    try:
        found = a**b
    except (ZeroDivisionError, OverflowError):
        return math.inf
    return math.nan if isinstance(found, complex) else found


_BINARY: dict[str, tuple[int, Callable[[Any, Any], Any]]] = {
    "==": (3, lambda a, b: int(a == b)),
    "!=": (3, lambda a, b: int(a != b)),
    "<": (4, lambda a, b: int(a < b)),
    "<=": (4, lambda a, b: int(a <= b)),
    ">": (4, lambda a, b: int(a > b)),
    ">=": (4, lambda a, b: int(a >= b)),
    "+": (5, lambda a, b: a + b),
    "-": (5, lambda a, b: a - b),
    "*": (6, lambda a, b: a * b),
    "/": (6, divided),
    "%": (6, lambda a, b: int(math.fmod(a, b))),
}
_UNARY = 7


class Expressions(ABC):
    """Reads the expressions of one language."""

    power: str = ""
    """The sign of a power, if the language has one; it groups to the left or, ``**``, right."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.depth = 0

    @abstractmethod
    def name(self, piece: Lexeme) -> Run:
        """Return what a name means."""

    @abstractmethod
    def postfix(self, base: Run, piece: Lexeme) -> Run | None:
        """Return a call, a cell or a part that follows a base; None if nothing does."""

    def prefix(self, piece: Lexeme) -> Run | None:
        """Return what begins with a sign that only this language has, as a list or a cast."""
        return None

    def expression(self) -> Run:
        """Read a ? b : c and all that binds more strongly."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.reader.refuse(f"at most {MAX_DEPTH} brackets inside each other")
        test = self._either()
        if self.reader.accept("?"):
            yes = self.expression()
            self.reader.expect(":")
            no = self.expression()
            self.depth -= 1
            return lambda f: yes(f) if test(f) else no(f)
        self.depth -= 1
        return test

    def arguments(self, closing: str) -> list[Run]:
        """Read expressions between commas up to a closing bracket."""
        found: list[Run] = []
        if self.reader.accept(closing):
            return found
        while True:
            found.append(self.expression())
            if self.reader.accept(closing):
                return found
            self.reader.expect(",")

    def _either(self) -> Run:
        left = self._both()
        while self.reader.accept("||"):
            right = self._both()
            left = lambda f, a=left, b=right: int(bool(a(f)) or bool(b(f)))  # noqa: E731
        return left

    def _both(self) -> Run:
        left = self._binary(3)
        while self.reader.accept("&&"):
            right = self._binary(3)
            left = lambda f, a=left, b=right: int(bool(a(f)) and bool(b(f)))  # noqa: E731
        return left

    def _binary(self, least: int) -> Run:
        left = self._unary()
        while True:
            known = _BINARY.get(self.reader.next.text)
            if known is None or known[0] < least:
                return left
            self.reader.take()
            left = _applied(known[1], left, self._binary(known[0] + 1))

    def _unary(self) -> Run:
        piece = self.reader.next
        if piece.text == "-":
            self.reader.take()
            arg = self._unary()
            return lambda f: -arg(f)
        if piece.text == "+":
            self.reader.take()
            return self._unary()
        if piece.text == "!":
            self.reader.take()
            arg = self._unary()
            return lambda f: int(not arg(f))
        return self._power()

    def _power(self) -> Run:
        base = self._primary()
        if not self.power or self.reader.next.text != self.power:
            return base
        self.reader.take()
        return _applied(raised, base, self._unary())

    def _primary(self) -> Run:
        piece = self.reader.next
        special = self.prefix(piece)
        if special is not None:
            found = special
        elif piece.kind == "number":
            value = number(self.reader.take())
            return lambda f: value
        elif piece.kind == "word":
            found = self.name(self.reader.take())
        elif self.reader.accept("("):
            found = self.expression()
            self.reader.expect(")")
        else:
            self.reader.refuse("an operand")
        while True:
            following = self.postfix(found, self.reader.next)
            if following is None:
                return found
            found = following


def _applied(apply: Callable[[Any, Any], Any], a: Run, b: Run) -> Run:
    return lambda f: apply(a(f), b(f))


def number(piece: Lexeme) -> float | int:
    """Return the value of a literal: whole without a point or an exponent, single with an f."""
    text = piece.text.rstrip("lLuU")
    digits = text.rstrip("fF")
    if digits.isdigit() and digits == text:
        return int(digits)
    if digits == text:
        return float(digits)
    import numpy as np

    return float(np.float32(digits))


def _guarded(function: Callable[..., float], otherwise: float = math.nan) -> Callable[..., float]:
    def call(*args: float) -> float:
        try:
            return function(*args)
        except ValueError:
            return otherwise
        except OverflowError:
            return math.inf

    return call


def _log(x: float) -> float:
    return -math.inf if x == 0 else math.log(x)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        name: _guarded(getattr(math, name))
        for name in ("sin", "cos", "tan", "asin", "acos", "atan2", "exp", "tanh", "sqrt")
    },
    "log": _guarded(_log),
    "abs": abs,
    "fabs": abs,
    "pow": lambda a, b: raised(float(a), b),
    "fma": lambda a, b, c: a * b + c,
    "float": float,
    "sign": lambda x: (x > 0) - (x < 0) if x == x else x,
}
"""Functions that programs call, by their names in the languages."""


def called(name: str, args: Sequence[Run], piece: Lexeme) -> Run:
    """Return the call of an elementary function.

    Raises:
        ParseError: there is none of this name.
    """
    function = FUNCTIONS.get(name) or FUNCTIONS.get(name.removesuffix("f"))
    if function is None:
        raise ParseError(f"expected a known function, got {name[:40]!r} in line {piece.line}")
    if len(args) == 1:
        (only,) = args
        return lambda f: function(only(f))
    return lambda f: function(*[arg(f) for arg in args])
