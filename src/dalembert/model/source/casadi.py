"""C of a model's functions that CasADi loads, with exact Jacobians."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.expr import jacobian
from dalembert.kernel.backends.casadi.interface import WithJacobian
from dalembert.kernel.compiler import collection_paused, compile_program
from dalembert.model.formulas.substitute import entries

if TYPE_CHECKING:
    from dalembert.kernel.program.program import Program
    from dalembert.model.model import Model

RECURSIVE = ("inverse_dynamics", "forward_dynamics")
"""Functions whose derivatives are recursions too, shorter than derivatives of the graph."""


def with_jacobian(
    model: Model, program: Program, function: str, options: Mapping[str, object]
) -> WithJacobian:
    """Return a program with that of its derivatives by the numbers of its inputs.

    They are derivatives by the entries of quaternions, as CasADi takes them, not along velocities.
    """
    names = [
        f"jac_{output.name}_{given.name}" for output in program.outputs for given in program.inputs
    ]
    has_slopes = model.nq == model.nv and not model.description.has_constraints
    if function in RECURSIVE and has_slopes and len(program.inputs) == 3:
        slopes = model.program(f"{function}_derivatives", **options)
        ports = [port._replace(name=x) for port, x in zip(slopes.outputs, names, strict=True)]
        return WithJacobian(program, replace(slopes, outputs=tuple(ports)))
    with collection_paused():
        formula = model.description.formula(function, **options)
        inputs = {**formula.inputs, **model.extra_inputs}
        blocks = [
            jacobian(entries(output, by_columns=True), entries(symbols))
            for output in formula.outputs.values()
            for symbols in inputs.values()
        ]
        named = dict(zip(names, blocks, strict=True))
        return WithJacobian(program, compile_program(named, inputs, name=program.name))
