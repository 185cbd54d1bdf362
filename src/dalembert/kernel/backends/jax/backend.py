"""JAX as a backend: pure functions that jit, vmap and grad take."""

from dalembert.kernel.backends.base import Backend
from dalembert.kernel.backends.jax.function import JaxKernel

BACKEND = Backend(JaxKernel, {"dtype": "float64"})
