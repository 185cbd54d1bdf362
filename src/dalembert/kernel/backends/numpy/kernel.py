"""Programs over numpy arrays: the reference, for doubles and complex numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.kernel.backends.base import checked_dtype
from dalembert.kernel.call.arguments import checked_arrays
from dalembert.kernel.call.explain import check_inputs, explain
from dalembert.kernel.call.kernel import Kernel
from dalembert.kernel.call.units import check_units
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.reference import run

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


class NumpyKernel(Kernel):
    """One numpy operation for each instruction; complex arguments give complex-step derivatives."""

    def __init__(self, program: Program, dtype: str = "float64") -> None:
        super().__init__(program)
        self.dtype = checked_dtype(dtype)

    def __call__(self, *arrays: ArrayLike) -> Array:
        """Return the outputs.

        Raises:
            EvaluationError: a shape or type does not fit, or a result is not finite.
        """
        program = self.program
        is_double = self.dtype == "float64"
        checked, _ = checked_arrays(arrays, program, dtype=self.dtype, complex_too=is_double)
        check_inputs(program, checked)
        check_units(program, checked)
        with np.errstate(all="ignore"):
            results = run(program, checked)
        if not all(np.isfinite(result).all() for result in results):
            explain(program, checked)
        return self._returned(results)
