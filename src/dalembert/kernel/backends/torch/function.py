"""A program as a function of PyTorch's tensors: gradients of any order are kernels too."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.base import checked_dtype
from dalembert.kernel.call.arguments import check_count, common_batch, leading_axes
from dalembert.kernel.call.kernel import Kernel
from dalembert.kernel.operation import Operation, leading, spreads
from dalembert.kernel.program.program import Port, Program
from dalembert.optional import require

if TYPE_CHECKING:
    from dalembert.kernel.backends.cuda.launch import CudaKernel
    from dalembert.kernel.backends.native.kernel import NativeKernel
    from dalembert.types import Array, ArrayLike


def torch_function(program: Program, dtype: str = "float64") -> TorchKernel:
    """Return the program as a function of tensors, of float64 unless asked otherwise.

    Raises:
        MissingDependency: PyTorch is not installed.
        UnknownName: another dtype than float64 and float32.
    """
    return TorchKernel(program, dtype)


class TorchKernel(Kernel):
    """A program as a differentiable function of tensors, all on one device.

    Leading axes are a batch and broadcast. On the processor the compiled kernel reads the tensors'
    memory; on a GPU (CuPy installed) it joins PyTorch's stream. Under
    ``torch.func.vmap`` the new axis is one more of the batch. On a GPU results that are not finite
    do not raise, since nothing waits for them: ``torch.autograd.detect_anomaly`` looks for them.
    """

    def __init__(self, program: Program, dtype: str = "float64") -> None:
        super().__init__(program)
        self.dtype = checked_dtype(dtype)
        require_torch()
        self._operation = Operation.of(program)

    def __call__(self, *arrays: ArrayLike) -> Array:
        """Return the outputs: one tensor, or a tuple of them.

        Raises:
            EvaluationError: wrong number, dtype or shape.
        """
        check_count(arrays, self.inputs, f"for {self.name}")
        tensors = [self._checked(x, port) for x, port in zip(arrays, self.inputs, strict=True)]
        batch = common_batch([tuple(x.shape) for x in tensors], self.inputs, self.name)
        # what has no batch axes is shared by all samples
        full = [
            x.expand(*batch, *port.shape) if leading(tuple(x.shape), port) else x
            for x, port in zip(tensors, self.inputs, strict=True)
        ]
        return self._returned(autograd_function().apply(self._operation, *full))

    def _checked(self, value: Any, port: Port) -> Any:
        torch = require_torch()
        dtype = getattr(torch, self.dtype)
        tensor = value if isinstance(value, torch.Tensor) else torch.as_tensor(value, dtype=dtype)
        if tensor.dtype != dtype:
            raise EvaluationError(
                f"expected {self.dtype} for {port.name} of {self.name}, got {tensor.dtype}: "
                f"convert it, or compile with dtype={_name(tensor.dtype)!r}"
            )
        leading_axes(tuple(tensor.shape), port, self.name)
        return tensor


def require_torch() -> ModuleType:
    """Return the module torch.

    Raises:
        MissingDependency: it is not installed.
    """
    return require("torch", "functions of PyTorch")


@cache
def autograd_function() -> Any:
    """Return the class by which PyTorch calls and differentiates operations, made once."""
    torch = require_torch()

    class Call(torch.autograd.Function):
        """y = f(x): the derivatives are calls themselves, so they have derivatives too."""

        @staticmethod
        def forward(operation: Operation, *x: Any) -> Any:
            return tuple(run(operation, x))

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.operation, *x = inputs
            ctx.save_for_backward(*x)
            ctx.save_for_forward(*x)

        @staticmethod
        def backward(ctx: Any, *bars: Any) -> Any:
            x = ctx.saved_tensors
            found = Call.apply(ctx.operation.pullback, *x, *bars)
            # an input that all samples share has the sum of theirs
            return None, *(
                bar.sum(tuple(range(bar.ndim - given.ndim))) if bar.ndim > given.ndim else bar
                for bar, given in zip(found, x, strict=True)
            )

        @staticmethod
        def jvp(ctx: Any, _: Any, *rates: Any) -> Any:
            x = ctx.saved_tensors
            known = [
                torch.zeros_like(a) if rate is None else rate
                for a, rate in zip(x, rates, strict=True)
            ]
            return Call.apply(ctx.operation.tangent, *x, *known)

        @staticmethod
        def vmap(info: Any, axes: Any, operation: Operation, *x: Any) -> Any:
            full = batched(x, axes[1:], operation, info.batch_size)
            outputs = Call.apply(operation, *full)
            return outputs, (0,) * len(outputs)

    # PyTorch asks for it at every call, and finding it out takes longer than the call
    Call.forward.__signature__ = inspect.signature(Call.forward)  # type: ignore[attr-defined]
    return Call


def batched(
    arrays: Sequence[Any], axes: Sequence[int | None], operation: Operation, count: int
) -> list[Any]:
    """Return tensors with a new batch axis in front of all that have batch axes."""
    moved = [
        x if axis is None else x.movedim(axis, 0) for x, axis in zip(arrays, axes, strict=True)
    ]
    shapes = [tuple(x.shape) for x in moved]
    how = spreads(operation, shapes, [axis is not None for axis in axes], count)
    return [
        x if spread is None else x.reshape(spread.reshaped).expand(spread.full)
        for x, spread in zip(moved, how, strict=True)
    ]


def run(operation: Operation, tensors: Sequence[Any]) -> list[Any]:
    """Return the outputs of the kernel for the device that the tensors are on."""
    given = [x.detach() for x in tensors]
    first = given[0]
    if first.is_cuda:
        kernel = _cuda_kernel(operation, _name(first.dtype))
        found = kernel(*(x.contiguous() for x in given), check=False)
        return list(found) if isinstance(found, tuple) else [found]
    return _on_host(operation, given)


def _on_host(operation: Operation, tensors: Sequence[Any]) -> list[Any]:
    """Return the outputs of machine code, in the precision of the tensors."""
    torch, program = require_torch(), operation.program
    dtype = tensors[0].dtype
    arrays = [x.numpy() for x in tensors]
    batch = common_batch([x.shape for x in arrays], program.inputs, program.name)
    outputs = [torch.empty((*batch, *port.shape), dtype=dtype) for port in program.outputs]
    kernel = _host_kernel(operation, _name(dtype))
    kernel(*arrays, out=tuple(y.numpy() for y in outputs))
    return outputs


def _name(dtype: object) -> str:
    return str(dtype).removeprefix("torch.")


@cache
def _cuda_kernel(operation: Operation, dtype: str) -> CudaKernel:
    from dalembert.kernel.backends.cuda.launch import CudaKernel

    return CudaKernel(operation.program, dtype)


@cache
def _host_kernel(operation: Operation, dtype: str) -> NativeKernel:
    from dalembert.kernel.backends.llvm.build import build

    return build(operation.program, dtype=dtype)
