"""Text to expression: a small grammar of its own, with limits, so that text stays data.

    sum      = product (("+" | "-") product)*
    product  = signed (("*" | "/") signed)*
    signed   = ("+" | "-") signed | power
    power    = primary (("^" | "**") signed)?          right associative
    primary  = atom ("²" | "³")*
    atom     = number | "pi" | name [".dot" | ".ddot"] | "(" sum ")"
             | function "(" sum ("," sum)* ")"

Two stacks, of operands and of pending operators, replace recursion.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, NoReturn

from dalembert.errors import (
    DalembertError,
    DivisionByZero,
    InvalidExpression,
    ParseError,
    UnknownName,
    nearest,
)
from dalembert.expr.functions import FUNCTIONS, sqrt
from dalembert.expr.graph import outline
from dalembert.expr.node import PI, Expr, Scalar, add, as_expr, constant, div, mul, neg, power, sub
from dalembert.expr.symbols import Kind, symbol, symbol_text

MAX_LENGTH = 100_000
"""Characters of a text."""

MAX_DEPTH = 200
"""Parentheses inside each other."""

MAX_DIGITS = 400
"""Digits of a number, and the size of its decimal exponent."""

MAX_EXPONENT = 1000
"""Size of an exponent, and of its denominator."""

MAX_BITS = 4000
"""Bits of any rational constant, also of one that folding makes."""

MAX_NAME = 100
"""Characters of a name."""

_FOREIGN = re.compile(r"[^ \t\nA-Za-z0-9_.+\-*/^(),×·⋅−²³π]")
_TOKEN = re.compile(
    r"""(?P<space>[ \t\n]+)
      | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*|π)
      | (?P<operator>\*\*|[-+*/^×·⋅−])
      | (?P<square>[²³])
      | (?P<open>\()
      | (?P<close>\))
      | (?P<comma>,)""",
    re.VERBOSE,
)
_SYNONYMS = {"**": "^", "×": "*", "·": "*", "⋅": "*", "−": "-"}
_BUILDERS: dict[str, tuple[Callable[..., Expr], int]] = {
    "sqrt": (sqrt, 1),
    **{name: (f.build, f.arity) for name, f in FUNCTIONS.items()},
}
_RESERVED = ("pi", *_BUILDERS)
_BINARY = {"+": add, "-": sub, "*": mul, "/": div}
_PRIORITY = {"+": 1, "-": 1, "*": 2, "/": 2, "unary +": 3, "unary -": 3, "^": 4}


def parse(text: str, symbols: Iterable[Expr] | Mapping[str, Scalar]) -> Expr:
    """Read an expression from text; nothing in the text is ever executed.

    Numbers are exact: ``0.1`` is 1/10. Powers bind before signs, ``-x^2`` is -(x²), and group to
    the right; an exponent is a rational constant. ``q.dot`` and ``q.ddot`` are the rates of the
    coordinate ``q``. The functions are sin cos tan asin acos atan2 sqrt exp log tanh abs sign.

    Args:
        text: the expression, at most `MAX_LENGTH` characters.
        symbols: the symbols that may occur, or a mapping from names to expressions.

    Raises:
        ParseError: the text is not an expression or exceeds a limit; gives the column.
        UnknownName: a name that is neither in ``symbols`` nor a function; gives the nearest ones.
        DivisionByZero: a denominator that folds to zero.
        InvalidExpression: an operation without a real value, such as ``log(-1)``.

    >>> from dalembert.expr import coordinates, parameters
    >>> (q,) = coordinates("q")
    >>> m, l = parameters("m l")
    >>> parse("1/2*m*(l*q.dot)^2", [q, m, l]) is m * (l * q.dot) ** 2 / 2
    True
    """
    if not isinstance(text, str):
        raise ParseError(f"expected text, got {type(text).__name__}: pass a str")
    if len(text) > MAX_LENGTH:
        raise ParseError(
            f"expected at most {MAX_LENGTH} characters, got {len(text)}: "
            "split the expression and add the parts"
        )
    foreign = _FOREIGN.search(text)
    if foreign:
        _refuse_character(foreign.group(), foreign.start() + 1)
    return _Parser(_named(symbols)).run(text)


def _named(symbols: Iterable[Expr] | Mapping[str, Scalar]) -> dict[str, Expr]:
    """Return what each name stands for."""
    if isinstance(symbols, Mapping):
        named = {str(name): as_expr(e) for name, e in symbols.items()}
    else:
        named = _by_name(_listed(symbols))
    for name in _RESERVED:
        if name in named:
            raise InvalidExpression(
                f"expected symbols with names of their own, got {name!r}, which the language uses: "
                "rename the symbol or pass a mapping with another name"
            )
    return named


def _listed(symbols: Iterable[Expr]) -> list[Expr]:
    try:
        found = None if isinstance(symbols, str) else list(symbols)
    except TypeError:
        found = None
    if found is None:
        raise InvalidExpression(
            f"expected a list of symbols or a mapping of names, got {type(symbols).__name__}"
        )
    return found


def _by_name(symbols: Iterable[Expr]) -> dict[str, Expr]:
    named: dict[str, Expr] = {}
    for x in symbols:
        s = x.symbol if isinstance(x, Expr) else None
        if s is None:
            raise InvalidExpression(
                f"expected symbols to parse with, got {type(x).__name__}: "
                "pass a mapping of names to expressions"
            )
        base = symbol(s.kind, s.name)
        if named.setdefault(s.name, base) is not base:
            raise InvalidExpression(
                f"expected one symbol for each name, got two kinds of {s.name!r}: "
                "pass a mapping that gives them different names"
            )
    return named


class _Token(NamedTuple):
    kind: str
    text: str
    column: int


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            # the one foreign arrangement of allowed characters: a point on its own
            raise ParseError(
                f"expected a number or a name around the point, got {text[position:][:5]!r} at "
                f"column {position + 1}: write 0.5 or q.dot"
            )
        if match.lastgroup != "space":
            word = match.group()
            yield _Token(str(match.lastgroup), _SYNONYMS.get(word, word), position + 1)
        position = match.end()
    yield _Token("end", "the end", len(text) + 1)


def _refuse_character(c: str, column: int) -> NoReturn:
    shown = repr(c) if c.isascii() and c.isprintable() else _code_point(c)
    raise ParseError(
        f"expected an expression, got {shown} at column {column}: "
        "write it with ASCII letters, digits, + - * / ^ ( ) , and ."
    )


def _code_point(c: str) -> str:
    return f"U+{ord(c):04X} ({unicodedata.name(c, 'control character').lower()})"


@dataclass
class _Group:
    """An open parenthesis: the operands of a call that are complete, and where it began."""

    function: str
    column: int
    pending: int
    args: list[Expr] = field(default_factory=list)


class _Parser:
    def __init__(self, named: Mapping[str, Expr]) -> None:
        self.named = named
        self.operands: list[Expr] = []
        self.operators: list[_Token] = []
        self.groups: list[_Group] = []

    def run(self, text: str) -> Expr:
        """Alternate between the two states: an operand is due, an operator is due."""
        due = self.operand
        for token in _tokens(text):
            due = due(token)
        return self.operands[0]

    # ---- an operand is due; each returns what is due next

    def operand(self, token: _Token) -> Callable:
        match token.kind:
            case "number":
                self.operands.append(_number(token))
                return self.operator
            case "name":
                return self.name(token)
            case "open":
                return self.open("", token)
            case "operator" if token.text in "+-":
                self.operators.append(token._replace(text=f"unary {token.text}"))
                return self.operand
        _refuse(token, "a number, a name or (", "complete the expression")

    def name(self, token: _Token) -> Callable:
        name, _, suffix = token.text.partition(".")
        _check_name(name, token.column)
        if name in _BUILDERS and not suffix:
            return lambda following: self.call(token, following)
        if name in ("pi", "π") and not suffix:
            self.operands.append(PI)
        elif name in self.named:
            self.operands.append(_rate(self.named[name], name, suffix, token.column))
        else:
            raise UnknownName(
                f"expected a known name, got {name!r} at column {token.column}: "
                f"{nearest(name, [*self.named, *_RESERVED])}"
            )
        return self.operator

    def call(self, function: _Token, token: _Token) -> Callable:
        if token.kind != "open":
            _refuse(token, f"( after {function.text}", f"write {function.text}(…)")
        return self.open(function.text, token)

    def open(self, function: str, token: _Token) -> Callable:
        if len(self.groups) >= MAX_DEPTH:
            raise ParseError(
                f"expected at most {MAX_DEPTH} parentheses inside each other, got one more at "
                f"column {token.column}: name the inner parts and substitute them"
            )
        self.groups.append(_Group(function, token.column, len(self.operators)))
        return self.operand

    # ---- an operator is due

    def operator(self, token: _Token) -> Callable:
        match token.kind:
            case "operator":
                self.binary(token)
                return self.operand
            case "square":
                exponent = constant(2 if token.text == "²" else 3)
                self.operands.append(_power(self.operands.pop(), exponent, token.column))
                return self.operator
            case "comma" if self.groups and self.groups[-1].function:
                self.argument()
                return self.operand
            case "close" if self.groups:
                self.argument()
                self.close()
                return self.operator
            case "end" if not self.groups:
                self.reduce(0, 0)
                return self.operator
            case "end":
                column = self.groups[-1].column
                _refuse(token, f") for the ( at column {column}", "close the parenthesis")
            case "close":
                _refuse(token, "an operator or the end", "remove ) or open it before")
            case "comma":
                _refuse(token, "an operator", "commas separate the arguments of a function only")
        _refuse(token, "an operator", "write * for a product")

    def binary(self, token: _Token) -> None:
        priority = _PRIORITY[token.text]
        # equal priority groups to the left, except for powers
        self.reduce(priority + (token.text == "^"), self.groups[-1].pending if self.groups else 0)
        self.operators.append(token)

    def argument(self) -> None:
        """Finish the expression before a comma or a closing parenthesis."""
        group = self.groups[-1]
        self.reduce(0, group.pending)
        group.args.append(self.operands.pop())

    def close(self) -> None:
        group = self.groups.pop()
        if not group.function:
            self.operands.append(group.args[0])
            return
        build, arity = _BUILDERS[group.function]
        if len(group.args) != arity:
            raise ParseError(
                f"expected {arity} argument{'s' * (arity > 1)} of {group.function}, "
                f"got {len(group.args)} at column {group.column}: "
                f"write {group.function}({'y, x' if arity == 2 else 'x'})"
            )
        self.operands.append(_fold(build, group.args, group.column))

    def reduce(self, priority: int, floor: int) -> None:
        """Apply the pending operators above ``floor`` that bind at least this strongly."""
        while len(self.operators) > floor and _PRIORITY[self.operators[-1].text] >= priority:
            token = self.operators.pop()
            b = self.operands.pop()
            match token.text:
                case "unary +":
                    result = b
                case "unary -":
                    result = neg(b)
                case "^":
                    result = _power(self.operands.pop(), b, token.column)
                case name:
                    result = _binary(name, self.operands.pop(), b, token.column)
            self.operands.append(result)


def _number(token: _Token) -> Expr:
    mantissa, _, exponent = token.text.lower().partition("e")
    whole, _, decimals = mantissa.partition(".")
    digits = whole + decimals
    # the length comes first: int() of a long text is the bomb this guards against
    if len(digits) > MAX_DIGITS or len(exponent) > 9 or abs(int(exponent or 0)) > MAX_DIGITS:
        raise ParseError(
            f"expected a number of at most {MAX_DIGITS} digits, got {token.text[:20]}… at column "
            f"{token.column}: round it or use a parameter"
        )
    return constant(int(digits) * Fraction(10) ** (int(exponent or 0) - len(decimals)))


def _check_name(name: str, column: int) -> None:
    if len(name) > MAX_NAME:
        raise ParseError(
            f"expected a name of at most {MAX_NAME} characters, got {name[:20]}… at column {column}"
        )


def _rate(e: Expr, name: str, suffix: str, column: int) -> Expr:
    if not suffix:
        return e
    if suffix not in ("dot", "ddot"):
        raise ParseError(
            f"expected .dot or .ddot after {name}, got .{suffix[:20]} at column {column}: "
            "rates beyond the acceleration are not written in text"
        )
    s = e.symbol
    if s is None or s.kind is not Kind.COORDINATE:
        what = "an expression" if s is None else f"the {s.kind.value} {symbol_text(e)}"
        raise ParseError(
            f"expected a coordinate before .{suffix}, got {what} at column {column}: "
            "only coordinates have rates of their own"
        )
    return e.dot if suffix == "dot" else e.ddot


def _binary(name: str, a: Expr, b: Expr, column: int) -> Expr:
    if name == "/":
        _check_nonzero(b, column)
    return _checked(_BINARY[name](a, b), column)


def _power(base: Expr, exponent: Expr, column: int) -> Expr:
    if exponent.op != "const":
        raise ParseError(
            f"expected a rational number after ^ at column {column}, got {outline(exponent)}: "
            "write exp(y*log(x)) for x^y"
        )
    p: Fraction = exponent.value
    folded = p * base.value if base.op == "pow" else p
    if max(abs(p), p.denominator, abs(folded)) > MAX_EXPONENT:
        raise ParseError(
            f"expected an exponent of at most {MAX_EXPONENT} after ^ at column {column}, got "
            f"{outline(exponent)}: write exp(n*log(x))"
        )
    if base.op == "const" and _bits(base) * abs(p) > MAX_BITS and base.value not in (1, -1):
        _refuse_constant(column)
    if p < 0:
        _check_nonzero(base, column)
    return _fold(power, (base, p), column)


def _fold(build: Callable[..., Expr], args: Iterable, column: int) -> Expr:
    """Call a constructor; an operation without a real value is reported with its column."""
    try:
        return _checked(build(*args), column)
    except ParseError:
        raise
    except DalembertError as error:
        raise type(error)(f"{error} (at column {column})") from None


def _check_nonzero(e: Expr, column: int) -> None:
    if e.op == "const" and not e.value:
        raise DivisionByZero(
            f"expected a nonzero denominator, got 0 at column {column}: correct the text"
        )


def _checked(e: Expr, column: int) -> Expr:
    """Return ``e`` unless folding made a constant or an exponent beyond the limits."""
    if e.op == "const":
        if _bits(e) > MAX_BITS:
            _refuse_constant(column)
    elif e.op == "pow":
        if e.value > MAX_EXPONENT:
            raise ParseError(
                f"expected an exponent of at most {MAX_EXPONENT}, got {e.value} at column "
                f"{column} by folding: write exp(n*log(x))"
            )
    elif e.args and e.args[0].op == "const" and _bits(e.args[0]) > MAX_BITS:
        _refuse_constant(column)
    return e


def _bits(e: Expr) -> int:
    return max(e.value.numerator.bit_length(), e.value.denominator.bit_length())


def _refuse_constant(column: int) -> NoReturn:
    raise ParseError(
        f"expected constants of at most {MAX_BITS} bits, got a larger one at column {column}: "
        "use a parameter for it"
    )


def _refuse(token: _Token, expected: str, remedy: str) -> NoReturn:
    got = token.text if token.kind == "end" else repr(token.text[:20])
    raise ParseError(f"expected {expected}, got {got} at column {token.column}: {remedy}")
