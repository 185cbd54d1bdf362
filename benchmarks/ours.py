"""dalembert's own side: the one place that knows its kernels.

Four ways to the same numbers: a batch on one core in double and in single precision, states one by
one in compiled code, and one call at a time from Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

import dalembert as da
from benchmarks.bodies import bodies
from benchmarks.peers.base import MAIN_TASKS, Array, Case, Unavailable, call_all
from dalembert.mechanism import Mechanism

ARGUMENTS = {
    "inverse_dynamics": ("q", "v", "a"),
    "mass_matrix": ("q",),
    "forward_dynamics": ("q", "v", "tau"),
    "inverse_dynamics_derivatives": ("q", "v", "a"),
    "forward_dynamics_derivatives": ("q", "v", "tau"),
    "forward_kinematics": ("q",),
    "jacobian": ("q",),
}
"""Functions of the model, with what they take."""
# large enough that calling it costs nothing, small enough to stay in the caches as the peers do,
# which write every result to the same place
BATCH = 4096
BATCH_BYTES = 1 << 20
THREADED_BATCH = 1 << 20


def compile_model(mechanism: Mechanism, **options: Any) -> Any:
    """Return the compiled model of the rigid bodies alone: the peers have no friction either."""
    make: Callable[..., Any] | None = getattr(da, "compile", None)
    if make is None:
        raise Unavailable("dalembert has no compile here")
    return make(mechanism, passive=False, **options)


MANY = 40
"""Freedoms up to which derivatives are compiled."""


def is_compiled(task: str, freedoms: int) -> bool:
    """Straight-line derivatives of a long chain would have millions of operations."""
    return freedoms <= MANY or not task.endswith("_derivatives")


def compiled_tasks(mechanism: Mechanism) -> list[str]:
    """Return the main tasks that are compiled for a mechanism."""
    return [task for task in MAIN_TASKS if is_compiled(task, mechanism.nv)]


class _Ours:
    """What the ways share."""

    def __init__(self, case: Case, model: Any) -> None:
        self.case = case
        self.model = model
        self.last = case.mechanism.joint(bodies(case.mechanism)[-1].name).child
        self.options = {"jacobian": {"frame": self.last}}
        self.kernels = {
            task: model.kernel(task, **self.options.get(task, {}))
            for task in ARGUMENTS
            if hasattr(model, task) and is_compiled(task, model.nv)
        }
        self.tasks: Sequence[str] = tuple(self.kernels)

    def arguments(self, task: str) -> list[Array]:
        """Return the states of all samples, as the kernel takes them."""
        states, dtype = self.case.states, self.model.dtype
        return [np.ascontiguousarray(getattr(states, x), dtype) for x in ARGUMENTS[task]]

    def gathered(self, task: str, outputs: Sequence[Array]) -> Array:
        """Return the outputs for one state as the engines give them."""
        if task.endswith("_derivatives"):
            # the third is M or its inverse
            return np.array(outputs[:2])
        if task == "forward_kinematics":
            links = [link.name for link in self.case.mechanism.links]
            return outputs[0][links.index(self.last), :3, 3]
        return outputs[0]


class DalembertBatch(_Ours):
    """Many states in one call, one core."""

    name = "dalembert batch"

    def __init__(self, case: Case, model: Any) -> None:
        super().__init__(case, model)
        self.prepared: dict[str, tuple[list[Array], tuple[Array, ...]]] = {}

    def _prepare(self, task: str) -> tuple[list[Array], tuple[Array, ...]]:
        if task not in self.prepared:
            kernel, states = self.kernels[task], len(self.case.states.q)
            fitting = min(BATCH_BYTES // kernel.cost.bytes, BATCH)
            copies = max(1, fitting // states)
            inputs = [np.tile(x, (copies, 1)) for x in self.arguments(task)]
            rows, dtype = copies * states, self.model.dtype
            outputs = tuple(np.empty((rows, *port.shape), dtype) for port in kernel.outputs)
            self.prepared[task] = (inputs, outputs)
        return self.prepared[task]

    def run(self, task: str, passes: int) -> int:
        kernel = self.kernels[task]
        inputs, outputs = self._prepare(task)
        for _ in range(passes):
            kernel(*inputs, out=outputs)
        return passes * len(inputs[0])

    def result(self, task: str, state: int) -> Array:
        inputs, outputs = self._prepare(task)
        self.kernels[task](*inputs, out=outputs)
        return self.gathered(task, [x[state] for x in outputs])


class DalembertFloats(DalembertBatch):
    """Many states in one call, one core, in single precision: as many samples, half the bytes."""

    name = "dalembert float32"


class DalembertSingle(_Ours):
    """State after state by the code for one state, without Python in between."""

    name = "dalembert single"

    def __init__(self, case: Case, model: Any) -> None:
        super().__init__(case, model)
        self.tables = {task: self._table(task) for task in self.tasks}

    def _table(self, task: str) -> tuple[Any, list[Array], list[Array]]:
        """Return addresses and row strides as the entries of compiled code read them."""
        inputs = self.arguments(task)
        ports = self.kernels[task].outputs
        outputs = [np.empty((len(inputs[0]), *port.shape)) for port in ports]
        numbers = [k for x in (*inputs, *outputs) for k in (x.ctypes.data, x.strides[0])]
        return (ctypes.c_int64 * len(numbers))(*numbers), inputs, outputs

    def run(self, task: str, passes: int) -> int:
        run = self.kernels[task].single.run
        table, inputs, _ = self.tables[task]
        count = len(inputs[0])
        for _ in range(passes):
            run(table, 0, count)
        return passes * count

    def result(self, task: str, state: int) -> Array:
        table, inputs, outputs = self.tables[task]
        self.kernels[task].single.run(table, 0, len(inputs[0]))
        return self.gathered(task, [x[state] for x in outputs])


class DalembertPython(_Ours):
    """One call at a time from Python."""

    name = "dalembert Python"

    def __init__(self, case: Case, model: Any) -> None:
        super().__init__(case, model)
        self.rows = {task: list(zip(*self.arguments(task), strict=True)) for task in self.tasks}

    def function(self, task: str) -> Any:
        """Return the user's way in, as it is by now: the model's function, not the kernel."""
        method = getattr(self.model, task)
        return partial(method, **self.options[task]) if task in self.options else method

    def run(self, task: str, passes: int) -> int:
        return call_all(self.function(task), self.rows[task], passes)

    def result(self, task: str, state: int) -> Array:
        result = self.function(task)(*self.rows[task][state])
        return self.gathered(task, result if isinstance(result, tuple) else [result])


def thread_times(case: Case, counts: Sequence[int], rounds: int) -> dict[int, float]:
    """Return nanoseconds per sample of inverse dynamics on a large batch, by number of threads."""
    models = {count: compile_model(case.mechanism, threads=count) for count in counts}
    copies = THREADED_BATCH // len(case.states.q)
    inputs = [np.tile(x, (copies, 1)) for x in (case.states.q, case.states.v, case.states.a)]
    out = np.empty_like(inputs[1])
    best = dict.fromkeys(counts, float("inf"))
    for _ in range(rounds + 1):
        for count, model in models.items():
            start = perf_counter()
            model.kernel("inverse_dynamics")(*inputs, out=out)
            best[count] = min(best[count], 1e9 * (perf_counter() - start) / len(out))
    return best
