"""Logarithm, in double precision or as a pair.

x = 2ᵏ·m with √½ ≤ m < √2;  s = (m - 1)/(m + 1);  log m = 2s(1 + s²/3 + s⁴·P(s²)).
All but the last term are computed in pairs. P interpolates at Chebyshev nodes, to 2⁻⁶⁶ of log m.
"""

from __future__ import annotations

import math

from dalembert.kernel.backends.llvm.elementary.pairs import (
    Pair,
    exact_product,
    exact_sum,
    quotient,
)
from dalembert.kernel.backends.llvm.elementary.polynomial import horner
from dalembert.kernel.backends.llvm.lanes import Lanes

P = (
    0.2,
    0.14285714285714682,
    0.11111111110827943,
    0.09090909167696401,
    0.07692297481259215,
    0.06667402346923655,
    0.05853118169745603,
    0.05861589311938259,
)
THIRD = 1 / 3
THIRD_LOW = float.fromhex("0x1.5555555555555p-56")
# log 2 = LN2 + LN2_LOW; LN2 has 42 bits, so that k·LN2 is exact
LN2 = float.fromhex("0x1.62e42fefa3800p-1")
LN2_LOW = float.fromhex("0x1.ef35793c76730p-45")

SMALLEST_NORMAL = 2.0**-1022
MANTISSA = (1 << 52) - 1
BITS_OF_ROOT_HALF = 0x3FE6A09E667F3BCD


def log(lanes: Lanes, x: str) -> str:
    """Return log x within 1 ulp; -∞ at ±0, NaN below."""
    const = lanes.const
    high, _ = log_pair(lanes, x)
    positive = lanes.less(const(0.0), x)
    result = lanes.select(lanes.equal(x, const(0.0)), const(-math.inf), const(math.nan))
    # ∞ stays
    finite = lanes.less(x, const(math.inf))
    return lanes.select(positive, lanes.select(finite, high, x), result)


def log_pair(lanes: Lanes, x: str) -> Pair:
    """Return log x to about 2⁻⁶⁴ relative, for positive finite x."""
    const = lanes.const
    k, m = _split(lanes, x)
    # s = (m - 1)/(m + 1)
    f = lanes.sub(m, const(1.0))
    s, s_low = quotient(lanes, (f, const(0.0)), exact_sum(lanes, const(1.0), m))
    # z = s²
    z, z_low = exact_product(lanes, s, s)
    a = lanes.add(s, s)
    z_low = lanes.fma(a, s_low, z_low)
    # t = z/3 + z²·P
    t, t_low = exact_product(lanes, z, const(THIRD))
    t_low = lanes.fma(z, const(THIRD_LOW), lanes.fma(z_low, const(THIRD), t_low))
    t_low = lanes.fma(lanes.mul(z, z), horner(lanes, z, P), t_low)
    # log m = a + a·t,  a = 2s
    b, b_low = exact_product(lanes, a, t)
    a_low = lanes.add(s_low, s_low)
    b_low = lanes.add(lanes.fma(a, t_low, b_low), lanes.fma(a_low, t, a_low))
    high, low = exact_sum(lanes, a, b)
    low = lanes.add(low, b_low)
    # log x = k·log 2 + log m
    high, rest = exact_sum(lanes, lanes.mul(k, const(LN2)), high)
    low = lanes.add(rest, lanes.fma(k, const(LN2_LOW), low))
    return exact_sum(lanes, high, low)


def _split(lanes: Lanes, x: str) -> Pair:
    """Return k and m with x = 2ᵏ·m, √½ ≤ m < √2."""
    const, integer = lanes.const, lanes.integer
    # denormal numbers are scaled up first
    small = lanes.less(x, const(SMALLEST_NORMAL))
    x = lanes.select(small, lanes.mul(x, const(2.0**54)), x)
    # the carry out of the mantissa steps at √½ instead of 1;  1024 keeps k positive
    i = lanes.iadd(lanes.bits(x), integer((1024 << 52) - BITS_OF_ROOT_HALF))
    m = lanes.double(lanes.iadd(lanes.iand(i, integer(MANTISSA)), integer(BITS_OF_ROOT_HALF)))
    # an integer below 2⁵² becomes a double as the low bits of 2⁵²
    k = lanes.double(lanes.ior(lanes.lshr(i, 52), integer((1023 + 52) << 52)))
    bias = lanes.select(small, const(2.0**52 + 1024 + 54), const(2.0**52 + 1024))
    return lanes.sub(k, bias), m
