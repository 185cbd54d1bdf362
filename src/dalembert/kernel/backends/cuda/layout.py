"""Where the numbers of a batch of arrays lie: two distances for each array."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from dalembert.errors import EvaluationError
from dalembert.kernel.program.program import Port


class Layout(NamedTuple):
    """Sample i, place k of an array lies i · batch + k · step numbers behind its first."""

    batch: int
    step: int

    def is_packed(self, port: Port) -> bool:
        """Tell whether the samples follow one another without gaps."""
        return port.size > 1 and self == (port.size, 1)


def layout(
    shape: Sequence[int], strides: Sequence[int], port: Port, batch: Sequence[int], where: str
) -> Layout:
    """Return the layout of an array within a batch; strides count numbers.

    Raises:
        EvaluationError: the batch axes, or the port's own, are not evenly spaced.
    """
    rank = len(port.shape)
    outer = len(shape) - rank
    # an axis of length one is repeated: distance zero
    missing = [0] * (len(batch) - outer)
    leading = [0 if n == 1 else s for n, s in zip(shape[:outer], strides[:outer], strict=True)]
    inner = merged(port.shape, strides[outer:])
    samples = merged(batch, missing + leading)
    if math.prod(batch) == 0:
        return Layout(0, 0)
    if inner is None or samples is None:
        raise EvaluationError(
            f"expected evenly spaced samples for {port.name} of {where}, got shape {tuple(shape)} "
            f"with strides {tuple(strides)} in a batch {tuple(batch)}: make it contiguous first"
        )
    return Layout(samples, inner)


def merged(shape: Sequence[int], strides: Sequence[int]) -> int | None:
    """Return the distance of neighbours when axes are read as one; None if it varies.

    >>> merged((2, 3), (3, 1)), merged((2, 3), (1, 2)), merged((), ())
    (1, None, 0)
    """
    axes = [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
    if not axes:
        return 0
    for (_, outer), (n, inner) in itertools.pairwise(axes):
        if outer != n * inner:
            return None
    return axes[-1][1]
