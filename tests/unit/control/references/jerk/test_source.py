"""Motions of limited jerk in C: they are those of Python."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np

from dalembert.kernel.backends.c.build import find_compiler
from tests.unit.control.references.jerk.problems import asked, problems

FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", "-pedantic"]


def test_motions_in_c(tmp_path: Path, rng: np.random.Generator) -> None:
    limits, start, end = asked(problems(rng, 30)[:5])
    _, text = limits.source(prefix="arm").save(tmp_path)
    library = tmp_path / "arm.so"
    command = [find_compiler(), *FLAGS, "-fPIC", "-shared", str(text), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    code = ctypes.CDLL(str(library))

    class ArmMotion(ctypes.Structure):
        _fields_ = (
            ("duration", ctypes.c_double),
            ("asked", ctypes.c_double * 9 * 5),
            ("plan", ctypes.c_double * 20 * 5),
        )

    reference, found = limits.motion(start, end), ArmMotion()
    np.ctypeslib.as_array(found.asked)[:] = reference.asked[:5]
    code.arm_move(ctypes.byref(found), ctypes.c_double(0.0))
    assert abs(found.duration - reference.duration) < 1e-12 * reference.duration
    p, v, a = (np.zeros(5) for _ in range(3))
    for t in np.linspace(0, reference.duration, 20):
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (p, v, a)]
        code.arm_at(ctypes.byref(found), ctypes.c_double(t), *pointers)
        for x, y in zip((p, v, a), reference.at(np.array(t)), strict=True):
            assert np.abs(x - y).max() < 1e-9
