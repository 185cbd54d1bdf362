"""Every function of a model gives the same bits in batches of every width as state by state.

A run draws some of the cases; DALEMBERT_TEST_SCALE=250 tries all of them, in an hour or two.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, EvaluationError
from dalembert.kernel.backends.llvm.build import build
from dalembert.kernel.backends.llvm.host import this_host
from dalembert.kernel.program.program import Program
from dalembert.mechanism import Box, Capsule, Mechanism, Shape, Sphere
from dalembert.model.distances.pairs import shape_pairs
from dalembert.model.formulas.formula import functions_of
from dalembert.model.formulas.mechanism import MechanismFormulas
from tests.cases import num_cases
from tests.random_mechanisms import random_mechanism
from tests.unit.kernel.backends.llvm.kinds import laid_out

CHAINS = [f"chain of {n}" for n in (*range(1, 10), 24)]
TREES = [f"tree of {n}" for n in (2, 3, 5, 7)]
LOOPS = ["four_bar", "delta_robot"]
WIDTHS = (1, 2, 4, 8, 16)
LARGEST_BATCH = 33
CASES_OF_A_RUN = 24
MAX_INSTRUCTIONS = 20_000
"""Longer programs take seconds to compile."""
FUNCTIONS = functions_of(MechanismFormulas)


@cache
def model(name: str) -> da.Model:
    kind, _, number = name.partition(" of ")
    mechanism: Mechanism
    if number:
        kinds: Any = {"kinds": ("revolute",), "mimic": 0} if kind == "chain" else {}
        mechanism = random_mechanism(np.random.default_rng(int(number)), int(number), **kinds)
    else:
        mechanism = getattr(da.textbook.robots, name)()
        mechanism = mechanism.bind(dict.fromkeys(mechanism.parameters, 1))
    return da.compile(with_shapes(mechanism))


def with_shapes(mechanism: Mechanism) -> Mechanism:
    """Give every link a sphere, a capsule or a box, so that pairs of all kinds have distances."""
    solids = itertools.cycle((Sphere(0.1), Capsule(0.05, 0.2), Box((0.1, 0.2, 0.1))))
    links = (replace(x, collisions=(Shape(next(solids)),)) for x in mechanism.links)
    return replace(mechanism, links=tuple(links))


def program_of(robot: str, function: str) -> Program | None:
    """Return the program of a function; None if this robot has none, or a very long one."""
    links = [link.name for link in model(robot).mechanism.links]
    given: dict[str, Any] = {"frame": links[-1], "base": links[0], "rows": (0, 1)}
    parameters = inspect.signature(getattr(MechanismFormulas, function)).parameters
    needed = [x for x, p in parameters.items() if p.default is p.empty and x != "self"]
    try:
        if "pairs" in needed:
            given["pairs"] = shape_pairs(model(robot).mechanism)
        program = model(robot).kernel(function, **{x: given[x] for x in needed}).program
    except DalembertError:
        return None
    return program if len(program.code) <= MAX_INSTRUCTIONS else None


def cases(rng: np.random.Generator) -> Iterator[tuple[str, str, str, int]]:
    """Yield all cases in an order of chance."""
    robots = [*CHAINS, *TREES, *LOOPS]
    every = list(itertools.product(robots, FUNCTIONS, ("float64", "float32"), WIDTHS))
    rng.shuffle(every)
    for robot, function, dtype, width in every:
        yield str(robot), str(function), str(dtype), int(width)


def results(kernel: Any, arrays: list[np.ndarray]) -> list[np.ndarray]:
    found = kernel(*arrays)
    return list(found) if isinstance(found, tuple) else [found]


def compare(program: Program, dtype: str, width: int, rng: np.random.Generator) -> None:
    """Compare batches of all layouts with single states at one lane."""
    here = this_host()
    one = build(program, threads=1, dtype=dtype, host=here._replace(width=1))
    many = build(program, threads=1, dtype=dtype, host=here._replace(width=width))
    counts = {LARGEST_BATCH, width + 1, *rng.integers(1, LARGEST_BATCH, 2).tolist()}
    for count in counts:
        arrays = [rng.uniform(-1, 1, (count, *port.shape)) for port in program.inputs]
        plain = [a.astype(dtype) for a in arrays]
        try:
            states = [results(one, [a[k] for a in plain]) for k in range(count)]
        except EvaluationError:
            # a state without a value
            with pytest.raises(EvaluationError):
                many(*plain)
            continue
        right = [np.stack(values) for values in zip(*states, strict=True)]
        for given in laid_out(arrays, dtype):
            for x, y in zip(results(many, given), right, strict=True):
                np.testing.assert_array_equal(x, y)
        out = tuple(np.empty_like(y) for y in right)
        many(*plain, out=out)
        for x, y in zip(out, right, strict=True):
            np.testing.assert_array_equal(x, y)


def test_batches_of_every_width_are_single_states(
    rng: np.random.Generator, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DALEMBERT_CACHE", "")
    left = num_cases(CASES_OF_A_RUN, scale)
    for robot, function, dtype, width in cases(rng):
        program = program_of(robot, function)
        if program is None or not program.inputs:
            continue
        # shown where it fails
        print(f"{robot}, {function}, {dtype}, {width} doubles side by side")
        compare(program, dtype, width, rng)
        left -= 1
        if not left:
            break
