"""Python as it is exported: functions of lists with one assignment in each line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from dalembert.errors import ParseError
from dalembert.reader.code.expression import FUNCTIONS, Expressions, Run, called
from dalembert.reader.code.lexer import Lexeme, Reader, lexemes

_DOC = re.compile(r'"""(?:[^"\\]|\\.)*?"""', re.DOTALL)

Function = Callable[..., Any]


def python_functions(source: str) -> dict[str, Function]:
    """Return the functions of a file, by name.

    Raises:
        ParseError: a statement that these files do not have.
    """
    # what a person reads keeps its lines
    text = _DOC.sub(lambda m: "\n" * m.group().count("\n"), source)
    functions: dict[str, Function] = {}
    block: list[str] = []
    for line in [*text.split("\n"), "end"]:
        if line.startswith("    ") or not line.strip():
            block.append(line.strip())
            continue
        if block and block[0].startswith("def "):
            name, function = _function(block)
            functions[name] = function
        block = [line]
        if not line.startswith(("def ", "from math import ", "end")):
            raise ParseError(f"expected a function, got {line[:40]!r}: these files have no other")
    return functions


def _function(lines: Sequence[str]) -> tuple[str, Function]:
    head = Reader(lexemes(lines[0]))
    head.expect("def")
    name = head.word()
    head.expect("(")
    parameters: list[str] = []
    while not head.accept(")"):
        parameters.append(head.word())
        if head.next.text != ")":
            head.expect(",")
    known = set(parameters)
    steps: list[tuple[str, Run]] = []
    for line in lines[1:]:
        if not line:
            continue
        reader = Reader(lexemes(line))
        returns = reader.accept("return")
        target = "" if returns else reader.word()
        if not returns:
            reader.expect("=")
        expressions = _Python(reader, known)
        value = expressions.listed() if returns else expressions.expression()
        if reader.next.kind != "end":
            reader.refuse("the end of a line")
        steps.append((target, value))
        known.add(target)
    return name, lambda *args: _run(steps, dict(zip(parameters, args, strict=True)))


def _run(steps: Sequence[tuple[str, Run]], frame: dict[str, Any]) -> Any:
    for target, value in steps:
        if not target:
            return value(frame)
        frame[target] = value(frame)
    return None


class _Python(Expressions):
    power = "**"

    def __init__(self, reader: Reader, known: set[str]) -> None:
        super().__init__(reader)
        self.known = known

    def listed(self) -> Run:
        """Read values between commas: one, or a tuple."""
        found = [self.expression()]
        while self.reader.accept(","):
            found.append(self.expression())
        return found[0] if len(found) == 1 else lambda f: tuple(x(f) for x in found)

    def name(self, piece: Lexeme) -> Run:
        if piece.text in self.known:
            key = piece.text
            return lambda f: f[key]
        if piece.text in FUNCTIONS and self.reader.accept("("):
            return called(piece.text, self.arguments(")"), piece)
        raise ParseError(
            f"expected a name that is defined, got {piece.text!r} in line {piece.line}"
        )

    def prefix(self, piece: Lexeme) -> Run | None:
        if not self.reader.accept("["):
            return None
        entries = self.arguments("]")
        return lambda f: [x(f) for x in entries]

    def postfix(self, base: Run, piece: Lexeme) -> Run | None:
        if not self.reader.accept("["):
            return None
        index = self.expression()
        self.reader.expect("]")
        return lambda f: base(f)[index(f)]
