"""A program as a graph of CasADi."""

from __future__ import annotations

import math
from fractions import Fraction
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dalembert.kernel.backends.casadi.columns import compressed_by_columns, matrix_shape
from dalembert.kernel.program.interpret import Algebra, complete, interpret
from dalembert.kernel.program.program import PI, Program
from dalembert.optional import require

if TYPE_CHECKING:
    import casadi  # pyright: ignore[reportMissingImports]


def casadi_function(program: Program) -> casadi.Function:
    """Return a `casadi.Function` with the program's inputs and outputs by name.

    The graph has one node of CasADi's scalar symbols (SX) for each instruction, so CasADi's own
    derivatives of it are exact, also higher ones. Outputs that are zero for every input are so
    structurally.

    Raises:
        MissingDependency: CasADi is not installed.
    """
    ca = require("casadi", "functions of CasADi")
    program, patterns = compressed_by_columns(program)
    inputs = [ca.SX.sym(port.name, *matrix_shape(port)) for port in program.inputs]
    values = iter(interpret(program, [x.elements() for x in inputs], casadi_scalars(ca)))
    outputs = []
    for port, pattern in zip(program.outputs, patterns, strict=True):
        entries = [ca.SX(next(values)) for _ in range(port.size)]
        sparsity = ca.Sparsity.compressed(pattern.compressed)
        outputs.append(ca.SX(sparsity, ca.vertcat(ca.SX(0, 1), *entries)))
    names = [[port.name for port in ports] for ports in (program.inputs, program.outputs)]
    return ca.Function(program.name, inputs, outputs, *names)


def casadi_scalars(ca: ModuleType) -> Algebra[Any]:
    """Return the algebra of CasADi's scalar symbols."""
    same = ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan2", "exp", "log", "tanh", "sign")
    functions = {name: getattr(ca, name) for name in same}
    return complete({"const": _constant, "pow": _power, "abs": ca.fabs, **functions})


def _constant(value: Fraction | str) -> float:
    return math.pi if value == PI else float(value)


def _power(x: Any, exponent: Fraction) -> Any:
    return x ** (int(exponent) if exponent.denominator == 1 else float(exponent))
