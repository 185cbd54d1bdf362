"""C99 with loops over the joints: small code for any number of joints."""

from dalembert.model.source.rolled_c.arrays import mechanism_arrays
from dalembert.model.source.rolled_c.source import rolled_source

__all__ = ["mechanism_arrays", "rolled_source"]
