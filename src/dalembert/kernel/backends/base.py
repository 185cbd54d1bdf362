"""What every backend offers: ``backends/<name>/backend.py`` holds one `Backend`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from dalembert.errors import UnknownName, nearest
from dalembert.kernel.call.door import Door
from dalembert.kernel.call.kernel import Kernel
from dalembert.kernel.call.loop import LoopKernel


class Backend(NamedTuple):
    """How a backend turns a program, or a loop of one, into something that arrays are given to.

    Args:
        kernel: Called with a program and the options.
        options: The options that it takes, ``threads`` or ``dtype``, with their default values.
        loop: Called with a loop and the options; None if the backend runs no loops.
        door: Called with a function, its number of inputs and the name of an option; returns a
            `Door` in front of it, or None. None if the backend has no calls without Python.
    """

    kernel: Callable[..., Kernel]
    options: Mapping[str, object]
    loop: Callable[..., LoopKernel] | None = None
    door: Callable[..., Door | None] | None = None


DTYPES = ("float64", "float32")
"""What programs are computed in."""


def checked_dtype(dtype: str) -> str:
    """Return a dtype that programs can be computed in.

    Raises:
        UnknownName: it is another one.
    """
    if dtype not in DTYPES:
        raise UnknownName(
            f"expected dtype float64 or float32, got {dtype!r} ({nearest(str(dtype), DTYPES)})"
        )
    return dtype
