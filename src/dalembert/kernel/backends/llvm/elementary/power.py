"""Power with a constant rational exponent."""

from __future__ import annotations

import math
from fractions import Fraction

from dalembert.errors import TooLarge
from dalembert.kernel.backends.llvm.elementary.exp import exp_of_sum
from dalembert.kernel.backends.llvm.elementary.log import log_pair
from dalembert.kernel.backends.llvm.elementary.pairs import exact_product
from dalembert.kernel.backends.llvm.lanes import Lanes

MAX_EXPONENT = 2**20
"""Beyond, the low part of exponent·log x is no longer small beside the high one."""


def power(lanes: Lanes, x: str, exponent: Fraction) -> str:
    """Return x^exponent = exp(exponent·log x) within 1 ulp: logarithm and product are pairs.

    The exponent is no integer: below 0 the result is NaN, at ±0 it is 0, or ∞ if exponent < 0.

    Raises:
        TooLarge: The exponent is beyond `MAX_EXPONENT`.
    """
    if abs(exponent) >= MAX_EXPONENT:
        raise TooLarge(
            f"expected powers below {MAX_EXPONENT:,}, got the exponent {exponent}: the kernel "
            "would lose digits"
        )
    const = lanes.const
    high, low = log_pair(lanes, x)
    e = float(exponent)
    e_low = float(exponent - Fraction(e))
    # p = exponent·log x
    p, p_low = exact_product(lanes, high, const(e))
    p_low = lanes.fma(low, const(e), lanes.fma(high, const(e_low), p_low))
    result = exp_of_sum(lanes, p, p_low)
    # 0 and ∞ are the two ends
    at_zero, at_infinity = (0.0, math.inf) if exponent > 0 else (math.inf, 0.0)
    positive = lanes.less(const(0.0), x)
    end = lanes.select(lanes.equal(x, const(0.0)), const(at_zero), const(math.nan))
    result = lanes.select(positive, result, end)
    return lanes.select(lanes.equal(x, const(math.inf)), const(at_infinity), result)
