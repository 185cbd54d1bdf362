"""MATLAB as it is exported: static functions of a class, with one assignment in each line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dalembert.errors import ParseError
from dalembert.reader.code.expression import FUNCTIONS, Expressions, Run, called
from dalembert.reader.code.lexer import Lexeme, Reader, lexemes

_HEAD = re.compile(r"function \[(?P<out>[\w, ]*)\] = (?P<name>\w+)\((?P<given>[\w, ]*)\)")

Function = Callable[..., Any]


def matlab_functions(source: str) -> dict[str, Function]:
    """Return the static functions of a class, by name; each returns a tuple of arrays.

    Raises:
        ParseError: a statement that these files do not have.
    """
    lines = [line.strip() for line in source.split("\n")]
    lines = [line for line in lines if line and not line.startswith("%")]
    if len(lines) < 4 or not lines[0].startswith("classdef ") or lines[-2:] != ["end", "end"]:
        raise ParseError("expected a class with static functions in MATLAB, got another file")
    functions: dict[str, Function] = {}
    block: list[str] = []
    for line in lines[2:-2]:
        if line == "end":
            name, function = _function(block)
            functions[name] = function
            block = []
        else:
            block.append(line)
    if block:
        raise ParseError(f"expected end after a function of MATLAB, got {block[-1][:40]!r}")
    return functions


def _function(lines: Sequence[str]) -> tuple[str, Function]:
    head = _HEAD.fullmatch(lines[0])
    if head is None:
        raise ParseError(f"expected a function of MATLAB, got {lines[0][:40]!r}")
    outputs = [x.strip() for x in head["out"].split(",") if x.strip()]
    parameters = [x.strip() for x in head["given"].split(",") if x.strip()]
    known = set(parameters)
    steps: list[tuple[str, Run]] = []
    for line in lines[1:]:
        reader = Reader(lexemes(line))
        target = reader.word()
        reader.expect("=")
        steps.append((target, _Matlab(reader, known).expression()))
        reader.expect(";")
        if reader.next.kind != "end":
            reader.refuse("the end of a line")
        known.add(target)
    return head["name"], lambda *args: _run(
        steps, dict(zip(parameters, args, strict=True)), outputs
    )


def _run(steps: Sequence[tuple[str, Run]], frame: dict[str, Any], outputs: Sequence[str]) -> Any:
    for target, value in steps:
        frame[target] = value(frame)
    return tuple(frame[name] for name in outputs)


class _Matlab(Expressions):
    power = "^"

    def __init__(self, reader: Reader, known: set[str]) -> None:
        super().__init__(reader)
        self.known = known

    def name(self, piece: Lexeme) -> Run:
        key = piece.text
        if key in self.known:
            return lambda f: f[key]
        if self.reader.accept("("):
            args = self.arguments(")")
            if key in _OF_ARRAYS:
                apply = _OF_ARRAYS[key]
                return lambda f: apply(*[x(f) for x in args])
            if key in FUNCTIONS:
                return called(key, args, piece)
        raise ParseError(f"expected a name that is defined, got {key!r} in line {piece.line}")

    def prefix(self, piece: Lexeme) -> Run | None:
        if not self.reader.accept("["):
            return None
        rows: list[list[Run]] = [[]]
        while not self.reader.accept("]"):
            if self.reader.accept(";"):
                rows.append([])
            elif not self.reader.accept(","):
                rows[-1].append(self.expression())
        return lambda f: np.array([[x(f) for x in row] for row in rows], float)

    def postfix(self, base: Run, piece: Lexeme) -> Run | None:
        if not self.reader.accept("("):
            return None
        cells = self.arguments(")")
        # cells are counted from 1
        return lambda f: np.asarray(base(f))[tuple(x(f) - 1 for x in cells)].item()


def _reshaped(x: np.ndarray, *sizes: int) -> np.ndarray:
    return np.reshape(x, sizes, order="F")


def _permuted(x: np.ndarray, order: np.ndarray) -> np.ndarray:
    # an axis of length one at the end is there though NumPy does not show it
    axes = [int(k) - 1 for k in np.ravel(order)]
    return np.transpose(np.reshape(x, [*x.shape, *([1] * (len(axes) - x.ndim))]), axes)


_OF_ARRAYS: dict[str, Callable[..., Any]] = {"reshape": _reshaped, "permute": _permuted}
