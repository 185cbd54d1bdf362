"""Loops over numpy arrays: the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.kernel.call.loop import LoopKernel, LoopRun, run_reference
from dalembert.kernel.call.loop_arguments import loop_arguments

if TYPE_CHECKING:
    from dalembert.types import ArrayLike


class NumpyLoop(LoopKernel):
    """One numpy operation for each instruction of each step."""

    def __call__(self, *arrays: ArrayLike, steps: int, record: int = 0) -> LoopRun:
        """Run the steps."""
        given = loop_arguments(self.loop, arrays, steps, record).arrays
        with np.errstate(all="ignore"):
            outputs, count, records = run_reference(self.loop, given, steps, record)
        is_finite = all(bool(np.isfinite(o).all()) for o in outputs)
        return LoopRun(outputs, count, records, is_finite)
