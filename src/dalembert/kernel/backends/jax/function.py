"""A program as a pure function of JAX's arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.base import checked_dtype
from dalembert.kernel.backends.jax.primitive import bind
from dalembert.kernel.backends.jax.pure import require_jax
from dalembert.kernel.call.arguments import check_count, leading_axes
from dalembert.kernel.call.kernel import Kernel
from dalembert.kernel.operation import Operation, leading
from dalembert.kernel.program.program import Port, Program

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


def jax_function(program: Program, dtype: str = "float64") -> JaxKernel:
    """Return the program as a function of arrays of JAX, of float64 unless asked otherwise.

    Raises:
        MissingDependency: JAX is not installed.
        UnknownName: another dtype than float64 and float32.
    """
    return JaxKernel(program, dtype)


class JaxKernel(Kernel):
    """A program as a pure function of JAX's arrays: inside of jit, vmap, grad, jacfwd, scan.

    XLA calls the compiled kernel, and kernels for its derivatives of any order; see `primitive`.
    Leading axes are a batch and broadcast. A pure function cannot raise for results that are not
    finite: ``jax.config.update("jax_debug_nans", True)`` makes JAX look for them.
    """

    def __init__(self, program: Program, dtype: str = "float64") -> None:
        super().__init__(program)
        self.dtype = checked_dtype(dtype)
        jax = require_jax()
        self._operation = Operation.of(program)
        self._function = jax.jit(self._evaluate)

    def __call__(self, *arrays: ArrayLike) -> Array:
        """Return the outputs: one array, or a tuple of them.

        Raises:
            EvaluationError: 64-bit numbers are switched off; wrong number, dtype or shape.
        """
        check_count(arrays, self.inputs, f"for {self.name}")
        jax = require_jax()
        if self.dtype == "float64" and not jax.config.jax_enable_x64:
            raise EvaluationError(
                f"expected 64-bit numbers for {self.name}, got JAX with them switched off: run "
                'jax.config.update("jax_enable_x64", True) first, or make the function with '
                'dtype="float32"'
            )
        return self._returned(self._function(*map(self._checked, arrays, self.inputs)))

    def _checked(self, value: Any, port: Port) -> Any:
        """Return an array of the function's dtype; only numbers of Python are rounded to it."""
        import jax.numpy as jnp  # pyright: ignore[reportMissingImports]

        array = value if hasattr(value, "dtype") else jnp.asarray(value)
        is_typed = hasattr(value, "dtype") and not getattr(value, "weak_type", False)
        is_real = any(jnp.issubdtype(array.dtype, kind) for kind in (jnp.floating, jnp.integer))
        is_longer = is_typed and array.dtype == "float64" and self.dtype == "float32"
        if not is_real or is_longer:
            hint = ', or make the function with dtype="float64"' if is_longer else ""
            raise EvaluationError(
                f"expected {self.dtype} for {port.name} of {self.name}, got {array.dtype}: convert "
                f"it{hint}"
            )
        leading_axes(array.shape, port, self.name)
        return jnp.asarray(array, self.dtype)

    def _evaluate(self, *arrays: Any) -> tuple[Any, ...]:
        """Return the outputs; an array without batch axes is shared by all samples."""
        import jax.numpy as jnp  # pyright: ignore[reportMissingImports]

        own = [leading(x.shape, port) for x, port in zip(arrays, self.inputs, strict=True)]
        batch = jnp.broadcast_shapes(*own)
        full = [
            jnp.broadcast_to(x, (*batch, *port.shape)) if axes else x
            for x, axes, port in zip(arrays, own, self.inputs, strict=True)
        ]
        return tuple(bind(self._operation, *full))
