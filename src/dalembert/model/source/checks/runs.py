"""Run what was written in each language: inputs and outputs are lists of numbers in row order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dalembert.kernel.backends.c.header import CSource
from dalembert.kernel.backends.c.names import identifier
from dalembert.kernel.program.program import Program
from dalembert.reader.code.c import CProgram, Pointer, array, c_program, pointers
from dalembert.reader.code.matlab import matlab_functions
from dalembert.reader.code.python import python_functions

Numbers = list[list[float]]
Run = Callable[[Numbers], Numbers]
"""A function of the text: the numbers of its inputs give those of its outputs."""


def runs(language: str, made: CSource | str, programs: Sequence[Program], prefix: str) -> list[Run]:
    """Return the functions of a text, one for each program.

    Raises:
        ParseError: the text is not what its language has.
    """
    if language in ("c", "cuda", "casadi"):
        source, files = made if isinstance(made, str) else made.source, {}
        if isinstance(made, CSource):
            files = {f"{made.stem}.h": made.header}
        text = c_program(source, files)
        way = {"c": _of_c, "cuda": _of_cuda, "casadi": _of_casadi}[language]
        return [way(text, program, prefix) for program in programs]
    assert isinstance(made, str)
    if language == "python":
        functions = [*python_functions(made).values()]
        return [_of_python(f, p) for f, p in zip(functions, programs, strict=True)]
    functions = [*matlab_functions(made).values()]
    return [_of_matlab(f, p) for f, p in zip(functions, programs, strict=True)]


def _of_c(text: CProgram, program: Program, prefix: str) -> Run:
    name = identifier(f"{prefix}_{program.name}")

    def run(inputs: Numbers) -> Numbers:
        outputs = _places(program)
        text.run(name, *map(array, inputs), *outputs)
        return [x.array.cells for x in outputs]

    return run


def _of_cuda(text: CProgram, program: Program, prefix: str) -> Run:
    def run(inputs: Numbers) -> Numbers:
        outputs = _places(program)
        arguments: list[Any] = []
        for place in (*map(array, inputs), *outputs):
            # one sample, its numbers side by side
            arguments += [place, len(place.array.cells), 1]
        text.run(program.name, *arguments, 1, array([0.0]))
        return [x.array.cells for x in outputs]

    return run


def _of_casadi(text: CProgram, program: Program, prefix: str) -> Run:
    """Return the call by which CasADi computes a function, its sparse outputs made whole."""
    name = identifier(f"{prefix}_{program.name}")
    if program.name.startswith("jac_"):
        name = identifier(f"jac_{prefix}_{program.name.removeprefix('jac_')}")

    def run(inputs: Numbers) -> Numbers:
        num_in, num_out = text.run(f"{name}_n_in"), text.run(f"{name}_n_out")
        patterns = [text.run(f"{name}_sparsity_out", i).array.cells for i in range(num_out)]
        outputs = [array([np.nan] * (len(p) - p[1] - 3)) for p in patterns]
        sizes = [array([0.0]) for _ in range(4)]
        text.run(f"{name}_work", *sizes)
        work = array([0.0] * int(sizes[3].array.cells[0]))
        # of the Jacobian the last inputs are results that it does not need: null
        given = [*map(_by_columns, inputs, program.inputs), *([0] * (num_in - len(inputs)))]
        text.run(name, pointers(given), pointers(outputs), 0, work, 0)
        return [_whole(x.array.cells, p) for x, p in zip(outputs, patterns, strict=True)]

    return run


def _by_columns(values: list[float], port: Any) -> Pointer:
    """Return an input as CasADi has it: column by column."""
    rows = port.shape[0] if port.shape else 1
    return array(np.reshape(values, (rows, -1)).ravel(order="F").tolist())


def _whole(values: Sequence[float], pattern: Sequence[int]) -> list[float]:
    """Return a matrix in row order from its entries that may differ from zero."""
    rows, columns, *rest = pattern
    starts, places = rest[: columns + 1], rest[columns + 1 :]
    found = np.zeros((rows, columns))
    for j in range(columns):
        for k in range(starts[j], starts[j + 1]):
            found[places[k], j] = values[k]
    return [float(x) for x in found.ravel()]


def _of_python(function: Callable[..., Any], program: Program) -> Run:
    def run(inputs: Numbers) -> Numbers:
        given = [
            x[0] if not port.shape else x if len(port.shape) < 2 else _table(x, port.shape)
            for x, port in zip(inputs, program.inputs, strict=True)
        ]
        found = function(*given)
        several = found if len(program.outputs) > 1 else (found,)
        return [_flat(x) for x in several]

    return run


def _table(values: list[float], shape: tuple[int, ...]) -> list[list[float]]:
    width = shape[-1]
    return [values[k : k + width] for k in range(0, len(values), max(width, 1))]


def _flat(x: Any) -> list[float]:
    return [y for part in x for y in _flat(part)] if isinstance(x, list) else [x]


def _of_matlab(function: Callable[..., Any], program: Program) -> Run:
    def run(inputs: Numbers) -> Numbers:
        given = [
            x[0] if not port.shape else np.array(x) if len(port.shape) < 2 else np.array(table)
            for x, port in zip(inputs, program.inputs, strict=True)
            for table in [_table(x, port.shape) if len(port.shape) > 1 else []]
        ]
        return [[float(y) for y in np.ravel(x)] for x in function(*given)]

    return run


def _places(program: Program) -> list[Pointer]:
    return [array([np.nan] * port.size) for port in program.outputs]
