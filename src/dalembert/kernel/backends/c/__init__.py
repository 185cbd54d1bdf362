"""Flat C99 for controllers: one statement for each instruction."""

from dalembert.kernel.backends.c.flat import source
from dalembert.kernel.backends.c.header import ArrayDoc, CSource

__all__ = ["ArrayDoc", "CSource", "source"]
