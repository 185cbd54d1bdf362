"""The kernels of one call: one, or several that share the work of a large program."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from dalembert.kernel.backends.cuda.arrays import require_cupy
from dalembert.kernel.backends.cuda.compiling import CompiledKernel, compile_kernel
from dalembert.kernel.backends.cuda.layout import Layout
from dalembert.kernel.backends.cuda.memory import WARP
from dalembert.kernel.backends.cuda.plan import access
from dalembert.kernel.backends.cuda.split.choose import Split, ways_of
from dalembert.kernel.backends.cuda.split.links import Link, Range
from dalembert.kernel.program.program import Program

CHUNK = 132 * 4 * 64
"""Samples between which kernels hand on values: a block of 64 threads for each of four places on
every multiprocessor of an H200."""
MAX_CHUNKS = 4096
MAX_BLOCKS = 2**31 - 1


class Place(NamedTuple):
    """Where an array of a kernel lies: in an array of the call from a number on.

    ``array`` counts inputs, then outputs; None are the values that kernels hand on.
    """

    array: int | None
    layout: Layout
    offset: int


class Step(NamedTuple):
    """A compiled kernel and its arrays."""

    compiled: CompiledKernel
    places: tuple[Place, ...]


class Launch(NamedTuple):
    """The steps of a call; ``width`` samples go through all of them before the next ones."""

    steps: tuple[Step, ...]
    width: int
    num_values: int

    @property
    def numbers(self) -> int:
        """How many numbers kernels hand on: of whole warps."""
        return self.num_values * -(-self.width // WARP) * WARP

    def start(
        self, addresses: Sequence[int], samples: int, flags: int, values: int, size: int
    ) -> None:
        """Start all kernels on the current stream.

        Args:
            addresses: Of the arrays of the call.
            samples: How many.
            flags: Address of a word for each chunk of samples.
            values: Address of the memory for ``numbers`` numbers.
            size: Bytes of a number.
        """
        for number, start in enumerate(range(0, samples, self.width)):
            count = min(self.width, samples - start)
            for (kernel, threads, shared), places in self.steps:
                arguments: list[int] = []
                for array, place, offset in places:
                    first = (
                        values if array is None else addresses[array] + size * start * place.batch
                    )
                    arguments += [first + size * offset, place.batch, place.step]
                arguments += [count, flags + 8 * number]
                blocks = min(-(-count // threads), MAX_BLOCKS)
                kernel((blocks,), (threads,), arguments, shared_mem=shared)


def plan_steps(
    program: Program,
    split: Split | None,
    layouts: Sequence[Layout],
    samples: int,
    compiled: Callable[[Sequence[tuple[Program, tuple[str, ...]]]], Sequence[CompiledKernel]],
) -> Launch:
    """Return the steps for arrays that lie so; ``compiled`` gives the kernels of programs."""
    num_values = 0 if split is None else split.num_values
    width = max(1, min(CHUNK, samples) if num_values else samples)
    links = [_whole(program)] if split is None else split.links
    places = [tuple(_places(link, len(program.inputs), layouts, num_values)) for link in links]
    layouts_of = [[place.layout for place in at] for at in places]
    if split is None:
        ways = [access(program, layouts_of[0])]
    else:
        ways = [ways_of(link, at) for link, at in zip(links, layouts_of, strict=True)]
    kernels = compiled([(link.program, way) for link, way in zip(links, ways, strict=True)])
    steps = tuple(map(Step, kernels, places))
    return Launch(steps, width, num_values)


def compile_all(
    programs: Sequence[tuple[Program, tuple[str, ...]]], dtype: str, device: int
) -> list[CompiledKernel]:
    """Return the kernels of programs, compiled side by side."""
    cupy = require_cupy()

    def compiled(item: tuple[Program, tuple[str, ...]]) -> CompiledKernel:
        # the current device is that of the thread
        with cupy.cuda.Device(device):
            return compile_kernel(item[0], dtype, item[1])

    if len(programs) == 1:
        return [compiled(programs[0])]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(compiled, programs))


def _whole(program: Program) -> Link:
    outputs = tuple(Range(k, 0) for k in range(len(program.outputs)))
    return Link(program, tuple(range(len(program.inputs))), outputs)


def _places(
    link: Link, num_inputs: int, layouts: Sequence[Layout], num_values: int
) -> Iterator[Place]:
    """Yield where the arrays of a link lie."""
    values = Layout(WARP * num_values, WARP)
    for k in link.inputs:
        yield Place(None, values, 0) if k is None else Place(k, layouts[k], 0)
    for k, start in link.outputs:
        if k is None:
            yield Place(None, values, WARP * start)
        else:
            at = layouts[num_inputs + k]
            yield Place(num_inputs + k, at, at.step * start)
