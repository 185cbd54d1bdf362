"""A C program: its types, its tables and its functions, ready to be called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dalembert.errors import EvaluationError
from dalembert.reader.code.c.expressions import CExpressions, Scope, skip_qualifiers
from dalembert.reader.code.c.memory import Array, Pointer
from dalembert.reader.code.c.preprocess import preprocessed
from dalembert.reader.code.c.statements import Returned, Statements, braced, declared
from dalembert.reader.code.c.types import REAL, WHOLE, Struct, Type
from dalembert.reader.code.lexer import Reader

MAX_CALLS = 50
"""Calls inside each other."""

# one thread of one block
_CUDA: dict[str, Any] = {
    "threadIdx": {"x": 0},
    "blockIdx": {"x": 0},
    "blockDim": {"x": 32},
    "gridDim": {"x": 1},
}


class Function(NamedTuple):
    """The parameters of a function, by name and type, and how it is called."""

    parameters: tuple[tuple[str, Type], ...]
    call: Callable[..., Any]


class CProgram:
    """The functions of a program by name."""

    def __init__(self, source: str, files: Mapping[str, str]) -> None:
        self.reader = Reader(preprocessed(source, files))
        self.types: dict[str, Type] = {}
        self.constants: dict[str, Any] = dict(_CUDA)
        self.functions: dict[str, Function] = {}
        self.calls: dict[str, Callable[..., Any]] = {}
        self.depth = 0
        while self.reader.next.kind != "end":
            self._definition()

    def run(self, name: str, *args: Any) -> Any:
        """Call a function with numbers, pointers and arrays (`array`)."""
        return self.functions[name].call(*args)

    # ---- types

    def type_at(self) -> Type | None:
        """Read a type with its stars, without a name; None if none comes."""
        reader = self.reader
        skip_qualifiers(reader)
        word = reader.next.text
        if word == "struct":
            found = self._struct()
        elif word in self.types:
            reader.take()
            found = self.types[word]
        elif word in REAL or word in WHOLE or word == "void":
            found = Type(word)
            while reader.next.text in REAL | WHOLE | {"void"}:
                found = Type(reader.take().text)
        else:
            return None
        skip_qualifiers(reader)
        while reader.accept("*"):
            found = found._replace(pointers=found.pointers + 1)
            skip_qualifiers(reader)
        return found

    def _typedef(self) -> None:
        self.reader.expect("typedef")
        kind = self.type_at()
        if kind is None:
            self.reader.refuse("a type")
        self.types[self.reader.word()] = kind
        self.reader.expect(";")

    def _struct(self) -> Type:
        """Read the fields of a struct."""
        reader = self.reader
        reader.expect("struct")
        reader.expect("{")
        fields: list[tuple[str, Type]] = []
        while not reader.accept("}"):
            kind = self.type_at()
            if kind is None:
                reader.refuse("a type")
            while True:
                fields.append(declared(reader, kind, self._expressions()))
                if reader.accept(";"):
                    break
                reader.expect(",")
        return Type(Struct(tuple(fields)))

    # ---- definitions

    def _definition(self) -> None:
        reader = self.reader
        if reader.next.text == "typedef":
            self._typedef()
            return
        if reader.next.text == "extern" and reader.ahead(1).kind == "text":
            # extern "C" before a function, or before a brace around several
            reader.take()
            reader.take()
            if reader.accept("{"):
                while not reader.accept("}"):
                    self._definition()
            return
        kind = self.type_at()
        if kind is None:
            reader.refuse("a definition of C")
        skip_qualifiers(reader)
        if reader.ahead(1).text == "(" and reader.next.kind == "word":
            self._function(reader.word())
            return
        while True:
            name, own = declared(reader, kind, self._expressions())
            value = own.zero() if not reader.accept("=") else self._initial(own)
            self.constants[name] = value
            if reader.accept(";"):
                return
            reader.expect(",")

    def _initial(self, kind: Type) -> Any:
        expressions = self._expressions()
        if self.reader.next.text == "{":
            return braced(self.reader, kind, expressions)([])
        return kind.convert(expressions.expression()([]))

    def _expressions(self) -> CExpressions:
        return CExpressions(self.reader, Scope(), self.constants, self.calls, self.type_at)

    def _function(self, name: str) -> None:
        reader, scope = self.reader, Scope()
        reader.expect("(")
        parameters: list[tuple[str, Type]] = []
        while not reader.accept(")"):
            kind = self.type_at()
            if kind is None:
                reader.refuse("a parameter")
            if reader.next.text == ")":
                # f(void)
                continue
            parameters.append(declared(reader, kind, self._expressions()))
            scope.declare(*parameters[-1])
            if reader.next.text != ")":
                reader.expect(",")
        # a function may be called by itself, and by others once it is declared
        self.calls.setdefault(name, lambda *_: None)
        if reader.accept(";"):
            return
        statements = Statements(reader, scope, self.constants, self.calls, self.type_at)
        body = statements.block()
        converts = [kind.convert for _, kind in parameters]

        def call(*args: Any) -> Any:
            if self.depth >= MAX_CALLS:
                raise EvaluationError(f"expected at most {MAX_CALLS} calls inside each other in C")
            self.depth += 1
            frame = [None] * scope.size
            for i, (convert, arg) in enumerate(zip(converts, args, strict=True)):
                frame[i] = convert(arg)
            end = body(frame)
            self.depth -= 1
            return end.value if isinstance(end, Returned) else None

        self.functions[name] = Function(tuple(parameters), call)
        self.calls[name] = call


def c_program(source: str, files: Mapping[str, str] | None = None) -> CProgram:
    """Return a C or CUDA source with its functions ready to run.

    Raises:
        ParseError: what exported files do not have.
    """
    return CProgram(source, files or {})


def array(values: Sequence[float]) -> Pointer:
    """Return an array of numbers as a pointer to its first cell."""
    return Pointer(Array([float(x) for x in values], float), 0)


def pointers(values: Sequence[Any]) -> Pointer:
    """Return an array of pointers; 0 is null."""
    return Pointer(Array(list(values), lambda x: x), 0)
