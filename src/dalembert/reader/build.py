"""Build expressions from what is read, within the limits; a complaint names the column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import NoReturn, TypeAlias

from dalembert.errors import DalembertError, DivisionByZero, ParseError
from dalembert.expr.graph import outline
from dalembert.expr.node import Expr, add, constant, div, mul, power, sub
from dalembert.reader.limits import MAX_BITS, MAX_DIGITS, MAX_EXPONENT
from dalembert.reader.tokens import Token

_BINARY = {"+": add, "-": sub, "*": mul, "/": div}


Numbers: TypeAlias = Mapping[str, Fraction]
"""The exact numbers behind digits that were rounded."""

NO_NUMBERS: Numbers = {}
VULGAR = {"½": Fraction(1, 2), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3), "¼": Fraction(1, 4)}
VULGAR |= {"¾": Fraction(3, 4), "⅕": Fraction(1, 5), "⅖": Fraction(2, 5), "⅛": Fraction(1, 8)}
"""Fractions that are one character."""


def number(token: Token, numbers: Numbers = NO_NUMBERS) -> Expr:
    """Return the exact number that digits mean: 0.1 is 1/10, unless it is a rounded one.

    Raises:
        ParseError: the digits are not those of the exact number, rounded.
    """
    text = token.text
    if text in VULGAR:
        return constant(VULGAR[text])
    if text in numbers:
        unit = Fraction(10) ** -len(text.partition(".")[2])
        if abs(numbers[text] - Fraction(text)) * 2 > unit:
            raise ParseError(f"expected a number that is rounded, got {text} at {token.column}")
        return constant(numbers[text])
    if len(text) < 9 and text.isdigit():
        return constant(int(text))
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, decimals = mantissa.partition(".")
    digits = whole + decimals
    # the length comes first: int() of a long text is the bomb this guards against
    if len(digits) > MAX_DIGITS or len(exponent) > 9 or abs(int(exponent or 0)) > MAX_DIGITS:
        raise ParseError(
            f"expected a number of at most {MAX_DIGITS} digits, got {text[:20]}… at column "
            f"{token.column}: round it or use a parameter"
        )
    return constant(int(digits) * Fraction(10) ** (int(exponent or 0) - len(decimals)))


def binary(name: str, a: Expr, b: Expr, column: int) -> Expr:
    """Return a + b, a - b, a * b or a / b."""
    if name == "/":
        _check_nonzero(b, column)
    return checked(_BINARY[name](a, b), column)


def raised(base: Expr, exponent: Expr, column: int) -> Expr:
    """Return a power with a rational exponent."""
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
    return folded_by(power, (base, p), column)


def folded_by(build: Callable[..., Expr], args: Iterable, column: int) -> Expr:
    """Call a constructor; an operation without a real value is reported with its column."""
    try:
        return checked(build(*args), column)
    except ParseError:
        raise
    except DalembertError as error:
        raise type(error)(f"{error} (at column {column})") from None


def _check_nonzero(e: Expr, column: int) -> None:
    if e.op == "const" and not e.value:
        raise DivisionByZero(
            f"expected a nonzero denominator, got 0 at column {column}: correct the text"
        )


def checked(e: Expr, column: int) -> Expr:
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
