"""Points at which generated code is run, and the exact values of the programs there."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import flint
import numpy as np

from dalembert.kernel.program.interpret import Algebra, complete, interpret
from dalembert.kernel.program.program import PI, Port, Program
from dalembert.kernel.program.reference import run
from dalembert.model.certificates.in_balls import BALLS, precision

POINTS, TRIES = 3, 12
"""Points that are compared, and those that are tried where functions are not defined at some."""

LONG_PROGRAM = 10_000
"""Instructions above which one point is enough: a text costs more to read than to write."""

BITS = 256
"""Precision of the exact values: what cancels in doubles does not here."""

SCALES = (1.0, 0.3, 2.0, 0.1)


class Sample(NamedTuple):
    """The numbers of each input, the exact ones of each output, and the error of doubles there.

    ``largest`` is the size of the largest number that the program meets on its way.
    """

    inputs: list[list[float]]
    truth: list[list[float]]
    error: list[float]
    largest: float


def samples(program: Program, dtype: str, q: Sequence[Sequence[float]] = ()) -> Iterator[Sample]:
    """Yield points at which all outputs of a program are finite, with their exact values.

    ``q`` are configurations of the robot, which hold quaternions of length one.
    """
    rng = random.Random(f"{program.name} {len(program.code)}")
    wanted = 1 if len(program.code) > LONG_PROGRAM else POINTS
    found, tried = 0, []
    for i in range(TRIES):
        scale = SCALES[i % len(SCALES)]
        inputs = [_numbers(port, rng, scale, q[i % len(q)] if q else ()) for port in program.inputs]
        sample = _sample(program, inputs, dtype)
        if sample is not None:
            yield sample
            found += 1
        elif len(tried) < wanted:
            tried.append((inputs, max(abs(x) for port in inputs for x in (0.0, *port))))
        if found == wanted:
            return
    # balls around zero have no quotients, which the program may guard; doubles then stand for them
    if not found and dtype == "float64":
        yield from filter(None, (_in_doubles(program, *x) for x in tried))


def _in_doubles(program: Program, inputs: list[list[float]], largest: float) -> Sample | None:
    """Return the values of the program's own floats at a point, None where one is not finite."""
    truth = [np.ravel(x).tolist() for x in _run(program, inputs)]
    if not all(math.isfinite(x) for values in truth for x in values):
        return None
    return Sample(inputs, truth, [0.0] * len(truth), largest)


def _run(program: Program, inputs: list[list[float]]) -> Sequence[np.ndarray]:
    arrays = [
        np.reshape(np.array(x), port.shape) for x, port in zip(inputs, program.inputs, strict=True)
    ]
    return run(program, arrays)


def _numbers(
    port: Port, rng: random.Random, scale: float, configuration: Sequence[float]
) -> list[float]:
    """Return numbers of an input; parameters and time are positive."""
    if port.name == "q" and len(configuration) == port.size:
        return [float(x) for x in configuration]
    if port.name in ("parameters", "t"):
        return [rng.uniform(0.5, 1.5) for _ in range(port.size)]
    return [scale * rng.uniform(-1.0, 1.0) for _ in range(port.size)]


def _sample(program: Program, inputs: list[list[float]], dtype: str) -> Sample | None:
    """Return the exact values at a point, None where some output is not finite."""
    exact, largest = _exact(program, inputs, dtype)
    if exact is None:
        return None
    truth, error, at = [], [], 0
    for port, found in zip(program.outputs, _run(program, inputs), strict=True):
        values = exact[at : at + port.size]
        at += port.size
        truth.append(values)
        gaps = np.abs(np.ravel(found) - np.array(values)) if values else np.zeros(1)
        error.append(float(gaps.max()))
    return Sample(inputs, truth, error, largest)


def _exact(
    program: Program, inputs: list[list[float]], dtype: str
) -> tuple[list[float] | None, float]:
    """Return the results in ball arithmetic, and the size of the largest number on the way."""
    sizes: list[float] = [0.0]
    algebra = _watched(dtype, sizes)
    with precision(BITS):
        try:
            balls = interpret(program, [[flint.arb(x) for x in port] for port in inputs], algebra)
        except ZeroDivisionError:
            return None, 0.0
        values = [float(x.mid()) if x.is_finite() else math.nan for x in balls]
    return (values if all(map(math.isfinite, values)) else None), sizes[0]


def _watched(dtype: str, sizes: list[float]) -> Algebra[flint.arb]:
    """Return the algebra of balls with constants as the code has them; sums tell their size."""
    base = _rounded(dtype)

    def seen(x: flint.arb) -> flint.arb:
        size = abs(float(x.mid())) if x.is_finite() else 0.0
        sizes[0] = max(sizes[0], size)
        return x

    return {
        **base,
        "mul": lambda a, b: seen(a * b),
        "fma": lambda a, b, c: seen(seen(a * b) + c),
        "fms": lambda a, b, c: seen(seen(a * b) - c),
        "fnma": lambda a, b, c: seen(c - seen(a * b)),
    }


@cache
def _rounded(dtype: str) -> Algebra[flint.arb]:
    single = dtype == "float32"

    def constant(value: Fraction | str) -> flint.arb:
        x = math.pi if value == PI else float(value)
        return flint.arb(float(np.float32(x)) if single else x)

    return complete({**BALLS, "const": constant})
