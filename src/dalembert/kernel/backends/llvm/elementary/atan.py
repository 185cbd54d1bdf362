"""Angle of a point in the plane.

With a = min(|x|, |y|), b = max(|x|, |y|): atan(a/b) is atan(u), u = a/b, below tan π/8, and
π/4 + atan(u), u = (a - b)/(a + b), above. Reflections at the diagonal and at the y-axis give the
angle of every point as j·π/4 ± atan(u), with j = 0 … 4.
"""

from __future__ import annotations

import math

from dalembert.kernel.backends.llvm.elementary.pairs import exact_product, exact_sum, quotient
from dalembert.kernel.backends.llvm.elementary.polynomial import horner
from dalembert.kernel.backends.llvm.lanes import Lanes

# atan u = u + u³·A(u²) for |u| < 0.4143: interpolation at Chebyshev nodes, to 2⁻⁵⁶
A = (
    -0.3333333333333333,
    0.19999999999995516,
    -0.14285714284665682,
    0.11111111015187018,
    -0.0909090457530649,
    0.07692183125376892,
    -0.06664510525508936,
    0.05858140904866328,
    -0.050854078345894844,
    0.03923044778479309,
    -0.019175404711104935,
)
TAN_PI_8 = math.sqrt(2) - 1
PI_4 = math.pi / 4
PI_4_LOW = float.fromhex("0x1.1a62633145c07p-55")


def atan2(lanes: Lanes, y: str, x: str) -> str:
    """Return the angle of (x, y) within 1 ulp; zeros and infinities as IEEE 754 has them."""
    const = lanes.const
    abs_x, abs_y = lanes.abs(x), lanes.abs(y)
    steep = lanes.less(abs_x, abs_y)
    a, b = _scaled(lanes, lanes.select(steep, abs_x, abs_y), lanes.select(steep, abs_y, abs_x))
    # u = a/b or (a - b)/(a + b)
    diagonal = lanes.less(lanes.mul(b, const(TAN_PI_8)), a)
    minus, minus_low = exact_sum(lanes, lanes.neg(b), a)
    plus, plus_low = exact_sum(lanes, b, a)
    zero = const(0.0)
    numerator = lanes.select(diagonal, minus, a), lanes.select(diagonal, minus_low, zero)
    denominator = lanes.select(diagonal, plus, b), lanes.select(diagonal, plus_low, zero)
    u, u_low = quotient(lanes, numerator, denominator)
    # atan u = u + low
    z = lanes.mul(u, u)
    low = lanes.fma(lanes.mul(u, z), horner(lanes, z, A), u_low)
    # each reflection θ -> π/2 - θ, θ -> π - θ changes the sign of atan u
    j = lanes.select(diagonal, const(1.0), zero)
    j = lanes.select(steep, lanes.sub(const(2.0), j), j)
    left = lanes.iless(lanes.bits(x), lanes.integer(0))
    j = lanes.select(left, lanes.sub(const(4.0), j), j)
    one, minus_one = const(1.0), const(-1.0)
    sign = lanes.select(steep, minus_one, one)
    sign = lanes.select(left, lanes.neg(sign), sign)
    # j·π/4 ± (u + low)
    base, base_low = exact_product(lanes, j, const(PI_4))
    base_low = lanes.fma(j, const(PI_4_LOW), base_low)
    angle, rest = exact_sum(lanes, base, lanes.mul(sign, u))
    angle = lanes.add(angle, lanes.add(rest, lanes.fma(sign, low, base_low)))
    angle = lanes.copysign(angle, y)
    return lanes.select(lanes.unordered(x, y), const(math.nan), angle)


def _scaled(lanes: Lanes, a: str, b: str) -> tuple[str, str]:
    """Return 0 ≤ a ≤ b with the same quotient, where a + b and 1/b do not overflow.

    Nor does the remainder of a/b underflow, unless a/b itself does.
    """
    const = lanes.const
    # ∞/∞ counts as 1,  a/∞ as 0,  0/0 as 0
    infinity, zero, one = const(math.inf), const(0.0), const(1.0)
    infinite = lanes.equal(b, infinity)
    a = lanes.select(infinite, lanes.select(lanes.equal(a, infinity), one, zero), a)
    b = lanes.select(infinite, one, b)
    b = lanes.select(lanes.equal(b, zero), one, b)
    scale = lanes.select(lanes.less(const(2.0**1000), b), const(2.0**-600), one)
    scale = lanes.select(lanes.less(b, const(2.0**400)), const(2.0**600), scale)
    return lanes.mul(a, scale), lanes.mul(b, scale)
