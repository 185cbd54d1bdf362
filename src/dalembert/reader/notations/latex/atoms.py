"""The atoms of LaTeX: commands, numbers, letters and signs, those between braces in lists."""

from __future__ import annotations

import re
import unicodedata
from typing import NoReturn, TypeAlias

from dalembert.errors import ParseError
from dalembert.reader.limits import MAX_DEPTH
from dalembert.reader.names import DOTS, GREEK, LETTERS
from dalembert.reader.notations.pieces import Frame

WORDS = ("mathrm", "text", "mathit", "operatorname", "mathsf", "mathbf", "mbox", "textrm", "rm")
"""Commands around words."""

ACCENTS = {"dot": 1, "ddot": 2, "dddot": 3, "ddddot": 4}
THIN = (",", ";", ":", ">", " ", "quad", "qquad", "thinspace", "enspace")
FRACTIONS = ("frac", "tfrac", "dfrac", "cfrac")
UNDERLINE = "\u0332"
"""What stands for an underlined number in plain text."""

_ATOM = re.compile(
    rf"""(?P<space>[ \t\n]+)
      | \\(?P<command>[A-Za-z]+\*?|[^A-Za-z])
      | (?P<number>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)
      | (?P<letters>[{LETTERS}][{LETTERS}\u0307\u0308]*)
      | (?P<sign>[-+*/=|,'()\[\]&~^_{{}}$−×·])""",
    re.VERBOSE,
)


class Atom:
    """A command, a number, a run of letters or a sign, with its column."""

    __slots__ = ("column", "kind", "text")

    def __init__(self, kind: str, text: str, column: int) -> None:
        self.kind, self.text, self.column = kind, text, column


class Braces(list["Item"]):
    """What stands between { and }."""

    column = 1


Item: TypeAlias = Atom | Braces
Items = Frame[Item]


def atoms(text: str) -> list[Item]:
    """Return the atoms of a formula, those between braces in lists.

    Raises:
        ParseError: a character that no formula has, or braces that do not match.
    """
    text = unicodedata.normalize("NFD", text)
    lists: list[list[Item]] = [[]]
    position = 0
    while position < len(text):
        match = _ATOM.match(text, position)
        column = position + 1
        if match is None:
            _refuse_character(text[position], column)
        kind = str(match.lastgroup)
        piece = match[kind]
        position = match.end()
        if piece == "{" and kind == "sign":
            if len(lists) > MAX_DEPTH:
                raise ParseError(
                    f"expected at most {MAX_DEPTH} braces inside each other, got one more at "
                    f"column {column}: name the inner parts"
                )
            braces = Braces()
            braces.column = column
            lists[-1].append(braces)
            lists.append(braces)
        elif piece == "}" and kind == "sign":
            if len(lists) == 1:
                raise ParseError(f"expected {{ before }}, got none at column {column}: remove it")
            lists.pop()
        elif kind != "space":
            lists[-1].append(Atom(kind, piece, column))
    if len(lists) > 1:
        raise ParseError(f"expected }} for {len(lists) - 1} open {{, got the end: close them")
    return lists[0]


def is_sign(item: Item | None, text: str) -> bool:
    """Tell whether an item is a certain sign."""
    return isinstance(item, Atom) and item.kind == "sign" and item.text == text


def argument(frame: Items, of: str, column: int) -> Item:
    """Take an argument: braces, a command with its own arguments, one digit or one letter."""
    item = frame.take()
    if item is None or (isinstance(item, Atom) and item.text in ("&", "^", "_", ")", "]")):
        raise ParseError(f"expected an argument of {of}, got none at column {column}: add {{…}}")
    if isinstance(item, Braces):
        return item
    if item.kind in ("number", "letters") and len(item.text) > 1:
        # \frac12 and x^23: one sign each; dots belong to their letter
        n = 1
        while n < len(item.text) and item.text[n] in DOTS:
            n += 1
        if n < len(item.text):
            frame.push(Atom(item.kind, item.text[n:], item.column + n))
        return Atom(item.kind, item.text[:n], item.column)
    return _with_arguments(item, frame) if item.kind == "command" else item


def _with_arguments(item: Atom, frame: Items) -> Item:
    """Return a command that has arguments of its own together with them, in braces."""
    count = 2 if item.text in FRACTIONS else 1 if item.text in (*WORDS, *ACCENTS, "sqrt") else 0
    if not count:
        return item
    taken = Braces([item])
    taken.column = item.column
    for _ in range(count):
        arg = frame.take()
        if arg is not None:
            taken.append(arg)
    return taken


def plain(item: Item | None) -> str:
    """Return the letters and digits of an argument: {c1}, {\\mathrm{pole}}, {12-3}."""
    text = ""
    work = [] if item is None else [item]
    while work:
        x = work.pop()
        if isinstance(x, Braces):
            work.extend(reversed(x))
        elif x.kind != "command":
            text += x.text
        elif x.text in GREEK:
            text += GREEK[x.text]
        elif x.text in ("underline", "_"):
            text += {"underline": UNDERLINE, "_": "_"}[x.text]
        elif x.text not in (*WORDS, *THIN):
            return ""
    return text


def _refuse_character(c: str, column: int) -> NoReturn:
    name = repr(c) if c.isascii() and c.isprintable() else f"U+{ord(c):04X}"
    raise ParseError(
        f"expected a formula, got {name} at column {column}: "
        "write it with letters, digits, brackets and commands such as \\frac"
    )
