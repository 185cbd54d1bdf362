"""Implicit steps solved inside one kernel: sweeps that go on until changes no longer shrink.

The same iteration as `rounding.iterate`, compiled: a loop whose program is one sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.expr import Expr, abs_, as_expr, parameters, sign
from dalembert.simulation.methods.rounding import MAX_SWEEPS, ROUNDING, SMALL, not_converged

if TYPE_CHECKING:
    from dalembert.simulation.problem.problem import Problem

# larger than any change
LARGE = 1e300


class Sweep(NamedTuple):
    """One sweep as expressions: the unknowns after it, and what is wanted of them at the end.

    ``inputs`` are symbols by name, ``sizes`` the changes beside the size of what changes.
    """

    unknowns: Sequence[Expr] | Sequence[Sequence[Expr]]
    new: Sequence[Expr] | Sequence[Sequence[Expr]]
    wanted: Sequence[Expr]
    sizes: Sequence[Expr]
    inputs: Mapping[str, Sequence[Expr]]


class Sweeps:
    """Compiled sweeps: a call with the arrays of the inputs returns the unknowns, and the wanted.

    Args:
        problem: Whose model compiles them.
        name: Of the method, with its options.
        make: Returns the sweep; called once for a model and a law.
    """

    def __init__(self, problem: Problem, name: str, make: Callable[[], Sweep]) -> None:
        self.name = name
        key = (f"sweeps of {name}", problem.forcing.law)
        self._run = problem.model.once(key, lambda: _compiled(problem, name, make()))
        constant = problem.forcing.constant
        self._constants = () if problem.forcing.law is not None else (np.asarray(constant),)
        self._last = np.array([LARGE])

    def solve(self, unknowns: np.ndarray, *arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the unknowns that a sweep no longer changes, and what is wanted of them.

        Raises:
            EvaluationError: the changes do not become small.
        """
        found = self._run(unknowns, self._last, *arrays, *self._constants)
        if found is None:
            raise not_converged(float("nan"), self.name)
        new, last, wanted, goes_on, _ = found
        if goes_on > 0:
            raise not_converged(float(last[0]), self.name)
        return new, wanted


def can_sweep(problem: Problem) -> bool:
    """Tell whether the forces of a motion without constraints are known to compiled loops."""
    has_forces = problem.forcing.law is not None or problem.forcing.constant is not None
    is_free = problem.constraints is None and problem.modes is None
    return is_free and has_forces and problem.model.backend == "llvm"


def _compiled(problem: Problem, name: str, sweep: Sweep) -> Callable[..., tuple[np.ndarray, ...]]:
    (last,) = parameters("last_change")
    change = sum((abs_(x) for x in sweep.sizes), as_expr(0))
    outputs = {
        "new": list(sweep.new),
        "change": [change],
        "wanted": list(sweep.wanted),
        "goes_on": _goes_on(change, last),
    }
    inputs = {"unknowns": list(sweep.unknowns), "last": [last]}
    inputs |= {key: list(symbols) for key, symbols in sweep.inputs.items()}
    if problem.forcing.law is None:
        inputs["tau"] = list(problem.model.symbols.inputs)
    carried = {"new": "unknowns", "change": "last"}
    loop = problem.model.loop(outputs, inputs, carried, stop="goes_on", name=name)
    return loop.with_fast_calls(MAX_SWEEPS, lambda *arrays: None)


def _goes_on(change: Expr, last: Expr) -> Expr:
    """Return what is positive unless the change is rounding, or small and no longer shrinks."""
    counts, shrinks, is_large = (
        sign(x) + abs_(sign(x)) for x in (change - ROUNDING, last - change, change - SMALL)
    )
    return counts * (shrinks + is_large)
