"""Programs with more values than a thread has registers, as several kernels.

One kernel would keep the values in local memory, whose traffic bounds the time, and its code would
not fit into the cache of instructions. So rows of the outputs get kernels of their own; where these
would compute too much twice, kernels hand values on through memory of the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.kernel.backends.c.reals import real_type
from dalembert.kernel.backends.cuda.layout import Layout
from dalembert.kernel.backends.cuda.plan import access
from dalembert.kernel.backends.cuda.split.links import Link
from dalembert.kernel.backends.cuda.split.segments import segments_of
from dalembert.kernel.backends.cuda.split.slices import slices_of
from dalembert.kernel.program.liveness import live_counts
from dalembert.kernel.program.program import Program

MOST_BYTES_ALIVE = 1200
"""Bytes of values alive at once above which a program is split."""
MOST_TWICE = 3
"""How often the work of a program may be done in slices; else values are handed on."""


class Sizes(NamedTuple):
    """Instructions and different results of one kernel; instructions where it hands on values."""

    work: int
    results: int
    segment: int


SIZES = {"float32": Sizes(5000, 160, 3200), "float64": Sizes(5000, 110, 2500)}
"""The best of those tried on an H200 with a humanoid."""


class Split(NamedTuple):
    """Kernels to run one after the other; how many values of a sample they hand on."""

    links: tuple[Link, ...]
    num_values: int


def split(program: Program, dtype: str) -> Split | None:
    """Return the kernels of a program; None where one does better."""
    sizes = SIZES[dtype]
    # slices of a short program do most of it again (Panda, forward dynamics by float32: 0.4 ns,
    # in slices 2)
    if len(program.code) <= sizes.work:
        return None
    alive = max(live_counts(program), default=0)
    if alive * real_type(dtype).size <= MOST_BYTES_ALIVE:
        return None
    slices = slices_of(program, sizes.work, sizes.results)
    if len(slices) == 1:
        return None
    if sum(part.work for part in slices) <= MOST_TWICE * len(program.code):
        return Split(tuple(part.link(program) for part in slices), 0)
    links, num_values = segments_of(program, sizes.segment, sizes.results)
    return Split(tuple(links), num_values)


def ways_of(link: Link, layouts: Sequence[Layout]) -> tuple[str, ...]:
    """Return how a kernel reaches its ports; rows of outputs lie among others."""
    ways = access(link.program, layouts)
    inputs = ["tiled" if k is None else way for k, way in zip(link.inputs, ways, strict=False)]
    return (*inputs, *("tiled" if k is None else "slots" for k, _ in link.outputs))
