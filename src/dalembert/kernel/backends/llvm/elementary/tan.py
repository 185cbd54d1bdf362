"""Tangent: sine over cosine, both with a low part."""

from __future__ import annotations

from dalembert.kernel.backends.llvm.elementary.pairs import Pair, exact_sum, quotient
from dalembert.kernel.backends.llvm.elementary.polynomial import horner
from dalembert.kernel.backends.llvm.elementary.sincos import MINUS_S, C, flip, reduce
from dalembert.kernel.backends.llvm.lanes import Lanes


def tan(lanes: Lanes, x: str) -> str:
    """Return tan x within 1 ulp; NaN for |x| > 1.6e6, infinities and NaN."""
    n, h, l = reduce(lanes, x)
    s, c = _pairs(lanes, h, l)
    # tan(n·π/2 + h) = sin h / cos h for even n,  -cos h / sin h for odd n
    odd = lanes.shl(n, 63)
    swap = lanes.iless(odd, lanes.integer(0))
    numerator = lanes.select(swap, c[0], s[0]), lanes.select(swap, c[1], s[1])
    denominator = lanes.select(swap, s[0], c[0]), lanes.select(swap, s[1], c[1])
    q, q_low = quotient(lanes, numerator, denominator)
    result = flip(lanes, lanes.add(q, q_low), odd)
    # the low part turns -0 into 0
    return lanes.select(lanes.equal(x, lanes.const(0.0)), x, result)


def _pairs(lanes: Lanes, h: str, l: str) -> tuple[Pair, Pair]:
    """Return sin(h - l) and cos(h - l): what the sum of each kernel rounds away is kept."""
    const = lanes.const
    z = lanes.mul(h, h)
    w = lanes.fma(z, const(-0.5), const(1.0))
    # h - (h³·(-S) + l·cos h)
    inner = horner(lanes, z, MINUS_S)
    inner = lanes.fma(lanes.mul(h, z), inner, lanes.mul(l, w))
    s = lanes.sub(h, inner)
    s_low = lanes.sub(lanes.sub(h, s), inner)
    # w + (z²·C + h·l + what w and z rounded away)
    lost = lanes.fma(z, const(-0.5), lanes.sub(const(1.0), w))
    z_low = lanes.fma(h, h, lanes.neg(z))
    lost = lanes.fma(h, l, lanes.fma(z_low, const(-0.5), lost))
    c = horner(lanes, z, C)
    return (s, s_low), exact_sum(lanes, w, lanes.fma(lanes.mul(z, z), c, lost))
