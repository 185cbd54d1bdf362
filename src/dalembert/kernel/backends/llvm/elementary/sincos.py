"""Sine and cosine from one reduction of the argument.

x = n·π/2 + h - l with integer n, |h| ≤ π/4 and a small l that h cannot hold. Polynomials give both
functions of h - l; n modulo 4 says which of them is the sine, which the cosine, with what sign.

Polynomials: Sun Microsystems, fdlibm 5.3 (1993), ``k_sin.c`` and ``k_cos.c``.
Reduction: Cody and Waite, *Software Manual for the Elementary Functions* (1980), with fma.
"""

from __future__ import annotations

import math

from dalembert.kernel.backends.llvm.elementary.polynomial import horner
from dalembert.kernel.backends.llvm.lanes import Lanes

LIMIT = 1.6e6
"""Beyond this |x| the results are NaN: the reduction is exact for |n| < 2²⁰."""

# adding it rounds to an integer, which then sits in the low bits
SHIFT = 1.5 * 2.0**52
TWO_OVER_PI = 2 / math.pi
# π/2 = P1 + P2 + P3 up to 2⁻¹³⁹.
# P1 has 53 bits: x - n·P1 is a multiple of 2⁻⁵³ below 1, so its fma is exact.
# P2 has 32 bits: n·P2 is exact, so what h = x - n·P1 - n·P2 rounds away is recovered exactly.
P1 = float.fromhex("0x1.921fb54442d18p+0")
P2 = float.fromhex("0x1.1a626330p-54")
P3 = float.fromhex("0x1.45c06e0e68948p-86")

# sin h = h + h³(S₁ + S₂h² + …),  negated
MINUS_S = (
    1.66666666666666324348e-01,
    -8.33333333332248946124e-03,
    1.98412698298579493134e-04,
    -2.75573137070700676789e-06,
    2.50507602534068634195e-08,
    -1.58969099521155010221e-10,
)
# cos h = 1 - h²/2 + h⁴(C₁ + C₂h² + …)
C = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def sincos(lanes: Lanes, x: str) -> tuple[str, str]:
    """Return sin x and cos x, each within 0.8 ulp; NaN for |x| > 1.6e6, infinities and NaN."""
    n, h, l = reduce(lanes, x)
    return turned(lanes, n, *polynomials(lanes, h, l))


def turned(lanes: Lanes, n: str, s: str, c: str) -> tuple[str, str]:
    """Return sine and cosine of n·π/2 + h from those of h."""
    highest = lanes.real.bits - 1
    # odd n: sine and cosine change places
    odd = lanes.shl(n, highest)
    swap = lanes.iless(odd, lanes.integer(0))
    sine = lanes.select(swap, c, s)
    cosine = lanes.select(swap, s, c)
    # n mod 4:   0  1  2  3
    # sine       +  +  -  -    bit 1
    # cosine     +  -  -  +    bit 1 xor bit 0
    half = lanes.shl(n, highest - 1)
    return flip(lanes, sine, half), flip(lanes, cosine, lanes.ixor(half, odd))


def reduce(lanes: Lanes, x: str) -> tuple[str, str, str]:
    """Return n (an integer, modulo 4 in its low bits), h and l with x = n·π/2 + h - l.

    Error of h - l: at most 2⁻⁵³ of l, and 2⁻¹¹⁹.
    """
    const = lanes.const
    inside = lanes.less_equal(lanes.abs(x), const(LIMIT))
    x = lanes.select(inside, x, const(math.nan))
    # n = round(x·2/π)
    shifted = lanes.fma(x, const(TWO_OVER_PI), const(SHIFT))
    n = lanes.sub(shifted, const(SHIFT))
    # h = x - n·P1 - n·P2
    r = lanes.fma(n, const(-P1), x)
    h = lanes.fma(n, const(-P2), r)
    # l = what h lacks;  h - l keeps the sign of zero, h + l would not
    l = lanes.fma(n, const(P2), lanes.sub(h, r))
    l = lanes.fma(n, const(P3), l)
    return lanes.bits(shifted), h, l


def polynomials(lanes: Lanes, h: str, l: str) -> tuple[str, str]:
    """Return sin(h - l) and cos(h - l) for |h| ≤ π/4."""
    const = lanes.const
    z = lanes.mul(h, h)
    w = lanes.fma(z, const(-0.5), const(1.0))
    # sin(h - l) = h - (h³·(-S) + l·cos h),  cos h ≈ w
    s = horner(lanes, z, MINUS_S)
    s = lanes.sub(h, lanes.fma(lanes.mul(h, z), s, lanes.mul(l, w)))
    # cos(h - l) = w + (z²·C + h·l + what w rounded away)
    c = horner(lanes, z, C)
    lost = lanes.fma(z, const(-0.5), lanes.sub(const(1.0), w))
    lost = lanes.fma(h, l, lost)
    c = lanes.add(w, lanes.fma(lanes.mul(z, z), c, lost))
    return s, c


def flip(lanes: Lanes, a: str, sign: str) -> str:
    """Return a with its sign changed where the highest bit of ``sign`` is set."""
    change = lanes.iand(sign, lanes.sign)
    return lanes.double(lanes.ixor(lanes.bits(a), change))
