"""A program on a CUDA device: arrays there in, arrays there out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.c.reals import real_type
from dalembert.kernel.backends.cuda.arrays import Family, ForeignArray, family_of, require_cupy
from dalembert.kernel.backends.cuda.compiling import (
    THREADS_OF_TEXT,
    CompiledKernel,
    compile_text,
    shared_memory_limit,
)
from dalembert.kernel.backends.cuda.explained import explained
from dalembert.kernel.backends.cuda.plan import (
    Plan,
    View,
    check_apart,
    plan_inputs,
    plan_output,
)
from dalembert.kernel.backends.cuda.source import cuda_source
from dalembert.kernel.backends.cuda.split.choose import Split, split
from dalembert.kernel.backends.cuda.split.steps import (
    CHUNK,
    MAX_CHUNKS,
    Launch,
    compile_all,
    plan_steps,
)
from dalembert.kernel.call.arguments import check_count
from dalembert.kernel.call.kernel import Kernel
from dalembert.kernel.program.program import Cost, Port, Program

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike

MAX_PLANS = 1000


def _launch(start: Callable[[], object], arrays: object) -> None:
    """Start a graph, whose arrays live as long as it can be started."""
    start()


def _key(arrays: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return the memory that a call takes and its layout; None for arrays that are not CuPy's."""
    try:
        return tuple([(a.data.ptr, a.shape, a.strides, a.dtype.char) for a in arrays])
    except AttributeError:
        return None


