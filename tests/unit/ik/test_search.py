"""The compiled search: the same steps on every backend that runs loops."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.ik import PositionTask
from dalembert.ik.methods.search_step import FAR, START
from dalembert.ik.problem import problem_of
from dalembert.ik.search import STARTS, Search, search_of
from dalembert.ik.space import space_of
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.compiler import compile_program
from tests.unit.ik import arms
from tests.unit.kernel.backends.cuda.loop.emulator import EmulatedLoop

STEPS = 80
# of angles after a few steps of Newton's method
TOLERANCE = 1e-9


def search_of_two_links() -> tuple[Search, list[np.ndarray], np.ndarray]:
    """Return the search of an arm, what it is called with, and the points that it shall reach."""
    model = da.compile(arms.planar_2r(), "numpy")
    problem = problem_of(model, [PositionTask("tip", np.zeros(2), axes="xy")])
    space = space_of(model, None)
    search = search_of(problem, space)
    angle = np.linspace(0.2, 3.0, 20)
    points = np.stack([1.2 * np.cos(angle), 1.2 * np.sin(angle)], axis=-1)
    q, centre = search.prepared(np.tile([0.1, 0.0], (20, 1)), space.finite)
    progress, starts = np.tile(START, (20, 1)), space.starts(STARTS, 0)
    effort = np.array([6.0, STARTS])
    arrays = [q, points, progress, *space.finite, centre, starts, effort, np.asarray(1e-18)]
    return search, arrays, points


@pytest.mark.parametrize("backend", ["numpy", "llvm", "cuda text"])
def test_every_backend_takes_the_same_steps(backend: str, tmp_path: Path) -> None:
    search, arrays, points = search_of_two_links()
    outputs, inputs, carried = search.step
    loop = Loop(compile_program(outputs, inputs), tuple(carried.items()), "left")
    if backend == "cuda text":
        run = EmulatedLoop(loop, "float64", tmp_path)(*arrays, steps=STEPS)
    else:
        model = da.compile(arms.planar_2r(), backend)
        run = model.loop(outputs, inputs, carried, stop="left")(*arrays, steps=STEPS)
    _, progress, place, e, left = run.outputs
    assert (left <= 0).all()
    # by hand: the tip of two links of 1 m
    tip = np.stack([f(place[:, 0]) + f(place.sum(axis=-1)) for f in (np.cos, np.sin)], axis=-1)
    assert np.abs(tip - points).max() <= TOLERANCE
    assert np.abs(points - tip - e).max() <= TOLERANCE
    # near, and as far from the start as before any round or a number of it
    assert (progress[:, 4] == 1).all()
    assert ((progress[:, 3] == FAR) | (progress[:, 3] < 10)).all()
