"""Arc sine, arc cosine.

For |x| < ½ the series asin x = x + x³·A(x²); above, asin x = π/2 - 2·asin √w with w = (1 - |x|)/2,
which is exact in binary, so both use one polynomial of z = x² or w.
"""

from __future__ import annotations

import math

from dalembert.kernel.backends.llvm.elementary.pairs import exact_sum
from dalembert.kernel.backends.llvm.elementary.polynomial import horner
from dalembert.kernel.backends.llvm.lanes import Lanes

# interpolation at Chebyshev nodes on 0 ≤ z ≤ ¼, to 2⁻⁵⁷
A = (
    0.16666666666666669,
    0.07499999999998425,
    0.04464285714637338,
    0.030381944137085216,
    0.022372173002005596,
    0.017352391265909227,
    0.013971235301124539,
    0.011478952690257387,
    0.010324318288744113,
    0.00545087818772055,
    0.017419357964884856,
    -0.014881409392818066,
    0.02877844261259304,
)
PI = math.pi
PI_LOW = float.fromhex("0x1.1a62633145c07p-53")


def asin(lanes: Lanes, x: str) -> str:
    """Return asin x within 1 ulp; NaN for |x| > 1."""
    const = lanes.const
    inner, r, low = _root(lanes, x)
    # |x| ≥ ½: π/2 - 2(r + low)
    high, rest = exact_sum(lanes, const(PI / 2), lanes.mul(r, const(-2.0)))
    rest = lanes.add(rest, lanes.fma(low, const(-2.0), const(PI_LOW / 2)))
    result = lanes.select(inner, lanes.add(r, low), lanes.add(high, rest))
    return lanes.copysign(result, x)


def acos(lanes: Lanes, x: str) -> str:
    """Return acos x within 1 ulp; NaN for |x| > 1."""
    const = lanes.const
    inner, r, low = _root(lanes, x)
    # |x| < ½: π/2 ∓ (r + low);  x ≥ ½: 0 + 2(r + low);  x ≤ -½: π - 2(r + low)
    negative = lanes.less(x, const(0.0))
    base = lanes.select(negative, const(PI), const(0.0))
    base = lanes.select(inner, const(PI / 2), base)
    base_low = lanes.select(negative, const(PI_LOW), const(0.0))
    base_low = lanes.select(inner, const(PI_LOW / 2), base_low)
    factor = lanes.select(negative, const(-2.0), const(2.0))
    factor = lanes.select(inner, lanes.mul(factor, const(-0.5)), factor)
    high, rest = exact_sum(lanes, base, lanes.mul(factor, r))
    return lanes.add(high, lanes.add(rest, lanes.fma(factor, low, base_low)))


def _root(lanes: Lanes, x: str) -> tuple[str, str, str]:
    """Return where |x| < ½, and asin r as r + low: of r = |x| there, of r = √((1 - |x|)/2) else."""
    const = lanes.const
    magnitude = lanes.abs(x)
    inner = lanes.less(magnitude, const(0.5))
    w = lanes.fma(magnitude, const(-0.5), const(0.5))
    z = lanes.select(inner, lanes.mul(x, x), w)
    root = lanes.sqrt(w)
    r = lanes.select(inner, magnitude, root)
    # √w = root + (w - root²)/(2·root)
    safe = lanes.select(lanes.equal(root, const(0.0)), const(1.0), root)
    lost = lanes.div(lanes.fma(lanes.neg(root), root, w), lanes.add(safe, safe))
    lost = lanes.select(inner, const(0.0), lost)
    # asin r = r + (r·z·A(z) + lost)
    return inner, r, lanes.fma(lanes.mul(r, z), horner(lanes, z, A), lost)
