"""Decimal numbers in files: one strict grammar, read by their exact decimal meaning."""

from __future__ import annotations

import re
from fractions import Fraction

from dalembert.errors import ParseError
from dalembert.mechanism.io.xml.diagnosis import shown

# no nan, inf, hexadecimal, underscores, other alphabets' digits or the comma of a locale
DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
MAX_LENGTH = 100
SMALLEST = 2.2250738585072014e-308

Number = int | Fraction


def decimal(token: str) -> Number:
    """Return the exact value of a decimal number that a double can hold.

    >>> decimal("0.1"), decimal("-2e3")
    (Fraction(1, 10), -2000)

    Raises:
        ParseError: the text is no decimal number, or outside the range of a double.
    """
    if len(token) > MAX_LENGTH:
        raise ParseError(
            f"expected a number of at most {MAX_LENGTH} digits, got {shown(token)}: round it"
        )
    if not DECIMAL.fullmatch(token):
        raise ParseError(f"expected a decimal number, got {shown(token)}: {_advice(token)}")
    mantissa = token.lower().partition("e")[0]
    if not mantissa.strip("+-0."):
        return 0
    # the exponent is bounded before it becomes an exact number of that many digits
    size = abs(float(token))
    if not SMALLEST <= size < float("inf"):
        raise ParseError(
            f"expected a number between 1e-307 and 1e308, got {shown(token)}: check its exponent"
        )
    value = Fraction(token)
    return value.numerator if value.denominator == 1 else value


def decimals(text: str) -> list[Number]:
    """Return the numbers of a list separated by blanks."""
    return [decimal(token) for token in re.split(r"[ \t\r\n]+", text.strip(" \t\r\n")) if token]


def _advice(token: str) -> str:
    if COMMA.fullmatch(token):
        return f"write {token.replace(',', '.')} with a point"
    if "," in token or ";" in token:
        return "separate numbers by blanks"
    if "$" in token or "{" in token:
        return "expand the file with xacro first"
    if NOT_FINITE.fullmatch(token):
        return "give a finite number"
    return "write it like -0.25 or 1.5e-3"
