"""The lines of C that begin with #: constants, conditions and included files."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dalembert.errors import ParseError
from dalembert.reader.code.lexer import Lexeme, lexemes

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_DEFINED = re.compile(r"defined\s*\(?\s*(\w+)\s*\)?")
MAX_INCLUDES = 10


def preprocessed(source: str, files: Mapping[str, str]) -> list[Lexeme]:
    """Return the pieces of a C source with constants put in and conditions decided.

    ``files`` are the texts of headers in quotes; those in angle brackets are known.

    Raises:
        ParseError: a directive that these files do not have.
    """
    macros: dict[str, list[Lexeme]] = {}
    found: list[Lexeme] = []
    _add(source, files, macros, found, MAX_INCLUDES)
    return found


def _add(
    source: str,
    files: Mapping[str, str],
    macros: dict[str, list[Lexeme]],
    found: list[Lexeme],
    depth: int,
) -> None:
    text = _COMMENT.sub(lambda m: "\n" * m.group().count("\n") or " ", source)
    # (is this branch taken, was one of the branches taken)
    branches: list[tuple[bool, bool]] = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        is_on = all(taken for taken, _ in branches)
        if not stripped.startswith("#"):
            if is_on and stripped:
                found += _replaced(line, macros, number)
            continue
        word, _, rest = stripped[1:].strip().partition(" ")
        rest = rest.strip()
        match word:
            case "ifndef" | "ifdef" | "if":
                holds = is_on and _holds(word, rest, macros)
                branches.append((holds, holds))
            case "elif" | "else":
                _, was = branches.pop()
                holds = not was and (word == "else" or _holds("if", rest, macros))
                branches.append((holds, was or holds))
            case "endif":
                branches.pop()
            case "define" if is_on:
                name, _, value = rest.partition(" ")
                macros[name] = [x for x in lexemes(value, has_steps=True) if x.kind != "line"]
            case "include" if is_on and rest.startswith('"'):
                if not depth or rest.strip('"') not in files:
                    raise ParseError(f"expected a known header in line {number}, got {rest[:40]}")
                _add(files[rest.strip('"')], files, macros, found, depth - 1)
            case "include" | "define" | "pragma" | "undef":
                continue
            case _:
                raise ParseError(f"expected a directive of C in line {number}, got #{word[:20]}")


def _replaced(line: str, macros: Mapping[str, list[Lexeme]], number: int) -> list[Lexeme]:
    """Return the pieces of a line with the values of constants."""
    found: list[Lexeme] = []
    for piece in lexemes(line, has_steps=True):
        values = macros.get(piece.text) if piece.kind == "word" else None
        if piece.text == "**":
            # two stars of a pointer
            values = [piece._replace(text="*")] * 2
        for x in [piece] if values is None else values:
            found.append(x._replace(line=number))
    return found


def _holds(word: str, condition: str, macros: Mapping[str, list[Lexeme]]) -> bool:
    """Decide a condition of defined(…), !, && and ||: nothing is executed."""
    if word != "if":
        return (condition in macros) == (word == "ifdef")
    text = _DEFINED.sub(lambda m: "1" if m[1] in macros else "0", condition)
    for either in text.split("||"):
        holds = True
        for factor in either.split("&&"):
            bare = factor.strip().lstrip("!").strip()
            if bare not in ("0", "1"):
                raise ParseError(f"expected a condition of defined(…), got {condition[:40]!r}")
            holds &= (bare == "1") != (factor.count("!") % 2 == 1)
        if holds:
            return True
    return False
