"""LLVM as a backend: machine code of this processor."""

from dalembert.kernel.backends.base import Backend
from dalembert.kernel.backends.llvm.build import build, build_loop
from dalembert.kernel.backends.llvm.python_door import door

BACKEND = Backend(build, {"threads": None, "dtype": "float64"}, build_loop, door)
