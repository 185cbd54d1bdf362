"""Arrays of CuPy, JAX and PyTorch on a CUDA device, taken and given without copies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.cuda.plan import View
from dalembert.optional import require

if TYPE_CHECKING:
    import numpy as np

    from dalembert.types import ArrayLike

CUDA_DEVICE = 2
"""DLPack's number for memory of a CUDA device."""


def require_cupy() -> ModuleType:
    """Return the module cupy.

    Raises:
        MissingDependency: it is not installed.
    """
    return require("cupy", "CUDA kernels")


class ForeignArray(Protocol):
    """An array of CuPy, JAX or PyTorch; each `Family` knows the members of its own."""

    def __getattr__(self, name: str, /) -> Any: ...


class Family(ABC):
    """The arrays of one package."""

    waits = False
    """Whether the package does not know our stream, so that a call must wait for the kernel."""

    def device(self, array: ForeignArray) -> tuple[int, int]:
        """Return DLPack's number for the kind of device, and the number of the device."""
        kind, number = array.__dlpack_device__()
        return int(kind), int(number)

    @abstractmethod
    def view(self, array: ForeignArray) -> View:
        """Return where the numbers lie."""

    @abstractmethod
    def stream(self, device: int) -> AbstractContextManager[object]:
        """Return the stream on which the package works now."""

    @abstractmethod
    def empty(self, shape: tuple[int, ...], dtype: str, device: int) -> ForeignArray:
        """Return a new array."""

    @abstractmethod
    def permuted(self, array: ForeignArray, axes: Sequence[int]) -> ForeignArray:
        """Return a new array with its axes in another order, without a copy."""

    @abstractmethod
    def from_host(self, value: ArrayLike, dtype: str, device: int) -> ForeignArray:
        """Return numbers of the host as an array on the device."""

    def finished(self, array: ForeignArray) -> ForeignArray:
        """Return an array made by `empty` as the package's own."""
        return array

    def own(self, array: ForeignArray) -> ForeignArray:
        """Return an array of CuPy as one of the package."""
        return array


class ExternalStream(NamedTuple):
    """A stream of another package, as the protocol of CUDA streams shows it."""

    handle: int

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the version of the protocol, and the stream."""
        return 0, self.handle


@cache
def dtype_name(dtype: np.dtype[Any]) -> str:
    """Return the name of a dtype of NumPy, which takes a while to build."""
    return dtype.name


class CupyArrays(Family):
    """Arrays of CuPy."""

    def device(self, array: ForeignArray) -> tuple[int, int]:
        return CUDA_DEVICE, array.device.id

    def view(self, array: ForeignArray) -> View:
        item = array.itemsize
        strides = tuple(s // item for s in array.strides)
        return View(array.data.ptr, array.shape, strides, dtype_name(array.dtype), array)

    def stream(self, device: int) -> AbstractContextManager[object]:
        return nullcontext()

    def empty(self, shape: tuple[int, ...], dtype: str, device: int) -> ForeignArray:
        return require_cupy().empty(shape, dtype)

    def permuted(self, array: ForeignArray, axes: Sequence[int]) -> ForeignArray:
        return array.transpose(*axes)

    def from_host(self, value: ArrayLike, dtype: str, device: int) -> ForeignArray:
        return require_cupy().asarray(value, dtype)


class JaxArrays(CupyArrays):
    """Arrays of JAX; they cannot be written, so results are made by CuPy and handed over."""

    waits = True

    def device(self, array: ForeignArray) -> tuple[int, int]:
        return Family.device(self, array)

    def view(self, array: ForeignArray) -> View:
        cupy = require_cupy()
        # the exchange makes our stream wait until JAX has computed the array
        known = isinstance(array, cupy.ndarray)
        return super().view(array if known else cupy.from_dlpack(array))

    def finished(self, array: ForeignArray) -> ForeignArray:
        return require("jax", "arrays of JAX").dlpack.from_dlpack(array)

    def own(self, array: ForeignArray) -> ForeignArray:
        # JAX takes rows only
        return self.finished(require_cupy().ascontiguousarray(array))


class TorchArrays(Family):
    """Tensors of PyTorch; the kernel joins PyTorch's current stream."""

    def device(self, array: ForeignArray) -> tuple[int, int]:
        return (CUDA_DEVICE, array.get_device()) if array.is_cuda else super().device(array)

    def view(self, array: ForeignArray) -> View:
        dtype = str(array.dtype).removeprefix("torch.")
        return View(array.data_ptr(), tuple(array.shape), array.stride(), dtype, array)

    def stream(self, device: int) -> AbstractContextManager[object]:
        import torch  # pyright: ignore[reportMissingImports]

        handle = torch.cuda.current_stream(device).cuda_stream
        cuda = require_cupy().cuda
        # CuPy 14 knows the protocol, and older ones the handle only
        if hasattr(cuda.Stream, "from_external"):
            return cuda.Stream.from_external(ExternalStream(handle))
        return cuda.ExternalStream(handle, device)

    def empty(self, shape: tuple[int, ...], dtype: str, device: int) -> ForeignArray:
        import torch  # pyright: ignore[reportMissingImports]

        return torch.empty(shape, dtype=getattr(torch, dtype), device=f"cuda:{device}")

    def permuted(self, array: ForeignArray, axes: Sequence[int]) -> ForeignArray:
        return array.permute(*axes)

    def from_host(self, value: ArrayLike, dtype: str, device: int) -> ForeignArray:
        import torch  # pyright: ignore[reportMissingImports]

        return torch.as_tensor(value, dtype=getattr(torch, dtype), device=f"cuda:{device}")

    def own(self, array: ForeignArray) -> ForeignArray:
        import torch  # pyright: ignore[reportMissingImports]

        return torch.from_dlpack(array)


FAMILIES: dict[str, Family] = {"cupy": CupyArrays(), "jax": JaxArrays(), "torch": TorchArrays()}


def family_of(arrays: Sequence[ForeignArray], where: str) -> tuple[Family, int]:
    """Return the package of some arrays, and the number of the device that holds them all.

    Raises:
        EvaluationError: they are of other or of different packages, or not on one CUDA device.
    """
    names = [_package(array) for array in arrays]
    if len(set(names)) != 1 or names[0] not in FAMILIES:
        got = ", ".join(f"{type(array).__module__}.{type(array).__name__}" for array in arrays)
        raise EvaluationError(
            f"expected arrays of one package (CuPy, JAX or PyTorch) on a CUDA device for {where}, "
            f"got {got}: cupy.asarray(x) copies an array of NumPy to the device"
        )
    if names[0] == "torch" and any(array.requires_grad for array in arrays):
        raise EvaluationError(
            f"expected tensors without gradient for {where}, got requires_grad=True: give "
            "x.detach(), or use the jax backend, which has derivatives"
        )
    if not all(hasattr(array, "__dlpack_device__") for array in arrays):
        raise EvaluationError(
            f"expected arrays with values for {where}, got a traced one: inside jit, vmap and "
            "grad use the jax backend"
        )
    family = FAMILIES[names[0]]
    devices = [family.device(array) for array in arrays]
    if any(kind != CUDA_DEVICE for kind, _ in devices) or len(set(devices)) != 1:
        raise EvaluationError(
            f"expected all arrays of {where} on one CUDA device, got (DLPack kind, number) "
            f"{', '.join(map(str, devices))}: kind {CUDA_DEVICE} is CUDA, 1 the CPU; copy them "
            "to one device first"
        )
    return family, devices[0][1]


def _package(array: ForeignArray) -> str:
    name = type(array).__module__.partition(".")[0]
    return "jax" if name == "jaxlib" else name
