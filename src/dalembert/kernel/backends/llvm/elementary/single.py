"""Functions in single precision: computed in double precision, rounded once.

Both double vectors of a vector of floats run one after the other. Sine and cosine, which every
robot needs, have short polynomials; the others are those of double precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from dalembert.kernel.backends.llvm.elementary.polynomial import horner
from dalembert.kernel.backends.llvm.elementary.sincos import SHIFT, TWO_OVER_PI, turned
from dalembert.kernel.backends.llvm.lanes import Lanes

LIMIT = 2.0**40
"""Beyond this |x| sine and cosine are NaN."""

# π/2 = P1 + P2 up to 2⁻¹¹⁰. A float beyond ½ is a multiple of 2⁻²⁵, so that x - n·P1 is exact
P1 = math.pi / 2
P2 = float.fromhex("0x1.1a62633145c07p-54")
# sin h = h(1 + h²·S(h²)) to 2⁻³⁵,  cos h = 1 + h²·C(h²) to 2⁻³¹: interpolation at Chebyshev nodes
S = (
    -0.16666666663853044,
    0.008333331873837089,
    -0.00019840086263755443,
    2.7249864655139585e-06,
)
C = (
    -0.49999999969094655,
    0.04166665063493084,
    -0.0013887588637815805,
    2.4463721163611998e-05,
)


def sincos(lanes: Lanes, x: str) -> tuple[str, str]:
    """Return sin x and cos x, each within 0.51 ulp; NaN for |x| > 2⁴⁰, infinities and NaN."""
    doubles = lanes.doubles
    const = doubles.const
    inside = lanes.less_equal(lanes.abs(x), lanes.const(LIMIT))
    x = lanes.widened(lanes.select(inside, x, lanes.const(math.nan)))
    # n = round(x·2/π),  h = x - n·π/2
    shifted = doubles.fma(x, const(TWO_OVER_PI), const(SHIFT))
    n = doubles.sub(shifted, const(SHIFT))
    h = doubles.fma(n, const(-P2), doubles.fma(n, const(-P1), x))
    z = doubles.mul(h, h)
    one = const(1.0)
    s = doubles.mul(h, doubles.fma(z, horner(doubles, z, S), one))
    c = doubles.fma(z, horner(doubles, z, C), one)
    low = lanes.low_bits(doubles.bits(shifted))
    return turned(lanes, low, lanes.narrowed(s), lanes.narrowed(c))


def rounded(function: Callable[..., str]) -> Callable[..., str]:
    """Return a function of double precision as one of single precision, within 0.51 ulp."""

    def single(lanes: Lanes, *operands: str) -> str:
        return lanes.narrowed(function(lanes.doubles, *map(lanes.widened, operands)))

    return single
