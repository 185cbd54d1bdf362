"""From expressions to a program, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from dalembert.errors import InvalidExpression, UnknownName, nearest
from dalembert.expr import PI, Expr, Matrix, as_expr, symbol_text
from dalembert.expr.functions import FUNCTIONS
from dalembert.expr.graph import postorder
from dalembert.expr.node import constant, power
from dalembert.expr.undefined import no_value
from dalembert.kernel.program import program as programs
from dalembert.kernel.program.interpret import Algebra, complete, interpret
from dalembert.kernel.program.program import Instruction, Port, Program

Expressions: TypeAlias = "Expr | Matrix | Fraction | float | Sequence[Expressions]"
"""One expression or number, a Matrix, or a list of these, of any depth, with even rows."""


EXPRESSIONS: Algebra[Expr] = complete(
    {
        "const": lambda value: PI if value == programs.PI else constant(value),
        "pow": power,
        **{name: function.build for name, function in FUNCTIONS.items()},
    }
)
"""What operations are on expressions: exact, and simplified as expressions always are."""


def trace(
    name: str, inputs: Mapping[str, Expressions], outputs: Mapping[str, Expressions]
) -> Program:
    """Return the program that computes named outputs from named inputs.

    Inputs are symbols, outputs expressions: one, a list (any depth, even rows) or a Matrix.

    >>> from dalembert import coordinates, sin
    >>> (q,) = coordinates("q")
    >>> print(trace("f", {"q": q}, {"y": sin(q) * 2}))
    program f
    in q ()
    %0 = const [2]
    %1 = input [(0, 0)]
    %2 = sin %1
    %3 = mul %0 %2
    out y (): %3
    """
    in_ports, symbols = _ports(inputs)
    out_ports, roots = _ports(outputs)
    places: dict[Expr, tuple[int, int]] = {}
    for number, port in enumerate(symbols):
        for place, x in enumerate(port):
            if x.op != "symbol":
                raise InvalidExpression(
                    f"expected symbols as inputs, got {x.op!r} in {in_ports[number].name!r}"
                )
            if x in places:
                raise InvalidExpression(
                    f"expected each symbol once among the inputs, got {symbol_text(x)} twice"
                )
            places[x] = (number, place)
    flat = [x for port in roots for x in port]
    code: list[Instruction] = []
    number_of: dict[Expr, int] = {}
    for node in postorder(flat):
        number_of[node] = len(code)
        code.append(_instruction(node, number_of, places))
    results = tuple(number_of[x] for x in flat)
    return Program(name, tuple(in_ports), tuple(out_ports), tuple(code), results)


def lift(program: Program, inputs: Mapping[str, Expressions]) -> dict[str, list[Expr]]:
    """Return the outputs as expressions of the given inputs: the inverse of `trace`.

    Every instruction becomes the operation it stands for, without rounding.
    """
    _, symbols = _ports(inputs)
    return program.by_output(interpret(program, symbols, EXPRESSIONS))


def shaped(port: Port, values: Sequence[Expr]) -> Expressions:
    """Return the numbers of a port, in row order, in lists of its shape."""
    if not port.shape:
        return values[0]
    count, inner = port.shape[0], Port(port.name, port.shape[1:])
    rows = (values[i * inner.size : (i + 1) * inner.size] for i in range(count))
    return [shaped(inner, row) for row in rows]


def _ports(arrays: Mapping[str, Expressions]) -> tuple[list[Port], list[list[Expr]]]:
    ports, values = [], []
    for name, array in arrays.items():
        shape, flat = flatten(array, name)
        ports.append(Port(name, shape))
        values.append(flat)
    return ports, values


def flatten(array: Expressions, name: str) -> tuple[tuple[int, ...], list[Expr]]:
    """Return shape and entries in row order."""
    if isinstance(array, Matrix):
        rows, columns = array.shape
        return (rows, columns), [array[i, j] for i in range(rows) for j in range(columns)]
    if not isinstance(array, Sequence) or isinstance(array, str):
        return (), [as_expr(array)]
    parts = [flatten(item, name) for item in array]
    shapes = {shape for shape, _ in parts}
    if len(shapes) > 1:
        raise InvalidExpression(f"expected even rows in {name!r}, got shapes {sorted(shapes)}")
    inner = shapes.pop() if shapes else ()
    return (len(parts), *inner), [x for _, flat in parts for x in flat]


def _instruction(
    node: Expr, number_of: Mapping[Expr, int], places: Mapping[Expr, tuple[int, int]]
) -> Instruction:
    args = tuple(number_of[a] for a in node.args)
    match node.op:
        case "const":
            return Instruction("const", (), Fraction(node.value))
        case "pi":
            return Instruction("const", (), programs.PI)
        case "symbol":
            if node not in places:
                known = ", ".join(map(symbol_text, places))
                raise UnknownName(
                    f"expected every symbol among the inputs, got {symbol_text(node)}: add it to "
                    f"them or bind its value ({nearest(symbol_text(node), known.split(', '))})"
                )
            return Instruction("input", (), places[node])
        case "pow":
            if node.value == Fraction(1, 2):
                return Instruction("sqrt", args)
            return Instruction("pow", args, Fraction(node.value))
        case "apply":
            raise InvalidExpression(no_value(node))
        case op:
            return Instruction(op, args)
