"""Tokens: what the lexers of all notations hand to the one grammar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from dalembert.errors import ParseError


class Token(NamedTuple):
    """A piece of a text, with the column where it begins.

    | kind | text, value |
    |---|---|
    | number | digits as typed |
    | word | a name, with its `Word` |
    | operator | + - * / ^ |
    | raised | an exponent as in x², with the whole number |
    | function | a function that the notation marks as one, as ``\\sin`` does |
    | euler | an upright e, with its `Word` |
    | root | √, with its degree |
    | time | (t) where it can only be an argument |
    | partial | ∂f/∂x or ∂₁f, with its `Partial` |
    | rate | d/dt of what follows, with how often |
    | open, close | brackets |
    | bar | the bar of \\|x\\|; ``open`` or ``close`` where the notation says which |
    | comma, equals, end | |
    | thin | a space that ends the argument of a function |
    """

    kind: str
    text: str
    column: int
    value: Any = None


def refuse(token: Token, expected: str, remedy: str) -> NoReturn:
    """Raise for a token that does not fit."""
    got = token.text if token.kind == "end" else repr(token.text[:20])
    raise ParseError(f"expected {expected}, got {got} at column {token.column}: {remedy}")


Due = Callable[[Token], Any]
"""What is done with the next token; it returns what is due after it."""
