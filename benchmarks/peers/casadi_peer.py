"""CasADi on dalembert's own recursions: its virtual machine, and the C that it generates.

The recursions run over `casadi.SX`, so CasADi has the same algorithms and removes common
subexpressions; derivatives are its own automatic ones.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.bodies import bodies
from benchmarks.build import shared_library
from benchmarks.peers.base import Array, Case, Unavailable
from dalembert.mechanism import Mechanism
from dalembert.recursions.dynamics.articulated import forward_dynamics
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.kinematics import forward_kinematics, jacobian
from dalembert.recursions.tree import Tree

# beyond these CasADi or the C compiler needs minutes
MAX_DERIVATIVES = 14
MAX_INSTRUCTIONS_C = 20_000
POINTER = ctypes.POINTER(ctypes.c_double)
# a loop over states around the generated function `f`
LOOP = """
__attribute__((visibility("default")))
void bench_run(int passes, int count, int inputs, const int *sizes, const double **data,
               double **res, casadi_int *iw, double *w) {
  const double *arg[64];
  for (int k = 0; k < passes; ++k)
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < inputs; ++j) arg[j] = data[j] + i * sizes[j];
      f(arg, res, iw, w, 0);
    }
}
"""


def import_casadi() -> Any:
    """Return the module, told that arrays of its own are meant."""
    try:
        import casadi
    except ImportError:
        raise Unavailable('no casadi: pip install "casadi>=3.7"') from None
    # newer versions ask which result a NumPy function of a symbol shall have
    if hasattr(casadi.GlobalOptions, "setNumpyMode"):
        casadi.GlobalOptions.setNumpyMode(1)
    return casadi


def functions(mechanism: Mechanism) -> dict[str, Any]:
    """Return a `casadi.Function` for each task."""
    ca = import_casadi()
    tree = Tree.of(mechanism).map(float)
    last = mechanism.joint(bodies(mechanism)[-1].name).child
    q, v, a, tau = (
        ca.SX.sym(name, n)
        for name, n in (("q", tree.nq), ("v", tree.nv), ("a", tree.nv), ("t", tree.nv))
    )
    qs, vs, accelerations, forces = (ca.vertsplit(x) for x in (q, v, a, tau))
    torque = ca.vertcat(*inverse_dynamics(tree, qs, vs, accelerations))
    acceleration = ca.vertcat(*forward_dynamics(tree, qs, vs, forces))
    M = ca.vertcat(*(ca.horzcat(*row) for row in mass_matrix(tree, qs)))
    poses = forward_kinematics(tree, qs)
    # the last body last
    numbers = [n for name, n in tree.numbers.items() if n and name != last] + [tree.numbers[last]]
    X = ca.horzcat(*(ca.vertcat(*poses[n].p, *sum(poses[n].R, ())) for n in numbers))
    J = ca.horzcat(*(ca.vertcat(*u, *w) for u, w in jacobian(tree, qs, last)))
    made = {
        "inverse_dynamics": ([q, v, a], [torque]),
        "mass_matrix": ([q], [M]),
        "forward_dynamics": ([q, v, tau], [acceleration]),
        "forward_kinematics": ([q], [X]),
        "jacobian": ([q], [J]),
    }
    # quaternions have a tangent that CasADi does not know
    if tree.nq == tree.nv <= MAX_DERIVATIVES:
        for name, (inputs, (result,)) in list(made.items()):
            if name in ("inverse_dynamics", "forward_dynamics"):
                rates = [ca.jacobian(result, x) for x in (q, v)]
                made[f"{name}_derivatives"] = (inputs, rates)
    return {
        name: ca.Function("f", inputs, [ca.densify(x) for x in outputs], {"cse": True})
        for name, (inputs, outputs) in made.items()
    }


def _inputs(case: Case, task: str) -> list[Array]:
    q, v, a, tau = map(np.ascontiguousarray, case.states)
    if task in ("mass_matrix", "forward_kinematics", "jacobian"):
        return [q]
    return [q, v, tau if task.startswith("forward_dynamics") else a]


def _gathered(task: str, parts: Sequence[Array]) -> Array:
    """Return outputs in our shape from CasADi's columns."""
    if task.endswith("_derivatives"):
        return np.array([x.T for x in parts])
    if task == "forward_kinematics":
        return parts[0][-1, :3]
    return parts[0].T if task in ("mass_matrix", "jacobian") else parts[0].ravel()


class CasadiMachine:
    """The virtual machine: one call of a map over all states, without Python in between."""

    name = "CasADi VM"

    def __init__(self, case: Case, made: dict[str, Any]) -> None:
        self.count = len(case.states.q)
        self.tasks = tuple(made)
        self.calls: dict[str, tuple[Any, Any, list[Array], list[Array]]] = {}
        for task, f in made.items():
            buffer, call = f.map(self.count).buffer()
            inputs = _inputs(case, task)
            # columns of one state after the other
            outputs = [
                np.zeros((self.count, f.size2_out(k), f.size1_out(k))) for k in range(f.n_out())
            ]
            for k, x in enumerate(inputs):
                buffer.set_arg(k, x.data)
            for k, x in enumerate(outputs):
                buffer.set_res(k, x.data)
            self.calls[task] = (buffer, call, inputs, outputs)

    def run(self, task: str, passes: int) -> int:
        call = self.calls[task][1]
        for _ in range(passes):
            call()
        return passes * self.count

    def result(self, task: str, state: int) -> Array:
        self.calls[task][1]()
        return _gathered(task, [x[state] for x in self.calls[task][3]])


class CasadiC:
    """The generated C, compiled like the others and called in a loop in C."""

    name = "CasADi C"

    def __init__(
        self,
        case: Case,
        made: dict[str, Any],
        announce: Callable[[str], None] = lambda message: None,
    ) -> None:
        self.case = case
        self.functions = {
            task: f for task, f in made.items() if f.n_instructions() <= MAX_INSTRUCTIONS_C
        }
        self.tasks = tuple(self.functions)
        self.libraries = {
            task: self._load(
                task, f, lambda _, task=task: announce(f"compiling CasADi's C: {task}")
            )
            for task, f in self.functions.items()
        }

    def _load(self, task: str, f: Any, announce: Callable[[str], None]) -> ctypes.CDLL:
        generator = import_casadi().CodeGenerator("f.c")
        generator.add(f)
        library = shared_library(
            "casadi", generator.dump() + LOOP, language="c", flags=["-lm"], announce=announce
        )
        return library

    def _run(self, task: str, passes: int, states: slice) -> tuple[int, list[Array]]:
        f = self.functions[task]
        inputs = [x[states] for x in _inputs(self.case, task)]
        outputs = [np.zeros((f.size2_out(k), f.size1_out(k))) for k in range(f.n_out())]
        sizes = (ctypes.c_int * len(inputs))(*(x.shape[1] for x in inputs))
        data, results = (
            (POINTER * len(arrays))(*(x.ctypes.data_as(POINTER) for x in arrays))
            for arrays in (inputs, outputs)
        )
        iw = (ctypes.c_longlong * max(1, f.sz_iw()))()
        w = (ctypes.c_double * max(1, f.sz_w()))()
        self.libraries[task].bench_run(
            passes, len(inputs[0]), len(inputs), sizes, data, results, iw, w
        )
        return passes * len(inputs[0]), outputs

    def run(self, task: str, passes: int) -> int:
        return self._run(task, passes, slice(None))[0]

    def result(self, task: str, state: int) -> Array:
        return _gathered(task, self._run(task, 1, slice(state, state + 1))[1])
