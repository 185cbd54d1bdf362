"""Hyperbolic tangent.

tanh x = (e²ˣ - 1)/(e²ˣ + 1) for x ≥ 0, with e²ˣ = 2ⁿ·(1 + p): numerator (2ⁿ - 1) + 2ⁿ·p and
denominator (2ⁿ + 1) + 2ⁿ·p do not cancel, since p is known with its own relative precision.
"""

from __future__ import annotations

from dalembert.kernel.backends.llvm.elementary.exp import power_of_two, reduce
from dalembert.kernel.backends.llvm.elementary.pairs import Pair, exact_sum, quotient
from dalembert.kernel.backends.llvm.lanes import Lanes

# tanh x rounds to 1 from here on
ONE_FROM = 20.0


def tanh(lanes: Lanes, x: str) -> str:
    """Return tanh x within 1 ulp."""
    const = lanes.const
    magnitude = lanes.abs(x)
    magnitude = lanes.select(lanes.less(const(ONE_FROM), magnitude), const(ONE_FROM), magnitude)
    n, h, b = reduce(lanes, lanes.add(magnitude, magnitude), const(0.0))
    p, p_low = exact_sum(lanes, h, b)
    scale = power_of_two(lanes, n)
    p, p_low = lanes.mul(scale, p), lanes.mul(scale, p_low)
    numerator = _sum(lanes, scale, const(-1.0), p, p_low)
    denominator = _sum(lanes, scale, const(1.0), p, p_low)
    return lanes.copysign(lanes.add(*quotient(lanes, numerator, denominator)), x)


def _sum(lanes: Lanes, scale: str, one: str, p: str, p_low: str) -> Pair:
    """Return scale ± 1 + p + p_low."""
    high, one_low = exact_sum(lanes, scale, one)
    high, low = exact_sum(lanes, high, p)
    return high, lanes.add(lanes.add(low, one_low), p_low)
