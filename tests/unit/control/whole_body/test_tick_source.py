"""Ticks as C: compiled by a C compiler, they give what Python gives."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import ik
from dalembert.control import WholeBody
from dalembert.kernel.backends.c.build import find_compiler
from dalembert.mechanism import Box

pytest.importorskip("daqp", reason="the solver daqp is not installed")

HOME = np.array([0.1, 0.2, 0.3, -1.5, 0.2, 1.5, 0.3])
SAME = {"float64": 1e-7, "float32": 2e-2}
"""Of velocities of about one: the tolerance of the solvers, and rounding of single precision."""
FLAGS = [
    "-std=c99",
    "-O2",
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wconversion",
    "-Werror",
    "-pedantic",
    "-fPIC",
    "-shared",
]


class Compiled:
    """A tick compiled from its text; results are read from the workspace by name."""

    def __init__(self, source: object, folder: Path, dtype: str) -> None:
        _, text = source.save(folder)  # type: ignore[attr-defined]
        library = folder / "tick.so"
        command = [find_compiler(), *FLAGS, str(text), "-o", str(library), "-lm"]
        subprocess.run(command, check=True)
        self._code = getattr(ctypes.CDLL(str(library)), f"{source.stem}_tick")  # type: ignore[attr-defined]
        self._real = {"float64": np.float64, "float32": np.float32}[dtype]
        header = source.header  # type: ignore[attr-defined]
        struct = header[header.index("typedef struct") :]
        c_real = {"float64": ctypes.c_double, "float32": ctypes.c_float}[dtype]
        fields = [
            (name, (ctypes.c_int if kind == "int" else c_real) * int(size or 1))
            for kind, name, size in re.findall(r"^    (\w+) (\w+)(?:\[(\d+)\])?;", struct, re.M)
        ]
        self.work = type("Work", (ctypes.Structure,), {"_fields_": fields})()

    def __call__(self, *arrays: np.ndarray) -> int:
        given = [np.ascontiguousarray(x, self._real) for x in arrays]
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in given]
        return self._code(*pointers, ctypes.byref(self.work))

    def get(self, name: str) -> np.ndarray:
        return np.array(getattr(self.work, name)[:], float)


def panda() -> da.Model:
    return da.compile(da.textbook.robots.panda())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_differential_kinematics(dtype: str, tmp_path: Path) -> None:
    model = panda()
    X = model.forward_kinematics(HOME, "flange")
    tasks = [ik.PoseTask("flange", X), ik.PostureTask(HOME, 0.01)]
    follow = ik.DifferentialIK(
        model, tasks, dt=0.01, gain=0.2, damping=1e-3, velocity=0.8, acceleration=4.0
    )
    code = Compiled(follow.source(prefix="panda", dtype=dtype), tmp_path, dtype)
    q, v, held, aim = HOME, np.zeros(7), 0, X
    for k in range(150):
        aim = X.copy()
        aim[:3, 3] += 0.03 * np.array([np.sin(0.05 * k), np.cos(0.05 * k) - 1, 0.3 * (k > 60)])
        tick = follow.tick(q, v, [aim, HOME])
        assert code(q, aim, HOME, v) == 0
        assert np.abs(code.get("x") - tick.velocity).max() < SAME[dtype]
        held += bool(tick.active)
        q, v = tick.q, tick.velocity
    assert 10 < held < 140
    # the bounds of the first joint cross, as from outside of its limits
    assert code(q + 10 * np.eye(7)[0], aim, HOME, v) == 1


def test_the_body_of_an_arm(tmp_path: Path) -> None:
    model = panda()
    X = model.forward_kinematics(HOME + 0.2, "flange")
    tasks = [ik.PoseTask("flange", X), ik.PostureTask(HOME, 0.1)]
    effort = np.array([20.0, 60, 30, 60, 12, 12, 12])
    law = WholeBody(model, tasks, dt=0.002, velocity=1.0, effort=effort, acceleration_cost=1e-3)
    source = law.source()
    assert "effort of joint2" in source.header
    code = Compiled(source, tmp_path, "float64")
    q, v, seen = HOME, np.zeros(7), set()
    zero = np.zeros(6 + 7)
    for _ in range(300):
        tick = law.tick(q, v)
        assert code(q, v, X, HOME, zero, zero) == 0
        assert np.abs(code.get("x") - tick.acceleration).max() < 1e-5
        assert np.abs(code.get("effort") - tick.effort).max() < 1e-5
        seen |= {name.split()[0] for name in tick.active}
        v = v + 0.002 * tick.acceleration
        q = q + 0.002 * v
    assert "effort" in seen


@pytest.mark.filterwarnings("error")
def test_boxes_that_keep_apart(tmp_path: Path) -> None:
    arm = da.Builder("arm")
    parent = "world"
    for k, name in enumerate("abc"):
        arm.link(name, mass=1, inertia=(1, 1, 1))
        arm.revolute(f"j{name}", name, parent=parent, axis="zyy"[k], origin=(0, 0, 0.5 * (k > 0)))
        arm.shape(name, Box((0.07, 0.07, 0.4)), origin=(0, 0, 0.25))
        parent = name
    model = da.compile(arm.frame("tip", "c", origin=(0, 0, 0.5)).build())
    limits = [ik.JointLimits(), ik.Clearance(0.1, [("a", "c")])]
    # there the last link lies across the first
    task = ik.PoseTask("tip", model.forward_kinematics([0.1, 2.5, 2.5], "tip"))
    follow = ik.DifferentialIK(model, [task], dt=0.01, gain=0.2, velocity=1.0, limits=limits)
    code = Compiled(follow.source(), tmp_path, "float64")
    q, seen = np.array([0.1, 1.2, 1.2]), set()
    for _ in range(300):
        tick = follow.tick(q)
        assert code(q, np.array(task.target), np.zeros(3)) == 0
        assert np.abs(code.get("x") - tick.velocity).max() < SAME["float64"]
        q, seen = tick.q, seen | set(tick.active)
    assert "distance of a and c" in seen


def test_priorities_are_refused() -> None:
    model = panda()
    tasks = [ik.PositionTask("flange", [0.3, 0, 0.5]), ik.PostureTask(HOME, priority=1)]
    follow = ik.DifferentialIK(model, tasks, dt=0.01)
    with pytest.raises(da.EvaluationError, match="tasks of one priority for C, got several"):
        follow.source()
