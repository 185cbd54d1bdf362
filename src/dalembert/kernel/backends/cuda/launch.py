"""A program on a CUDA device: arrays there in, arrays there out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.kernel.arguments import check_count
from dalembert.kernel.backends.cuda.arrays import Family, family_of, require_cupy
from dalembert.kernel.backends.cuda.layout import Layout, common_batch, layout, leading_axes
from dalembert.kernel.backends.cuda.memory import WARP
from dalembert.kernel.backends.cuda.source import (
    THREADS,
    cuda_source,
    memories,
    real_type,
    shared_bytes,
)
from dalembert.kernel.kernel import Kernel
from dalembert.kernel.program import Port, Program

MAX_BLOCKS = 2**31 - 1
BLOCKS_PER_MULTIPROCESSOR = {"float32": 5, "float64": 3}
"""Leaves 96 and 168 registers to a thread: fewer spill, more starve the scheduler."""


class Variant(NamedTuple):
    """A compiled kernel, the size of its blocks, and the shared memory of each."""

    kernel: Any
    threads: int
    shared: int


class CudaKernel(Kernel):
    """Call it with arrays of CuPy, JAX or PyTorch on one device; results are of the same kind.

    Leading axes are a batch and broadcast; nothing is copied. Structures of arrays (the batch
    axis has stride 1, as in ``x.T`` of an array of shape (n, N)) and packed rows of shape (N, n)
    are the fast layouts; new outputs lie as the first batched input does.
    """

    def __init__(self, program: Program, dtype: str = "float32") -> None:
        super().__init__(program)
        self.dtype = dtype
        self.item = real_type(dtype).size
        self._variants: dict[tuple[str, ...], Variant] = {}
        self._flag: Any = None

    def source(self, access: Sequence[str] = ()) -> str:
        """Return the CUDA text; ``access`` as in `cuda_source`."""
        return cuda_source(self.program, self.dtype, access=access)

    def __call__(self, *arrays: Any, out: Any = None, check: bool = True) -> Any:
        """Return the outputs: one array, or a tuple of them.

        Args:
            arrays: One for each input, of the kernel's dtype.
            out: Arrays to write into (one, or a tuple), of the full batch shape.
            check: Wait for the result and raise if a number of it is not finite. Without, the
                call returns at once, and `check` tells later.

        Raises:
            EvaluationError: wrong number, kind, device, dtype or shape of arrays; a result that
                is not finite.
        """
        check_count(arrays, self.program)
        given = () if out is None else tuple(out) if isinstance(out, tuple | list) else (out,)
        if out is not None and len(given) != len(self.outputs):
            raise EvaluationError(
                f"expected {len(self.outputs)} arrays as out= of {self.name}, got {len(given)}"
            )
        family, device = family_of((*arrays, *given), self.name)
        if given and family.waits:
            raise EvaluationError(
                f"expected no out= for {self.name}: arrays of JAX cannot be written"
            )
        cupy = require_cupy()
        with cupy.cuda.Device(device), family.stream(device):
            views = [family.view(array) for array in arrays]
            batch, layouts = self._layouts(views)
            results = given or tuple(
                self._empty(family, port, batch, layouts, device) for port in self.outputs
            )
            targets = [family.view(array) for array in results]
            layouts += [
                self._out_layout(a, port, batch)
                for a, port in zip(targets, self.outputs, strict=True)
            ]
            self._launch(views + targets, layouts, math.prod(batch))
            if check or family.waits:
                cupy.cuda.get_current_stream().synchronize()
            if check:
                self._raise_for(targets)
            finished: tuple[Any, ...] = tuple(family.finished(array) for array in results)
        return finished[0] if len(self.outputs) == 1 else finished

    def check(self) -> None:
        """Wait for all work of the device; raise if a call without check was not finite.

        Raises:
            EvaluationError: a result was not finite.
        """
        require_cupy().cuda.runtime.deviceSynchronize()
        if self._flag is not None and self._flag[0]:
            sample, self._flag[0] = int(self._flag[0]) - 1, 0
            raise EvaluationError(
                f"expected finite results of {self.name}, got others, in sample {sample} of a "
                "batch and perhaps elsewhere: look for singular configurations and for inputs "
                "that are not finite"
            )

    def _layouts(self, views: Sequence[Any]) -> tuple[tuple[int, ...], list[Layout]]:
        """Return the batch axes and where the inputs lie."""
        leading = []
        for array, port in zip(views, self.inputs, strict=True):
            self._check_dtype(array, port)
            leading.append(leading_axes(array.shape, port, self.name))
        batch = common_batch(leading, self.inputs, self.name)
        pairs = zip(views, self.inputs, strict=True)
        return batch, [self._layout(array, port, batch) for array, port in pairs]

    def _layout(self, array: Any, port: Port, batch: tuple[int, ...]) -> Layout:
        strides = [s // self.item for s in array.strides]
        return layout(array.shape, strides, port, batch, self.name)

    def _check_dtype(self, array: Any, port: Port) -> None:
        if array.dtype != self.dtype:
            raise EvaluationError(
                f"expected {self.dtype} for {port.name} of {self.name}, got {array.dtype}: convert "
                f"it, or compile the kernel with dtype={str(array.dtype)!r}"
            )

    def _out_layout(self, array: Any, port: Port, batch: tuple[int, ...]) -> Layout:
        self._check_dtype(array, port)
        shape = (*batch, *port.shape)
        place = self._layout(array, port, batch) if array.shape == shape else None
        # samples that share memory would overwrite each other
        several = math.prod(batch) > 1
        shared = (
            place and math.prod(batch) and ((several and not place.batch) or _repeats(place, port))
        )
        if place is None or shared:
            raise EvaluationError(
                f"expected out= for {port.name} of {self.name} with shape {shape} and a place of "
                f"its own for every number, got shape {array.shape} with strides {array.strides}"
            )
        return place

    def _empty(
        self,
        family: Family,
        port: Port,
        batch: tuple[int, ...],
        layouts: Sequence[Layout],
        device: int,
    ) -> Any:
        """Return a new output that lies in memory as the first batched input does."""
        model = next((at for at in layouts if at.batch), None)
        if len(batch) == 1 and model and model.batch == 1 < model.step and not family.waits:
            return family.last_first(family.empty((*port.shape, *batch), self.dtype, device))
        return family.empty((*batch, *port.shape), self.dtype, device)

    def _launch(self, views: Sequence[Any], layouts: Sequence[Layout], samples: int) -> None:
        if samples == 0:
            return
        access = self._access(layouts)
        if access not in self._variants:
            self._variants[access] = compiled(self.program, self.dtype, access)
        kernel, threads, shared = self._variants[access]
        arguments: list[Any] = []
        for array, place in zip(views, layouts, strict=True):
            arguments += [array, place.batch, place.step]
        arguments += [samples, self._flag_address()]
        blocks = min(-(-samples // threads), MAX_BLOCKS)
        kernel((blocks,), (threads,), arguments, shared_mem=shared)

    def _access(self, layouts: Sequence[Layout]) -> tuple[str, ...]:
        """Return how each port is reached: what all samples share is in the cache anyway."""
        inputs, outputs = layouts[: len(self.inputs)], layouts[len(self.inputs) :]
        others = ["staged" if place.batch else "direct" for place in inputs]
        others += ["direct"] * len(outputs)
        ports = (*self.inputs, *self.outputs)
        triples = zip(layouts, ports, others, strict=True)
        return tuple("rows" if place.is_packed(port) else other for place, port, other in triples)

    def _flag_address(self) -> int:
        """Return the address of a word of host memory that the device can write."""
        if self._flag is None:
            memory = require_cupy().cuda.alloc_pinned_memory(8)
            self._flag = np.frombuffer(memory, np.uint64, 1)
            self._flag[0] = 0
        return self._flag.ctypes.data

    def _raise_for(self, targets: Sequence[Any]) -> None:
        """Raise if these results are among those that raised the flag."""
        if self._flag is None or not self._flag[0]:
            return
        cupy = require_cupy()
        for array, port in zip(targets, self.outputs, strict=True):
            count = array.ndim - len(port.shape)
            inner = tuple(range(count, array.ndim))
            bad = cupy.argwhere(~cupy.isfinite(array).all(axis=inner))
            if len(bad):
                self._flag[0] = 0
                where = f" in {len(bad)} samples, first {tuple(bad[0].tolist())}" if count else ""
                raise EvaluationError(
                    f"expected finite results of {self.name}, got {port.name} with others{where}: "
                    "look for singular configurations and for inputs that are not finite "
                    "(check=False returns them as they are)"
                )


def compiled(program: Program, dtype: str, access: Sequence[str]) -> Variant:
    """Return the kernel for arrays that are reached in this way.

    Where shared memory is short, blocks get smaller, and at last the largest ports go without it.
    """
    cupy = require_cupy()
    limit = cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]
    threads, access = THREADS, list(access)
    while (shared := shared_bytes(program, dtype, access, threads)) > limit:
        if threads > WARP:
            threads //= 2
        else:
            tiles = [port.tile for port in memories(program, access)]
            access[tiles.index(max(tiles))] = "direct"
    text = cuda_source(
        program,
        dtype,
        "kernel",
        access=access,
        threads=threads,
        min_blocks=BLOCKS_PER_MULTIPROCESSOR[dtype] * THREADS // threads,
    )
    kernel = cupy.RawKernel(text, "kernel", options=("--std=c++17", "--fmad=true"))
    kernel.max_dynamic_shared_size_bytes = shared
    return Variant(kernel, threads, shared)


def _repeats(place: Layout, port: Port) -> bool:
    return place.step == 0 and port.size > 1
