"""Flat C: one function for each program, one statement for each instruction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.errors import InvalidExpression
from dalembert.kernel.backends.c.header import (
    Addition,
    ArrayDoc,
    CArray,
    CSource,
    Prototype,
    banner,
    file_stem,
    header_text,
    restrict,
    signature,
)
from dalembert.kernel.backends.c.names import comment_text, identifier, identifiers
from dalembert.kernel.backends.c.pieces import MAX_STATEMENTS, PiecedFunction
from dalembert.kernel.backends.c.reals import Real, real_type
from dalembert.kernel.backends.c.statements import StatementWriter
from dalembert.kernel.program.cut import LEAVES
from dalembert.kernel.program.program import Program

NOTHING = Addition()


def source(
    programs: Sequence[Program],
    *,
    prefix: str,
    dtype: str = "float64",
    robot: str = "",
    arrays: Mapping[str, ArrayDoc] | None = None,
    more: Addition = NOTHING,
) -> CSource:
    """Return C99, also valid C++17, with one function ``prefix_name`` for each program.

    Inputs come first, then outputs, each an array in row order; a scalar is an array of one. There
    is no allocation, no state and no library but <math.h>. Equal programs give equal bytes.

    Args:
        programs: what to compute; their names differ.
        prefix: of all names; also the name of the files.
        dtype: float64, or float32 with single-precision functions and literals.
        robot: named in the first comment.
        arrays: what to say about the arrays of a name; see `mechanism_arrays`.
        more: what the files say besides.

    Raises:
        InvalidExpression: no program, two of one name, or a constant too large for the type.

    >>> from dalembert import coordinates, sin
    >>> from dalembert.kernel.program.trace import trace
    >>> (q,) = coordinates("q")
    >>> text = source([trace("f", {"q": [q]}, {"y": [sin(q) * 2]})], prefix="arm").source
    >>> print(text[text.index("void") :])
    void arm_f(const double *ARM_RESTRICT q, double *ARM_RESTRICT y)
    {
        const double t2 = sin(q[0]);
        const double t3 = 2.0*t2;
        y[0] = t3;
    }
    <BLANKLINE>
    """
    real = real_type(dtype)
    _check_names(programs)
    stem, what = file_stem(prefix), "straight-line dynamics"
    prototypes = [_prototype(p, prefix, arrays or {}) for p in programs]
    first = banner(robot, what, [p.name for p in prototypes])
    definitions = [
        _definition(p, prototype, real, restrict(stem))
        for p, prototype in zip(programs, prototypes, strict=True)
    ]
    return CSource(
        header_text(stem, real, first, more.notes, more.types, prototypes, more.declarations),
        "\n".join([first, f'#include "{stem}.h"\n\n#include <math.h>\n', *definitions])
        + more.definitions,
        stem,
    )


def _check_names(programs: Sequence[Program]) -> None:
    names = [p.name for p in programs]
    if not names:
        raise InvalidExpression("expected programs to write as C, got none")
    for name in names:
        if names.count(name) > 1:
            raise InvalidExpression(
                f"expected programs of different names, got {names.count(name)} called {name!r}: "
                "rename one with dataclasses.replace(program, name=…)"
            )


def _prototype(program: Program, prefix: str, arrays: Mapping[str, ArrayDoc]) -> Prototype:
    ports = (*program.inputs, *program.outputs)
    described = []
    for port, name in zip(ports, identifiers(port.name for port in ports), strict=True):
        doc = arrays.get(port.name, ArrayDoc(""))
        meaning = comment_text(doc.meaning)
        if name != port.name:
            meaning = f"{comment_text(port.name)}{', ' if meaning else ''}{meaning}"
        # rows are of this array only if there are as many
        rows = doc.rows if port.shape[:1] == (len(doc.rows),) and len(port.shape) == 1 else ()
        described.append(CArray(name, port.shape, meaning, rows))
    n = len(program.inputs)
    return Prototype(
        identifier(f"{prefix}_{program.name}"),
        f"{comment_text(program.name)}.",
        tuple(described[:n]),
        tuple(described[n:]),
        f"Cost: {_cost(program)}.",
    )


def _cost(program: Program) -> str:
    c = program.cost
    return f"{c.flops} flops, {c.divisions} divisions and roots, {c.functions} functions"


def _definition(program: Program, prototype: Prototype, real: Real, macro: str) -> str:
    writer = StatementWriter(program, [a.name for a in prototype.inputs], real)
    head = signature(prototype, real, macro)
    places = [
        f"{a.name}[{i}]"
        for a, n in zip(prototype.outputs, program.outputs, strict=True)
        for i in range(n.size)
    ]
    values = [i for i, x in enumerate(program.code) if x.op not in LEAVES]
    if len(values) > MAX_STATEMENTS:
        return PiecedFunction(writer, prototype, places, macro).text(head)
    unused = [*writer.unused([*values, *program.results])]
    unused += [a.name for a in prototype.outputs if 0 in a.shape]
    body = [f"(void){name};" for name in unused]
    body += map(writer.statement, values)
    body += [f"{at} = {writer.operand(k)};" for at, k in zip(places, program.results, strict=True)]
    return "\n".join([head, "{", *(f"    {line}" for line in body), "}", ""])
