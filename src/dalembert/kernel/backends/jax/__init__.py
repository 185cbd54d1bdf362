"""Programs as pure functions of JAX: they jit, vmap and differentiate."""

from dalembert.kernel.backends.jax.export import export_jax, import_jax
from dalembert.kernel.backends.jax.function import JaxKernel, jax_function

__all__ = ["JaxKernel", "export_jax", "import_jax", "jax_function"]
