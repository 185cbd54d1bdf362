"""The solver daqp behind `Solver`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.optional import require
from dalembert.quadratic.solver import Solver

if TYPE_CHECKING:
    from dalembert.quadratic.program import Program
    from dalembert.types import Array

EQUALITY = 5
"""How daqp marks a row whose two bounds are equal."""


class Daqp(Solver):
    """The active-set solver daqp, which keeps its memory and starts from the last active set.

    D. Arnström, A. Bemporad and D. Axehill, IEEE Transactions on Automatic Control 67 (2022).
    """

    def __init__(self) -> None:
        self._daqp: Any = require("daqp", "quadratic programs")
        self._model: Any = None
        self._shape: tuple[object, ...] = ()
        # daqp reads these arrays again when it solves
        self._held: tuple[Array, ...] = ()

    def solve(self, program: Program) -> Array | None:
        H, f, A, lower, upper, _ = program
        if np.count_nonzero(lower > upper):
            return None
        equal = lower == upper
        # the same shape and the same equations: only numbers change
        shape = (A.shape, equal.tobytes())
        if self._model is not None and shape == self._shape:
            self._held = (H, f, A, upper, lower)
            # without senses the last active set is where it starts
            self._model.update(H, f, A if len(A) else None, upper, lower)
            x = self._run()
            if x is not None:
                return x
        # from scratch: the last active set may have led astray
        sense = np.where(equal, EQUALITY, 0).astype(np.int32)
        self._model, self._shape = self._daqp.Model(), shape
        self._held = (H, f, A, upper, lower, sense)
        status, _ = self._model.setup(H, f, A, upper, lower, sense)
        return self._run() if status is None or status >= 0 else self._forget()

    def _run(self) -> Array | None:
        x, _, flag, _ = self._model.solve()
        return np.array(x) if flag > 0 else self._forget()

    def _forget(self) -> None:
        self._model = None
