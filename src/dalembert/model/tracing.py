"""Expressions to the program that backends run."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator, Mapping
from typing import Any

from dalembert.kernel.passes.pipeline import optimise
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.trace import trace


def traced(name: str, inputs: Any, outputs: Any) -> Program:
    """Return the program of expressions after all passes.

    Inputs and outputs are arrays by name; one alone is called x, or y.
    """
    named_inputs = inputs if isinstance(inputs, Mapping) else {"x": inputs}
    named_outputs = outputs if isinstance(outputs, Mapping) else {"y": outputs}
    with collection_paused():
        return optimise(trace(name, named_inputs, named_outputs))


@contextlib.contextmanager
def collection_paused() -> Iterator[None]:
    """Keep the garbage collector from walking a growing graph that has no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
