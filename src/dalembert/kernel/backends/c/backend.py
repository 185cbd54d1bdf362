"""The system's C compiler as a backend."""

from dalembert.kernel.backends.base import Backend
from dalembert.kernel.backends.c.build import build

BACKEND = Backend(build, {"threads": None, "dtype": "float64"})
