"""Shapes and layouts of a call's arrays, checked, and how the kernel reaches their memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.c.reals import real_type
from dalembert.kernel.backends.cuda.layout import Layout, layout
from dalembert.kernel.call.arguments import common_batch
from dalembert.kernel.program.program import Port, Program

LARGE = 64
"""Numbers of an output above which it is written by slots."""


class View(NamedTuple):
    """Memory of an array on the device; strides count numbers, ``owner`` keeps it alive."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    owner: Any

    @property
    def key(self) -> tuple[Any, ...]:
        """Everything that a plan depends on."""
        return self[1:4]


class Plan(NamedTuple):
    """The batch of a call, where its inputs lie, and whether new outputs have the batch last."""

    batch: tuple[int, ...]
    layouts: tuple[Layout, ...]
    batch_last: bool


def plan_inputs(program: Program, dtype: str, views: Sequence[View]) -> Plan:
    """Return the plan for these inputs.

    Raises:
        EvaluationError: another dtype or shape, or samples that are not evenly spaced.
    """
    for view, port in zip(views, program.inputs, strict=True):
        check_dtype(view, port, program, dtype)
    batch = common_batch([view.shape for view in views], program.inputs, program.name)
    layouts = tuple(
        layout(view.shape, view.strides, port, batch, program.name)
        for view, port in zip(views, program.inputs, strict=True)
    )
    # outputs lie as the first batched input does
    model = next((at for at in layouts if at.batch), None)
    batch_last = len(batch) == 1 and model is not None and model.batch == 1 < model.step
    return Plan(batch, layouts, batch_last)


def plan_output(
    program: Program, dtype: str, view: View, port: Port, batch: tuple[int, ...]
) -> Layout:
    """Return where an output lies.

    Raises:
        EvaluationError: another dtype or shape, or numbers that share memory.
    """
    check_dtype(view, port, program, dtype)
    shape = (*batch, *port.shape)
    if view.shape == shape:
        place = layout(view.shape, view.strides, port, batch, program.name)
        numbers = [(math.prod(batch), place.batch), (port.size, place.step)]
        if math.prod(shape) == 0 or _is_injective(numbers):
            return place
    raise EvaluationError(
        f"expected out= for {port.name} of {program.name} with shape {shape} and a place of its "
        f"own for every number, got shape {view.shape} with strides {view.strides}"
    )


def check_apart(
    program: Program, dtype: str, views: Sequence[View], targets: Sequence[View]
) -> None:
    """Raise where an output lies in the memory of an input, or of another output.

    Threads write while others still read.

    Raises:
        EvaluationError: two arrays share memory, or may do so.
    """
    size = real_type(dtype).size
    names = [port.name for port in (*program.inputs, *program.outputs)]
    arrays = [*views, *targets]
    for k in range(len(views), len(arrays)):
        for other in range(k):
            if not _are_apart(arrays[k], arrays[other], size):
                raise EvaluationError(
                    f"expected out= for {names[k]} of {program.name} with memory of its own, got "
                    f"an array that shares some with {names[other]}: give another array, or copy "
                    f"{names[other]} first"
                )


def access(program: Program, layouts: Sequence[Layout]) -> tuple[str, ...]:
    """Return how the kernel reaches each port, as `cuda_source` takes it.

    What all samples share is in the cache anyway.
    """
    n = len(program.inputs)
    inputs = [
        "rows" if at.is_packed(port) else "staged" if at.batch else "direct"
        for at, port in zip(layouts[:n], program.inputs, strict=True)
    ]
    outputs = [
        "slots" if port.size > LARGE else "rows" if at.is_packed(port) else "direct"
        for at, port in zip(layouts[n:], program.outputs, strict=True)
    ]
    return (*inputs, *outputs)


def check_dtype(view: View, port: Port, program: Program, dtype: str) -> None:
    """Raise for an array of another dtype."""
    if view.dtype != dtype:
        raise EvaluationError(
            f"expected {dtype} for {port.name} of {program.name}, got {view.dtype}: convert it, or "
            f"compile the kernel with dtype={view.dtype!r}"
        )


def _are_apart(a: View, b: View, size: int) -> bool:
    """Tell whether two arrays share no memory; where that is hard to see, say no."""
    if 0 in a.shape or 0 in b.shape:
        return True
    (first, last), (start, end) = _extent(a, size), _extent(b, size)
    if last < start or end < first:
        return True
    # columns of one matrix: rows at the same distance, between which the others lie
    if not a.shape or not b.shape or a.strides[0] != b.strides[0]:
        return False
    row = abs(a.strides[0]) * size
    a, b = (View(x.address, x.shape[1:], x.strides[1:], x.dtype, None) for x in (a, b))
    (first, last), (start, end) = _extent(a, size), _extent(b, size)
    return row > 0 and (first - start) % row > end - start and (start - first) % row > last - first


def _extent(view: View, size: int) -> tuple[int, int]:
    """Return the addresses of the first and the last byte."""
    reach = [(n - 1) * stride * size for n, stride in zip(view.shape, view.strides, strict=True)]
    return view.address + sum(min(0, x) for x in reach), view.address + size - 1 + sum(
        max(0, x) for x in reach
    )


def _is_injective(axes: Sequence[tuple[int, int]]) -> bool:
    """Tell whether different indices are different places: each axis steps over the inner ones."""
    reach = 0
    for stride, n in sorted((abs(s), n) for n, s in axes if n > 1):
        if stride <= reach:
            return False
        reach += stride * (n - 1)
    return True
