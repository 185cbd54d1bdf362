"""Unit quaternions among the inputs of a function: a rotation is asked for, not four numbers.

Code for this processor marks samples with other quaternions as it marks results that are not
finite, at the cost of nine instructions for all samples side by side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.kernel.program.program import Program

UNIT_SQUARE = 1e-5
"""How far a sum of four squares may be from 1, as entries of a rotation matrix may be off: six
decimals, each rounded by up to 5e-7, leave up to 2e-6."""


def check_units(program: Program, arrays: Sequence[np.ndarray]) -> None:
    """Raise for an input with a quaternion of another length than one.

    Complex numbers are not checked: the length of a complex step is not one.

    Raises:
        EvaluationError: names the place and the length.
    """
    for number, place in program.units:
        array, port = arrays[number], program.inputs[number]
        part = array[..., place : place + 4]
        if part.dtype.kind == "c":
            continue
        square = np.einsum("...k,...k", part, part)
        # what is not finite is told as such elsewhere
        far = np.asarray((np.abs(square - 1) > UNIT_SQUARE) & np.isfinite(square))
        if far.any():
            where = tuple(int(k) for k in np.argwhere(far)[0])
            of = f" of sample {list(where)}" if where else ""
            raise EvaluationError(
                f"expected a unit quaternion in {port.name}[{place}:{place + 4}]{of} of "
                f"{program.name}, got the length {float(square[where]) ** 0.5:.7g}: "
                "model.configuration.normalized scales it"
            )
