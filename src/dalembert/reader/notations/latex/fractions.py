r"""Fractions in LaTeX that are derivatives: \frac{d}{dt}, \frac{dx}{dt}, \frac{∂f}{∂x}."""

from __future__ import annotations

from functools import partial

from dalembert.errors import ParseError
from dalembert.reader.names import Word
from dalembert.reader.notations.latex.atoms import (
    THIN,
    WORDS,
    Atom,
    Braces,
    Item,
    Items,
    argument,
    is_sign,
    plain,
)
from dalembert.reader.notations.latex.names import name
from dalembert.reader.notations.pieces import Frame
from dalembert.reader.rates import Partial
from dalembert.reader.tokens import Token


def derivative(above: Item, below: Item, column: int) -> Token | None:
    """Return the token of d/dt, dx/dt or ∂f/∂x, None of another fraction."""
    top, bottom = _opened(above), _opened(below)
    if _first(top) == _first(bottom) == "∂":
        return _partial(top, bottom, column)
    if _first(top) == _first(bottom) == "d":
        return _in_time(top, bottom, column)
    return None


def by_places(frame: Items, column: int) -> Token:
    """Return ∂_{1,2} f, a derivative by the numbers of arguments."""
    if is_sign(frame.take(), "_"):
        places = plain(argument(frame, "_", column)).split(",")
        function = name(frame)
        if function is not None and all(x.isdigit() and len(x) < 4 for x in places):
            return Token("partial", "∂", column, Partial(function, (), tuple(map(int, places))))
    raise ParseError(
        f"expected \\frac{{\\partial f}}{{\\partial x}} at column {column}, got \\partial by itself"
    )


def _partial(top: Items, bottom: Items, column: int) -> Token:
    top.take()
    order = _power(top)
    function = name(top)
    by = list(iter(partial(_differential, bottom), None))
    if function is None or bottom.peek() is not None or sum(n for _, n in by) != order:
        raise ParseError(
            "expected a derivative such as \\frac{\\partial f}{\\partial x} at column "
            f"{column}: correct its letters and exponents"
        )
    return Token("partial", "∂", column, Partial(function, tuple(by)))


def _in_time(top: Items, bottom: Items, column: int) -> Token | None:
    _take_d(top)
    _take_d(bottom)
    order, t = _power(top), bottom.take()
    if not isinstance(t, Atom) or t.text != "t" or _power(bottom) != order or bottom.peek():
        return None
    if top.peek() is None:
        return Token("rate", "d/dt", column, order)
    word = name(top)
    if word is None or top.peek() is not None:
        return None
    return Token("word", f"d{word.spelled}/dt", column, word._replace(order=word.order + order))


def _opened(item: Item) -> Items:
    inside = item if isinstance(item, Braces) else [item]
    return Frame([x for x in inside if not (isinstance(x, Atom) and _is_space(x))])


def _is_space(x: Atom) -> bool:
    return x.kind == "command" and x.text in THIN


def _first(frame: Items) -> str:
    """Return the d or ∂ that a line of a derivative begins with."""
    item = frame.peek()
    if not isinstance(item, Atom):
        return ""
    if item.kind == "command" and item.text == "partial":
        return "∂"
    if item.kind == "command" and item.text in WORDS:
        following = frame.items[1:2]
        return "d" if following and plain(following[0]) == "d" else ""
    return "d" if item.kind == "letters" and item.text.startswith("d") else ""


def _take_d(frame: Items) -> None:
    item = frame.take()
    assert isinstance(item, Atom)
    if item.kind == "command":
        frame.take()
    elif len(item.text) > 1:
        frame.push(Atom("letters", item.text[1:], item.column + 1))


def _power(frame: Items) -> int:
    """Take ^2; return 1 without an exponent, 0 of one that is no number."""
    if not is_sign(frame.peek(), "^"):
        return 1
    sign = frame.take()
    text = plain(argument(frame, "^", sign.column if sign is not None else 1))
    return int(text) if text.isdigit() and len(text) < 4 else 0


def _differential(frame: Items) -> tuple[Word, int] | None:
    if _first(frame) != "∂":
        return None
    frame.take()
    word = name(frame)
    return None if word is None else (word, _power(frame))
