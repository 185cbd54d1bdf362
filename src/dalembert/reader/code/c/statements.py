"""Statements of C: declarations, assignments, loops, conditions, switches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dalembert.errors import EvaluationError
from dalembert.reader.code.c.expressions import CExpressions, Scope
from dalembert.reader.code.c.memory import Pointer
from dalembert.reader.code.c.types import Type
from dalembert.reader.code.expression import Run, divided
from dalembert.reader.code.lexer import Reader

Step = Callable[[Any], Any]
"""Runs a statement in a frame; it returns None, or what ends the block around it."""

MAX_PASSES = 1_000_000
"""Passes of one loop: an endless one would hang the writing of a file."""

_CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "+=": lambda a, b: a + b,
    "-=": lambda a, b: a - b,
    "*=": lambda a, b: a * b,
    "/=": divided,
}
_IGNORED_CALLS = ("__syncwarp", "__syncthreads")


class Returned:
    """The value with which a function ends."""

    def __init__(self, value: Any) -> None:
        self.value = value


BREAK, CONTINUE = object(), object()


class Statements:
    """Reads the statements of one function."""

    def __init__(
        self,
        reader: Reader,
        scope: Scope,
        constants: Mapping[str, Any],
        functions: Mapping[str, Callable[..., Any]],
        type_at: Callable[[], Type | None],
    ) -> None:
        self.reader, self.scope, self.type_at = reader, scope, type_at
        self.expressions = CExpressions(reader, scope, constants, functions, type_at)

    def block(self) -> Step:
        """Read { … }; names declared inside are forgotten after it."""
        self.reader.expect("{")
        self.scope.blocks.append({})
        steps: list[Step] = []
        while not self.reader.accept("}"):
            steps.append(self.statement())
        self.scope.blocks.pop()
        return _sequence(steps)

    def statement(self) -> Step:
        """Read one statement."""
        reader = self.reader
        match reader.next.text:
            case "{":
                return self.block()
            case "for":
                return self._for()
            case "if":
                return self._if()
            case "switch":
                return self._switch()
            case "return":
                reader.take()
                if reader.accept(";"):
                    return lambda f: Returned(None)
                value = self.expressions.expression()
                reader.expect(";")
                return lambda f: Returned(value(f))
            case "break" | "continue":
                end = BREAK if reader.take().text == "break" else CONTINUE
                reader.expect(";")
                return lambda f: end
            case ";":
                reader.take()
                return lambda f: None
            case name if name in _IGNORED_CALLS:
                # threads of a warp wait for each other
                reader.take()
                reader.expect("(")
                reader.expect(")")
                reader.expect(";")
                return lambda f: None
        step = self.declaration() or self._assignment()
        reader.expect(";")
        return step

    def declaration(self) -> Step | None:
        """Read ``const double x = …, y[3];``; None, and nothing read, if no type comes."""
        at = self.reader.at
        kind = self.type_at()
        if kind is None:
            self.reader.at = at
            return None
        steps: list[Step] = []
        while True:
            name, own = declared(self.reader, kind, self.expressions)
            steps.append(self._declared(name, own))
            if not self.reader.accept(","):
                return _sequence(steps)

    def _declared(self, name: str, kind: Type) -> Step:
        convert = kind.convert
        if not self.reader.accept("="):
            place = self.scope.declare(name, kind)
            return lambda f: _set(f, place, kind.zero())
        if self.reader.next.text == "{":
            value = braced(self.reader, kind, self.expressions)
        else:
            value = self.expressions.expression()
        place = self.scope.declare(name, kind)
        return lambda f: _set(f, place, convert(value(f)))

    def _assignment(self) -> Step:
        """Read ``a = b = x``, ``a += x``, ``++a``, a call or ``(void)a``."""
        targets: list[Run] = [self.expressions.expression()]
        sign = self.reader.next.text
        if sign in _CHANGES:
            self.reader.take()
            (target,), change = targets, _CHANGES[sign]
            value, store = self.expressions.expression(), self.expressions.store_of(target)
            return lambda f: store(f, change(target(f), value(f)))
        while self.reader.accept("="):
            targets.append(self.expressions.expression())
        value = targets.pop()
        stores = [self.expressions.store_of(target) for target in targets]
        if not stores:
            return lambda f: _nothing(value(f))
        if len(stores) == 1:
            (store,) = stores
            return lambda f: store(f, value(f))

        def run(f: Any) -> None:
            x = value(f)
            for store in stores:
                store(f, x)

        return run

    def _for(self) -> Step:
        reader = self.reader
        reader.take()
        reader.expect("(")
        self.scope.blocks.append({})
        start: Step = lambda f: None  # noqa: E731
        if not reader.accept(";"):
            start = self.declaration() or self._assignment()
            reader.expect(";")
        test: Run = lambda f: True  # noqa: E731
        if not reader.accept(";"):
            test = self.expressions.expression()
            reader.expect(";")
        step: Step = lambda f: None  # noqa: E731
        if not reader.accept(")"):
            step = self._assignment()
            reader.expect(")")
        body = self.statement()
        self.scope.blocks.pop()

        def run(f: Any) -> Any:
            start(f)
            for _ in range(MAX_PASSES):
                if not test(f):
                    return None
                end = body(f)
                if end is BREAK:
                    return None
                if isinstance(end, Returned):
                    return end
                step(f)
            raise EvaluationError(f"expected a loop of at most {MAX_PASSES:,} passes in C")

        return run

    def _if(self) -> Step:
        reader = self.reader
        reader.take()
        reader.expect("(")
        test = self.expressions.expression()
        reader.expect(")")
        yes = self.statement()
        no = self.statement() if reader.accept("else") else _nothing
        return lambda f: yes(f) if test(f) else no(f)

    def _switch(self) -> Step:
        """Read a switch whose cases each return."""
        reader = self.reader
        reader.take()
        reader.expect("(")
        chosen = self.expressions.expression()
        reader.expect(")")
        reader.expect("{")
        cases: list[tuple[Run, Step]] = []
        while not reader.accept("}"):
            reader.expect("case")
            label = self.expressions.expression()
            reader.expect(":")
            cases.append((label, self.statement()))

        def run(f: Any) -> Any:
            value = chosen(f)
            for label, step in cases:
                if label(f) == value:
                    return step(f)
            return None

        return run


def declared(reader: Reader, kind: Type, expressions: CExpressions) -> tuple[str, Type]:
    """Read a name with what stands around it: ``*p``, ``x[3][9]``, ``(*R)[9]``."""
    pointers, inner = kind.pointers, False
    while reader.next.text in ("*", "const", "restrict", "__restrict__"):
        pointers += reader.take().text == "*"
    if reader.accept("("):
        reader.expect("*")
        inner = True
    name = reader.word()
    if inner:
        reader.expect(")")
    sizes: list[int] = []
    while reader.accept("["):
        if reader.accept("]"):
            sizes.append(0)
            continue
        sizes.append(int(expressions.expression()([])))
        reader.expect("]")
    if inner:
        # a pointer to arrays is what an array of arrays is where it is passed
        return name, kind._replace(pointers=pointers + 1)
    return name, kind._replace(pointers=pointers, sizes=tuple(sizes))


def braced(reader: Reader, kind: Type, expressions: CExpressions) -> Run:
    """Read the value of an array or a struct between braces; what is left out is zero."""
    values = _values(reader, expressions)

    def run(f: Any) -> Any:
        return filled(kind, values, f)

    return run


def _values(reader: Reader, expressions: CExpressions) -> list[Any]:
    """Read values between braces, some between braces of their own."""
    reader.expect("{")
    found: list[Any] = []
    while not reader.accept("}"):
        is_nested = reader.next.text == "{"
        found.append(_values(reader, expressions) if is_nested else expressions.expression())
        if reader.next.text != "}":
            reader.expect(",")
    return found


def filled(kind: Type, values: Sequence[Any], f: Any) -> Any:
    """Return an array or a struct with the values that are given, zero where there are none."""
    if kind.sizes:
        if not kind.sizes[0]:
            kind = kind._replace(sizes=(len(values), *kind.sizes[1:]))
        whole: Pointer = kind.zero()
        inner = kind._replace(sizes=kind.sizes[1:])
        for i, value in enumerate(values):
            if isinstance(value, list):
                part = filled(inner, value, f)
                if isinstance(part, Pointer):
                    at = whole.at + i * whole.step
                    whole.array.cells[at : at + whole.step] = part.array.cells
                else:
                    whole.array.cells[whole.at + i] = part
            else:
                whole.array.cells[whole.at + i] = inner.convert(value(f))
        return whole
    found = kind.zero()
    for (name, field), value in zip(kind.base.fields, values, strict=False):  # type: ignore[union-attr]
        given = filled(field, value, f) if isinstance(value, list) else field.convert(value(f))
        found[name] = given
    return found


def _sequence(steps: Sequence[Step]) -> Step:
    if len(steps) == 1:
        return steps[0]

    def run(f: Any) -> Any:
        for step in steps:
            end = step(f)
            if end is not None:
                return end
        return None

    return run


def _set(f: Any, place: int, value: Any) -> None:
    f[place] = value


def _nothing(_: Any) -> None:
    return None