class CudaKernel(Kernel):
    """A program on a CUDA device: arrays of CuPy, JAX or PyTorch in, results of the same kind out.

    Leading axes are a batch and broadcast; nothing is copied. Packed rows of shape (N, n) and
    structures of arrays (``x.T`` of an array of shape (n, N)) are equally fast; new outputs lie
    as the first batched input does.
    """

    takes_out = True

    def __init__(self, program: Program, dtype: str = "float32", text: str | None = None) -> None:
        """Take what to compute.

        Args:
            program: The program; with a text only its name, inputs and outputs count.
            dtype: "float32" or "float64".
            text: CUDA C++ of a function ``kernel`` with the parameters that `cuda_source` says,
                one thread for each sample in blocks of `THREADS_OF_TEXT`.
        """
        super().__init__(program)
        real_type(dtype)
        self.dtype, self.text = dtype, text
        self._compiled: dict[tuple[int, int, tuple[str, ...]], CompiledKernel] = {}
        self._plans: dict[Any, Plan] = {}
        self._launches: dict[Any, Launch] = {}
        self._prepared: dict[Any, Callable[[], object]] = {}

    def source(self, access: Sequence[str] = ()) -> str:
        """Return the CUDA text; ``access`` as in `cuda_source`."""
        if self.text is not None:
            return self.text
        return cuda_source(self.program, self.dtype, access=access)

    @property
    def cost(self) -> Cost:
        """Operations and bytes of one run.

        Raises:
            EvaluationError: the kernel has a text of its own, with loops.
        """
        if self.text is not None:
            raise EvaluationError(
                f"expected a program of counted instructions for the cost of {self.name}, got loops"
            )
        return super().cost

    def __repr__(self) -> str:
        return super().__repr__() if self.text is None else self.explain()

    def explain(self) -> str:
        """Return what is chosen for batches in rows on the current device, and why."""
        if self.text is not None:
            first = self.text.partition("\n")[0].removeprefix("// ")
            return f"{first}: one thread for each sample, {THREADS_OF_TEXT} in a block"
        return explained(self.program, self.dtype, shared_memory_limit())

    def __call__(
        self,
        *arrays: ArrayLike,
        out: Array | Sequence[Array] | None = None,
        check: bool | None = None,
    ) -> Array:
        """Return the outputs: one array, or a tuple of them.

        Args:
            arrays: One for each input, of the kernel's dtype.
            out: Arrays to write into (one, or a tuple), of the full batch shape.
            check: Wait for the result and raise if a number of it is not finite. Without, the
                call returns at once, and a later call, or `check`, tells. With ``out`` a call does
                not wait unless asked to.

        Raises:
            EvaluationError: wrong number, kind, device, dtype or shape of arrays; a result that
                is not finite, of this call or of one before that did not wait.
        """
        given = self._given(out)
        waits = not given if check is None else check
        if given and not waits:
            again = self._prepared.get(_key((*arrays, *given)))
            if again is not None:
                again()
                self._raise_for_earlier()
                return self._returned(given)
        check_count(arrays, self.inputs, f"for {self.name}")
        taken = cast("tuple[ForeignArray, ...]", arrays)
        family, device = family_of((*taken, *given), self.name)
        if given and family.waits:
            raise EvaluationError(
                f"expected no out= for {self.name}: arrays of JAX cannot be written"
            )
        cupy = require_cupy()
        with cupy.cuda.Device(device), family.stream(device):
            views = [family.view(array) for array in taken]
            plan = self._plan(views)
            results = given or tuple(
                self._empty(family, port, plan, device) for port in self.outputs
            )
            targets = [family.view(array) for array in results]
            if given:
                check_apart(self.program, self.dtype, views, targets)
            self._launch(views, targets, plan, device)
            if waits or family.waits:
                cupy.cuda.get_current_stream().synchronize()
                if waits and self._is_flagged():
                    self._raise_for(results)
            elif given and check is None:
                self._remember((*taken, *given), family, device)
            return self._returned([family.finished(array) for array in results])

    def prepare(self, *arrays: ArrayLike, out: Array | Sequence[Array]) -> Callable[[], object]:
        """Return the call with these arrays as a graph of the device, which starts in microseconds.

        It joins the current stream of CuPy and does not wait; `check` tells whether all results
        were finite.

        Raises:
            EvaluationError: as of a call.
        """
        self(*arrays, out=out, check=True)
        taken = (*cast("tuple[ForeignArray, ...]", arrays), *self._given(out))
        return partial(_launch, self._graph(taken, *family_of(taken, self.name)), taken)

    def _remember(self, arrays: tuple[ForeignArray, ...], family: Family, device: int) -> None:
        """Keep the graph of a call, for the next one with the same memory."""
        key = _key(arrays)
        if key is not None and device == require_cupy().cuda.runtime.getDevice():
            if len(self._prepared) > MAX_PLANS:
                self._prepared.clear()
            self._prepared[key] = self._graph(arrays, family, device)

    def _graph(
        self, arrays: tuple[ForeignArray, ...], family: Family, device: int
    ) -> Callable[[], object]:
        """Return the launch with the memory of some arrays, recorded."""
        cupy, n = require_cupy(), len(self.inputs)
        with cupy.cuda.Device(device), cupy.cuda.Stream(non_blocking=True) as stream:
            views = [family.view(array) for array in arrays]
            plan = self._plan(views[:n])
            # memory cannot be asked for while a graph is recorded
            values = self._values(self._planned(views[:n], views[n:], plan, device))
            stream.begin_capture()
            self._launch(views[:n], views[n:], plan, device, values)
            graph = stream.end_capture()
        return partial(_launch, graph.launch, values)

    def check(self) -> None:
        """Wait for all work of the device; raise if a call without check was not finite.

        Raises:
            EvaluationError: a result was not finite.
        """
        require_cupy().cuda.runtime.deviceSynchronize()
        self._raise_for_earlier()

    def _raise_for_earlier(self) -> None:
        """Raise if a call that did not wait is known to have results that are not finite."""
        if self._is_flagged():
            chunk = int(np.argmax(self._flags != 0))
            sample = chunk * CHUNK + int(self._flags[chunk]) - 1
            self._flags[:] = 0
            raise EvaluationError(
                f"expected finite results of {self.name}, got others, in sample {sample} of a "
                "batch and perhaps elsewhere: look for singular configurations and for inputs "
                "that are not finite"
            )

    def _given(self, out: Any) -> tuple[ForeignArray, ...]:
        if out is None:
            return ()
        given = tuple(out) if isinstance(out, tuple | list) else (out,)
        check_count(given, self.outputs, f"in out= of {self.name}")
        return given

    def _plan(self, views: Sequence[View]) -> Plan:
        key = tuple(view.key for view in views)
        if key not in self._plans:
            if len(self._plans) > MAX_PLANS:
                self._plans.clear()
            self._plans[key] = plan_inputs(self.program, self.dtype, views)
        return self._plans[key]

    def _empty(self, family: Family, port: Port, plan: Plan, device: int) -> ForeignArray:
        if plan.batch_last and not family.waits:
            array = family.empty((*port.shape, *plan.batch), self.dtype, device)
            return family.permuted(array, (array.ndim - 1, *range(array.ndim - 1)))
        return family.empty((*plan.batch, *port.shape), self.dtype, device)

    def _launch(
        self,
        views: Sequence[View],
        targets: Sequence[View],
        plan: Plan,
        device: int,
        values: Any = None,
    ) -> None:
        """Start the kernels of a call; ``values`` is memory that they may hand on values in."""
        samples = math.prod(plan.batch)
        launch = self._planned(views, targets, plan, device)
        if samples > MAX_CHUNKS * launch.width:
            raise EvaluationError(
                f"expected at most {MAX_CHUNKS * launch.width} samples in a call of {self.name}, "
                f"got {samples}: divide the batch"
            )
        if values is None and launch.num_values and samples:
            values = self._values(launch)
        addresses = [view.address for view in (*views, *targets)]
        handed_on = 0 if values is None else values.data.ptr
        size = real_type(self.dtype).size
        launch.start(addresses, samples, self._flag_address, handed_on, size)

    def _values(self, launch: Launch) -> Any:
        """Return memory for values between kernels; None if they hand on none."""
        return require_cupy().empty(launch.numbers, self.dtype) if launch.numbers else None

    def _planned(
        self, views: Sequence[View], targets: Sequence[View], plan: Plan, device: int
    ) -> Launch:
        key = (device, *(view.key for view in (*views, *targets)))
        if key not in self._launches:
            if len(self._launches) > MAX_PLANS:
                self._launches.clear()
            layouts = plan.layouts + tuple(
                plan_output(self.program, self.dtype, view, port, plan.batch)
                for view, port in zip(targets, self.outputs, strict=True)
            )
            self._launches[key] = plan_steps(
                self.program,
                self._split,
                layouts,
                math.prod(plan.batch),
                lambda programs: self._kernels(programs, device),
            )
        return self._launches[key]

    def _kernels(
        self, programs: Sequence[tuple[Program, tuple[str, ...]]], device: int
    ) -> list[CompiledKernel]:
        """Return compiled programs; each is compiled once for each way to reach its arrays."""
        keys = [(device, number, ways) for number, (_, ways) in enumerate(programs)]
        new = [k for k, key in enumerate(keys) if key not in self._compiled]
        if self.text is not None:
            found = [compile_text(self.text) for _ in new]
        else:
            found = compile_all([programs[k] for k in new], self.dtype, device)
        self._compiled |= {keys[k]: kernel for k, kernel in zip(new, found, strict=True)}
        return [self._compiled[key] for key in keys]

    @cached_property
    def _split(self) -> Split | None:
        return split(self.program, self.dtype)

    @cached_property
    def _flags(self) -> Any:
        """Words of host memory that the device can write: one for each chunk of samples."""
        count = MAX_CHUNKS if self._split is not None and self._split.num_values else 1
        memory = require_cupy().cuda.alloc_pinned_memory(8 * count)
        flags = np.frombuffer(memory, np.uint64, count)
        flags[:] = 0
        return flags

    @cached_property
    def _flag_address(self) -> int:
        return self._flags.ctypes.data

    def _is_flagged(self) -> bool:
        flags = self._flags
        return bool(flags[0]) or (len(flags) > 1 and bool(flags.any()))

    def _raise_for(self, results: Sequence[ForeignArray]) -> None:
        """Raise if these results are among those that raised the flag."""
        cupy = require_cupy()
        for result, port in zip(results, self.outputs, strict=True):
            array = cupy.from_dlpack(result)
            count = array.ndim - len(port.shape)
            inner = tuple(range(count, array.ndim))
            bad = cupy.argwhere(~cupy.isfinite(array).all(axis=inner))
            if len(bad):
                self._flags[:] = 0
                where = f" in {len(bad)} samples, first {tuple(bad[0].tolist())}" if count else ""
                raise EvaluationError(
                    f"expected finite results of {self.name}, got {port.name} with others{where}: "
                    "look for singular configurations and for inputs that are not finite "
                    "(check=False returns them as they are)"
                )
