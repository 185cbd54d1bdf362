"""Programs as pure functions of JAX: they jit, vmap and differentiate."""

from dalembert.kernel.backends.jax.function import JaxKernel, jax_function

__all__ = ["JaxKernel", "jax_function"]
