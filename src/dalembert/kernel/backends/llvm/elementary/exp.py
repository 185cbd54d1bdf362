"""Exponential function.

x = n·log 2 + h - l with integer n, |h| ≤ log(2)/2 and a small l that h cannot hold, so that
eˣ = 2ⁿ·(1 + h + b),  b = h²·Q(h) - l.
"""

from __future__ import annotations

from dalembert.kernel.backends.llvm.elementary.pairs import exact_sum
from dalembert.kernel.backends.llvm.elementary.polynomial import horner
from dalembert.kernel.backends.llvm.lanes import Lanes

# adding it rounds to an integer, which then sits in the low bits
SHIFT = 1.5 * 2.0**52
# log 2 = LN2 + LN2_LOW; x - n·LN2 is a multiple of 2⁻⁵⁴ below ½, so its fma is exact
LN2 = float.fromhex("0x1.62e42fefa39efp-1")
LN2_LOW = float.fromhex("0x1.abc9e3b39803fp-56")
# eʰ = 1 + h + h²·Q(h): interpolation at Chebyshev nodes, to 2⁻⁶¹
Q = (
    0.5,
    0.1666666666666667,
    0.04166666666666667,
    0.008333333333326136,
    0.0013888888888883748,
    0.00019841269874820627,
    2.4801587325547743e-05,
    2.7557255400206422e-06,
    2.75572736431103e-07,
    2.5105217004720745e-08,
    2.0914686968086876e-09,
)
# beyond, eˣ overflows or rounds to 0
LOWEST, HIGHEST = -746.0, 710.0


def exp(lanes: Lanes, x: str) -> str:
    """Return eˣ within 1 ulp, also where it is denormal; ∞ where it overflows."""
    return exp_of_sum(lanes, x, lanes.const(0.0))


def exp_of_sum(lanes: Lanes, x: str, low: str) -> str:
    """Return eˣ⁺ˡᵒʷ for a low that is small beside 1."""
    const = lanes.const
    x = lanes.select(lanes.less(x, const(LOWEST)), const(LOWEST), x)
    x = lanes.select(lanes.less(const(HIGHEST), x), const(HIGHEST), x)
    n, h, b = reduce(lanes, x, low)
    high, rest = exact_sum(lanes, const(1.0), h)
    e = lanes.add(high, lanes.add(rest, b))
    # 2ⁿ = 2ⁱ·2ⁿ⁻ⁱ, i = ⌊n/2⌋: 2ⁿ alone may not be a normal number where e·2ⁿ is one
    i = lanes.lshr(n, 1)
    e = lanes.mul(e, power_of_two(lanes, i))
    return lanes.mul(e, power_of_two(lanes, lanes.isub(n, i)))


def reduce(lanes: Lanes, x: str, low: str) -> tuple[str, str, str]:
    """Return n (an integer, in its low 12 bits), h and b with eˣ⁺ˡᵒʷ = 2ⁿ·(1 + h + b)."""
    const = lanes.const
    # n = round(x/log 2)
    shifted = lanes.fma(x, const(1 / LN2), const(SHIFT))
    n = lanes.sub(shifted, const(SHIFT))
    # h = x + low - n·log 2,  l = what h lacks
    r = lanes.fma(n, const(-LN2), x)
    r, l = exact_sum(lanes, r, low)
    h = lanes.fma(n, const(-LN2_LOW), r)
    l = lanes.sub(lanes.fma(n, const(LN2_LOW), lanes.sub(h, r)), l)
    # eʰ⁻ˡ = 1 + h + (h²·Q - l·(1 + h))
    l = lanes.fma(h, l, l)
    b = lanes.sub(lanes.mul(lanes.mul(h, h), horner(lanes, h, Q)), l)
    return lanes.bits(shifted), h, b


def power_of_two(lanes: Lanes, n: str) -> str:
    """Return 2ⁿ for an integer -1022 ≤ n ≤ 1023 of which only the low 12 bits matter."""
    return lanes.double(lanes.iadd(lanes.shl(n, 52), lanes.integer(1023 << 52)))
