"""NumPy as a backend: the reference, also for complex numbers."""

from dalembert.kernel.backends.base import Backend
from dalembert.kernel.backends.numpy.kernel import NumpyKernel
from dalembert.kernel.backends.numpy.loop import NumpyLoop

BACKEND = Backend(NumpyKernel, {"dtype": "float64"}, NumpyLoop)
