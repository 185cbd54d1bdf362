"""Derivatives of programs, as programs.

Of a program y = f(x) the *tangent* (x, ẋ) ↦ ẏ is one forward sweep over its graph, the *pullback*
(x, ȳ) ↦ x̄ = ȳᵀ ∂f/∂x one reverse sweep: each costs a few runs of f, whatever the number of inputs
and outputs, and no Jacobian is ever stored. Both are programs, which have derivatives themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr import Expr, parameters
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.node import ZERO
from dalembert.kernel.compiler import collection_paused, compile_program
from dalembert.kernel.program.program import Port, Program
from dalembert.kernel.program.trace import Expressions, lift, shaped

RATE, ADJOINT = "_dot", "_bar"
"""What the names of rates and of adjoints end in."""


def tangent_program(program: Program) -> Program:
    """Return the program of (x, ẋ) ↦ ẏ: inputs, then rates of all inputs."""
    with collection_paused():
        x = _symbols(program.inputs, "x")
        rates = _symbols(program.inputs, "r")
        seeds = dict(zip(_all(x), _all(rates), strict=True))
        outputs = lift(program, _by_name(program.inputs, x))
        changes = iter(tangent([e for part in outputs.values() for e in part], seeds))
        found = {
            f"{port.name}{RATE}": shaped(port, [next(changes) for _ in range(port.size)])
            for port in program.outputs
        }
        suffix = _unused(program.inputs, program.inputs, RATE)
        inputs = {**_by_name(program.inputs, x), **_by_name(program.inputs, rates, suffix)}
        return compile_program(found, inputs, name=f"{program.name}{RATE}")


def pullback_program(program: Program) -> Program:
    """Return the program of (x, ȳ) ↦ x̄: inputs, then adjoints of all outputs."""
    with collection_paused():
        x = _symbols(program.inputs, "x")
        adjoints = _symbols(program.outputs, "y")
        outputs = lift(program, _by_name(program.inputs, x))
        values = [e for part in outputs.values() for e in part]
        weighted = sum((e * bar for e, bar in zip(values, _all(adjoints), strict=True)), ZERO)
        slopes = iter(gradient(weighted, _all(x)))
        found = {
            f"{port.name}{ADJOINT}": shaped(port, [next(slopes) for _ in range(port.size)])
            for port in program.inputs
        }
        suffix = _unused(program.inputs, program.outputs, ADJOINT)
        inputs = {**_by_name(program.inputs, x), **_by_name(program.outputs, adjoints, suffix)}
        return compile_program(found, inputs, name=f"{program.name}{ADJOINT}")


def _unused(taken: Sequence[Port], ports: Sequence[Port], suffix: str) -> str:
    """Return a suffix that makes names of ports that are not taken: of second derivatives too."""
    names, longer = {port.name for port in taken}, suffix
    while any(f"{port.name}{longer}" in names for port in ports):
        longer += suffix
    return longer


def _symbols(ports: Sequence[Port], letter: str) -> list[list[Expr]]:
    """Return as many symbols as the ports have numbers."""
    return [
        list(parameters(" ".join(f"{letter}{i}_{k}" for k in range(port.size))))
        if port.size
        else []
        for i, port in enumerate(ports)
    ]


def _all(parts: Sequence[Sequence[Expr]]) -> list[Expr]:
    return [x for part in parts for x in part]


def _by_name(
    ports: Sequence[Port], symbols: Sequence[Sequence[Expr]], suffix: str = ""
) -> Mapping[str, Expressions]:
    return {
        f"{port.name}{suffix}": shaped(port, part)
        for port, part in zip(ports, symbols, strict=True)
    }
