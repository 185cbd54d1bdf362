"""Pinocchio in C++, compiled here with -O3 -march=native from the headers of the `pin` wheel."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import process_time_ns

import numpy as np

from benchmarks.bodies import Body, bodies
from benchmarks.build import shared_library
from benchmarks.peers.base import TASKS, Array, Case, Unavailable
from benchmarks.peers.pinocchio_python import Layout, import_pinocchio, pinocchio_model
from dalembert.mechanism import JointKind

SOURCE = Path(__file__).with_name("pinocchio_bench.cpp")
CLIK = Path(__file__).with_name("pinocchio_clik.cpp")
FRAMES = Path(__file__).with_name("pinocchio_frames.cpp")
# Boost's preprocessed headers end at 20 joint types; Pinocchio has more
BOOST = (
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
)
EIGEN = (Path("/usr/include/eigen3"), Path("/usr/local/include/eigen3"))
# the numbers of the algorithms in the source, LOCAL and WORLD where Pinocchio has two conventions
ALGORITHMS = {
    "inverse_dynamics": (0,),
    "mass_matrix": (1, 2),
    "forward_dynamics": (3, 4),
    "inverse_dynamics_derivatives": (5,),
    "forward_dynamics_derivatives": (6,),
    "forward_kinematics": (7,),
    "jacobian": (8,),
}
TRIALS = 20
POINTER = ctypes.POINTER(ctypes.c_double)
FOUR_MINUTES = "Pinocchio's C++ (about four minutes, once)"


def load_library(announce: Callable[[str], None]) -> ctypes.CDLL:
    """Return the compiled algorithms."""
    library = _compiled("pinocchio", SOURCE, lambda message: announce(f"compiling {FOUR_MINUTES}"))
    library.bench_create.restype = ctypes.c_void_p
    return library


def load_clik(announce: Callable[[str], None]) -> ctypes.CDLL:
    """Return the compiled inverse kinematics."""
    library = _compiled("pinocchio_clik", CLIK, announce)
    library.clik_create.restype = ctypes.c_void_p
    return library


def load_frames(announce: Callable[[str], None]) -> ctypes.CDLL:
    """Return the compiled kinematics of frames."""
    library = _compiled("pinocchio_frames", FRAMES, announce)
    library.frames_create.restype = ctypes.c_void_p
    library.frames_run.restype = ctypes.c_double
    return library


def _compiled(name: str, source: Path, announce: Callable[[str], None]) -> ctypes.CDLL:
    # environments that are links to one another share what was compiled
    include = Path(import_pinocchio().__file__).resolve().parents[4] / "include"
    if not (include / "pinocchio" / "multibody.hpp").exists():
        raise Unavailable('pinocchio has no headers here: pip install "pin==4.1.*" brings them')
    eigen = next((path for path in EIGEN if (path / "Eigen").exists()), None)
    if eigen is None:
        raise Unavailable("no Eigen headers: apt-get install libeigen3-dev")
    try:
        key = f"libpinocchio {version('libpinocchio')}"
    except PackageNotFoundError:
        key = import_pinocchio().__version__
    headers = [f"-isystem{include}", f"-isystem{eigen}"]
    return shared_library(
        name,
        source.read_text(encoding="utf-8"),
        language="c++",
        flags=["-std=c++17", "-fno-gnu-unique", *BOOST, *headers],
        key=key,
        announce=announce,
    )


class PinocchioCpp:
    """Loops over the states in C++, with one `Data` that is made once."""

    name = "Pinocchio C++"
    tasks = tuple(TASKS)

    def __init__(self, case: Case, announce: Callable[[str], None] = lambda message: None) -> None:
        self.library = load_library(announce)
        self.count = len(case.states.q)
        self.layout = Layout(case.mechanism, pinocchio_model(case.mechanism))
        tree = bodies(case.mechanism)
        self.nv = case.mechanism.nv
        rows = np.array([_row(body) for body in tree])
        parents = (ctypes.c_int * len(tree))(*(body.parent for body in tree))
        kinds = (ctypes.c_int * len(tree))(*(joint_number(body) for body in tree))
        gravity = np.array(case.mechanism.gravity, dtype=float)
        address = self.library.bench_create(
            len(tree), parents, kinds, pointer_to(rows), pointer_to(gravity)
        )
        self.bench = ctypes.c_void_p(address)
        self.chosen: dict[str, int] = {}
        states = [np.ascontiguousarray(x) for x in self.layout.states(case.states)]
        self.library.bench_states(self.bench, len(states[0]), *map(pointer_to, states))

    def __del__(self) -> None:
        if hasattr(self, "bench"):
            self.library.bench_free(self.bench)

    def _algorithm(self, task: str) -> int:
        """Return the faster convention for this robot, found by a trial."""
        if task not in self.chosen:
            numbers = ALGORITHMS[task]
            self.chosen[task] = min(numbers, key=self._trial) if len(numbers) > 1 else numbers[0]
        return self.chosen[task]

    def _trial(self, algorithm: int) -> int:
        times = []
        for _ in range(TRIALS):
            start = process_time_ns()
            self.library.bench_run(self.bench, algorithm, 1)
            times.append(process_time_ns() - start)
        return min(times)

    def run(self, task: str, passes: int) -> int:
        self.library.bench_run(self.bench, self._algorithm(task), passes)
        return passes * self.count

    def result(self, task: str, state: int) -> Array:
        n = self.nv
        shapes = {
            "mass_matrix": (n, n),
            "inverse_dynamics_derivatives": (2, n, n),
            "forward_dynamics_derivatives": (2, n, n),
            "forward_kinematics": (3,),
            "jacobian": (6, n),
        }
        out = np.empty(shapes.get(task, (n,)))
        self.library.bench_result(self.bench, self._algorithm(task), state, pointer_to(out))
        return self.layout.back(task, out)


def _row(body: Body) -> Array:
    numbers = (body.rotation, body.translation, body.mass, body.com, body.inertia, body.armature)
    return np.concatenate([np.ravel(x) for x in numbers])


def joint_number(body: Body) -> int:
    """Return the number of the joint type in the source."""
    first = {
        JointKind.REVOLUTE: 0,
        JointKind.PRISMATIC: 3,
        JointKind.SPHERICAL: 6,
        JointKind.FLOATING: 7,
    }
    scalar = body.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC)
    return first[body.kind] + (body.axis if scalar else 0)


def pointer_to(x: Array) -> ctypes._Pointer[ctypes.c_double]:
    return x.ctypes.data_as(POINTER)
