"""Words, numbers, texts and signs of a program: one lexer for all languages."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from dalembert.errors import ParseError

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f]+|\\\n)
      | (?P<line>\n)
      | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFlLuU]*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<text>"(?:[^"\\\n]|\\.)*")
      | (?P<sign>\*\*|->|\+\+|--|\+=|-=|\*=|/=|==|!=|<=|>=|&&|\|\||[-+*/^%<>=!?:;,.(){}\[\]&])""",
    re.VERBOSE,
)


class Lexeme(NamedTuple):
    """A piece of a program: its kind, its text, and its line from 1."""

    kind: str
    text: str
    line: int


def lexemes(source: str, *, has_steps: bool = False) -> list[Lexeme]:
    """Return the pieces of a program; line ends are pieces of their own.

    ``has_steps`` is of languages in which ++ and -- are signs; elsewhere they are two.

    Raises:
        ParseError: a character that begins no piece.
    """
    found: list[Lexeme] = []
    position, line = 0, 1
    while position < len(source):
        match = _TOKEN.match(source, position)
        if match is None:
            raise ParseError(
                f"expected a program, got {source[position:][:10]!r} in line {line}: "
                "write it without other characters"
            )
        kind, text = str(match.lastgroup), match.group()
        if text in ("++", "--") and not has_steps:
            found += [Lexeme(kind, text[0], line)] * 2
        elif kind != "space":
            found.append(Lexeme(kind, text, line))
        line += text.count("\n")
        position = match.end()
    return found


class Reader:
    """The pieces of a program in turn."""

    def __init__(self, pieces: list[Lexeme]) -> None:
        self.pieces = pieces
        self.at = 0

    @property
    def next(self) -> Lexeme:
        """The next piece, an empty one at the end."""
        return self.ahead(0)

    def ahead(self, n: int) -> Lexeme:
        """Return the piece after n others."""
        if self.at + n < len(self.pieces):
            return self.pieces[self.at + n]
        return Lexeme("end", "", self.pieces[-1].line if self.pieces else 1)

    def take(self) -> Lexeme:
        """Return the next piece and go on."""
        piece = self.next
        self.at += 1
        return piece

    def accept(self, text: str) -> bool:
        """Go on if this text comes next, and tell whether it did."""
        found = self.next.text == text
        self.at += found
        return found

    def expect(self, text: str) -> Lexeme:
        """Go on if this text comes next.

        Raises:
            ParseError: something else comes.
        """
        if self.next.text != text:
            self.refuse(repr(text))
        return self.take()

    def word(self) -> str:
        """Take a name."""
        if self.next.kind != "word":
            self.refuse("a name")
        return self.take().text

    def refuse(self, expected: str) -> NoReturn:
        """Raise for the piece that comes next."""
        piece = self.next
        shown = ascii(piece.text[:20]) if piece.text else "the end"
        raise ParseError(f"expected {expected}, got {shown} in line {piece.line} of a program")
