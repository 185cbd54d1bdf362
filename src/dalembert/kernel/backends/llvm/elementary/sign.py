"""Sign of a number."""

from __future__ import annotations

from dalembert.kernel.backends.llvm.lanes import Lanes


def sign(lanes: Lanes, x: str) -> str:
    """Return 1 or -1; zeros and NaN stay what they are."""
    zero = lanes.const(0.0)
    result = lanes.select(lanes.less(zero, x), lanes.const(1.0), x)
    return lanes.select(lanes.less(x, zero), lanes.const(-1.0), result)
