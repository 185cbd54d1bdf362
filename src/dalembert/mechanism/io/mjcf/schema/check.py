"""Whether the attributes of an element hold the numbers that belong there.

MuJoCo's parser takes empty lists of numbers for missing ones, and may then fail while it holds a
lock: every later model would wait for that lock, beyond Ctrl-C. It also takes some names for
formats. So it must see neither.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from dalembert.errors import ParseError
from dalembert.mechanism.io.mjcf.schema.numbers import MAY_BE_EMPTY, Numbers, held
from dalembert.mechanism.io.xml.decimals import DECIMAL, decimal
from dalembert.mechanism.io.xml.diagnosis import shown

BLANKS = " \t\r\n"
MAX_WHOLE = 2**31 - 1
WHOLE = re.compile(r"[+-]?[0-9]+")


def faults(tag: str, parent: str, attributes: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with the attributes of an element, one line for each.

    >>> list(faults("connect", "equality", {"body1": "a", "anchor": "1 2"}))
    ['<connect anchor="1 2">: expected 3 numbers, got 2: correct anchor=']
    """
    for attribute, text in attributes.items():
        numbers = held(parent, tag, attribute)
        if text.strip(BLANKS):
            fault = _fault(text, numbers, attribute)
        else:
            fault = "" if numbers is None and attribute in MAY_BE_EMPTY else _missing(numbers)
        if fault:
            yield f'<{tag} {attribute}="{shown(text)[1:-1]}">: {fault}'


def _missing(numbers: Numbers | None) -> str:
    what = "a value" if numbers is None else _expected(numbers)
    return f"expected {what}, got none: leave the attribute out if it has none"


def _fault(text: str, numbers: Numbers | None, attribute: str) -> str:
    """Return what is wrong with an attribute that is not empty; nothing if it is right."""
    if numbers is None:
        # MuJoCo prints some names as a format, so that %s reads memory
        return "expected a text without %, which MuJoCo misreads: rename it" if "%" in text else ""
    words = re.split(f"[{BLANKS}]+", text.strip(BLANKS))
    count = len(words)
    if count < numbers.fewest or (numbers.most is not None and count > numbers.most):
        return f"expected {_expected(numbers)}, got {count}: correct {attribute}="
    if numbers.whole:
        for word in words:
            if not WHOLE.fullmatch(word) or abs(int(word[:20])) > MAX_WHOLE:
                return (
                    f"expected whole numbers between ±{MAX_WHOLE}, got {shown(word)}: "
                    "write it without point or exponent"
                )
        return ""
    if all(map(DECIMAL.fullmatch, words)) and math.isfinite(sum(map(abs, map(float, words)))):
        return ""
    return _wrong_decimal(words)


def _wrong_decimal(words: list[str]) -> str:
    """Return what is wrong with the first of these that no double can hold."""
    for word in words:
        if DECIMAL.fullmatch(word) and math.isfinite(float(word)):
            continue
        try:
            decimal(word)
        except ParseError as error:
            return str(error)
    return ""


def _expected(numbers: Numbers) -> str:
    """Say how many numbers there should be.

    >>> _expected(Numbers(3, 3)), _expected(Numbers(1, 2)), _expected(Numbers(1, None, True))
    ('3 numbers', '1 to 2 numbers', 'at least 1 whole number')
    """
    fewest, most, whole = numbers
    kind = "whole number" if whole else "number"
    if most is None:
        return f"at least {fewest} {kind}{'s' * (fewest != 1)}"
    count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return f"{count} {kind}{'s' * (most != 1)}"
