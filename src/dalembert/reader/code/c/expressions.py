"""Expressions of C: cells, parts of structs, addresses, casts and calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dalembert.errors import ParseError
from dalembert.reader.code.c.memory import Array, Pointer
from dalembert.reader.code.c.types import QUALIFIERS, Type
from dalembert.reader.code.expression import Expressions, Run, called
from dalembert.reader.code.lexer import Lexeme, Reader

Store = Callable[[Any, Any], None]
"""What sets the value of an expression in a frame."""


class Scope:
    """The names of a function: each has a place in the frame, inner blocks hide outer names."""

    def __init__(self) -> None:
        self.blocks: list[dict[str, tuple[int, Type]]] = [{}]
        self.size = 0

    def declare(self, name: str, kind: Type) -> int:
        """Give a name a place."""
        self.blocks[-1][name] = self.size, kind
        self.size += 1
        return self.size - 1

    def find(self, name: str) -> tuple[int, Type] | None:
        """Return the place and the type of a name, None if it is no local one."""
        for block in reversed(self.blocks):
            if name in block:
                return block[name]
        return None


class CExpressions(Expressions):
    """Reads expressions inside a function; what can be set is kept beside what is read."""

    def __init__(
        self,
        reader: Reader,
        scope: Scope,
        constants: Mapping[str, Any],
        functions: Mapping[str, Callable[..., Any]],
        type_at: Callable[[], Type | None],
    ) -> None:
        super().__init__(reader)
        self.scope, self.constants, self.functions = scope, constants, functions
        self.type_at = type_at
        self.stores: dict[int, Store] = {}
        # keeps the functions alive by whose number a store is found
        self.kept: list[Run] = []

    def store_of(self, run: Run) -> Store:
        """Return what sets the value that an expression reads."""
        store = self.stores.get(id(run))
        if store is None:
            self.reader.refuse("something that can be set")
        return store

    def _settable(self, run: Run, store: Store) -> Run:
        self.kept.append(run)
        self.stores[id(run)] = store
        return run

    def name(self, piece: Lexeme) -> Run:
        name = piece.text
        found = self.scope.find(name)
        if found is not None:
            place, kind = found
            convert = kind.convert

            def store(f: Any, value: Any) -> None:
                f[place] = convert(value)

            return self._settable(lambda f: f[place], store)
        if name in self.constants:
            value = self.constants[name]
            return lambda f: value
        if self.reader.accept("("):
            args = self.arguments(")")
            if name in _BY_ADDRESS:
                return _sincos(args)
            if name not in self.functions:
                return called(name, args, piece)
            table = self.functions
            return lambda f: table[name](*[x(f) for x in args])
        raise ParseError(f"expected a name that is declared, got {name!r} in line {piece.line}")

    def prefix(self, piece: Lexeme) -> Run | None:
        reader = self.reader
        if piece.kind == "text":
            text = reader.take().text[1:-1]
            return lambda f: text
        if reader.accept("&"):
            return self._address()
        if reader.accept("*"):
            pointer = self._unary()
            return self._settable(lambda f: pointer(f).cell(0), lambda f, x: pointer(f).store(0, x))
        if piece.text in ("++", "--"):
            reader.take()
            return self.changed(self._unary(), 1 if piece.text == "++" else -1)
        if piece.text == "(" and reader.ahead(1).kind == "word":
            return self._cast()
        return None

    def _cast(self) -> Run | None:
        """Read (double) and the like; None if another thing stands in the brackets."""
        at = self.reader.at
        self.reader.take()
        kind = self.type_at()
        if kind is None:
            self.reader.at = at
            return None
        self.reader.expect(")")
        arg, convert = self._unary(), kind.convert
        return lambda f: convert(arg(f))

    def _address(self) -> Run:
        """Read what & gives: a pointer to a cell, or to a variable."""
        piece = self.reader.next
        found = self.scope.find(piece.text)
        if found is not None and self.reader.ahead(1).text in (",", ")"):
            place, kind = found
            self.reader.take()
            convert = kind.convert
            return lambda f: Pointer(Array(f, convert), place)
        base = self.name(self.reader.take())
        while self.reader.next.text in (".", "->"):
            following = self.postfix(base, self.reader.next)
            assert following is not None
            base = following
        self.reader.expect("[")
        index = self.expression()
        self.reader.expect("]")
        return lambda f: base(f) + index(f)

    def postfix(self, base: Run, piece: Lexeme) -> Run | None:
        reader = self.reader
        match piece.text:
            case "[":
                reader.take()
                index = self.expression()
                reader.expect("]")
                return self._settable(
                    lambda f: base(f).cell(index(f)), lambda f, x: base(f).store(index(f), x)
                )
            case "." | "->":
                reader.take()
                part = reader.word()
                if piece.text == ".":
                    return lambda f: base(f)[part]
                return lambda f: base(f).cell(0)[part]
            case "++" | "--":
                reader.take()
                return self.changed(base, 1 if piece.text == "++" else -1)
        return None

    def changed(self, target: Run, by: int) -> Run:
        """Return what adds to a variable; its value is that after it, which no program reads."""
        store = self.store_of(target)

        def run(f: Any) -> Any:
            store(f, target(f) + by)
            return target(f)

        return run


_BY_ADDRESS = ("sincos", "sincosf")


def _sincos(args: list[Run]) -> Run:
    """Return sincos(x, &s, &c), which sets two variables."""
    import math

    angle, sine, cosine = args

    def run(f: Any) -> None:
        x = angle(f)
        sine(f).store(0, math.sin(x) if math.isfinite(x) else math.nan)
        cosine(f).store(0, math.cos(x) if math.isfinite(x) else math.nan)

    return run


def skip_qualifiers(reader: Reader) -> None:
    """Go over const, static, __restrict__ and what stands in brackets after __launch_bounds__."""
    while True:
        if reader.next.text in QUALIFIERS:
            reader.take()
        elif reader.next.text == "__launch_bounds__":
            reader.take()
            reader.expect("(")
            while not reader.accept(")"):
                reader.take()
        elif reader.next.text == "extern":
            reader.take()
        else:
            return
