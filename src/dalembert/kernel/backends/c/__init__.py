"""C99 for controllers: flat, one statement for each instruction, or rolled, loops over joints."""

from dalembert.kernel.backends.c.arrays import ArrayDoc, mechanism_arrays
from dalembert.kernel.backends.c.flat import source
from dalembert.kernel.backends.c.header import CSource
from dalembert.kernel.backends.c.rolled import rolled_source

__all__ = ["ArrayDoc", "CSource", "mechanism_arrays", "rolled_source", "source"]
