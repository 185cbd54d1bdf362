"""Elementary functions on SIMD lanes against ball arithmetic, in units in the last place."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import flint
import numpy as np
import pytest

from dalembert.errors import TooLarge
from dalembert.kernel.backends.llvm.elementary import FUNCTIONS, power, sincos
from dalembert.kernel.backends.llvm.lanes import Lanes
from dalembert.kernel.backends.llvm.reals import SINGLE
from tests.cases import num_cases
from tests.unit.kernel.backends.llvm.rowwise import WIDTHS, compiled, same_bits

POINTS = 20_000
LIMIT = 1.0
"""Units in the last place; half of one is rounding the exact result."""
SINCOS_LIMIT = 0.8
"""The argument keeps its low part, so that multiples of π/2 nearby cost nothing."""
SPECIAL = np.array([0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 5e-324, -5e-324])


@pytest.fixture(autouse=True)
def precision():
    """Compute the truth to 200 bits."""
    before, flint.ctx.prec = flint.ctx.prec, 200
    yield
    flint.ctx.prec = before


def ulps(value: float, truth: flint.arb) -> float:
    """Return |value - truth| in units in the last place of the double next to the truth."""
    nearest = float(truth.mid())
    if math.isinf(nearest) or not math.isfinite(value):
        return 0.0 if value == nearest else math.inf
    exponent = max(math.frexp(nearest)[1] - 53, -1074) if nearest else -1074
    error = (truth - value) * flint.arb(2) ** -exponent
    return abs(float(error.mid()))


def largest(values: np.ndarray, truths: list[flint.arb], points: list[Any]) -> tuple[float, Any]:
    """Return the largest error and where it occurs."""
    return max(
        ((ulps(float(y), t), p) for y, t, p in zip(values, truths, points, strict=True)),
        key=lambda pair: pair[0],
    )


def logarithmic(rng: np.random.Generator, low: float, high: float, size: int) -> np.ndarray:
    """Draw numbers of both signs between 10^low and 10^high."""
    return 10.0 ** rng.uniform(low, high, size) * rng.choice([-1.0, 1.0], size)


def denormals(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw positive numbers below 2⁻¹⁰²²."""
    return rng.integers(1, 1 << 52, size).view(np.float64)


@cache
def close_to_quarters(size: int) -> np.ndarray:
    """Return the doubles closest to multiples k·π/2 with k < 10⁵."""
    mantissa, exponent = (flint.arb.pi() / 2).mid().man_exp()
    quarter, places = int(mantissa), -int(exponent)
    found = []
    for k in range(1, 100_000):
        # integers divide to the nearest double, which is a multiple of 2⁻⁵³
        x = k * quarter / (1 << places)
        found.append((abs(k * quarter - (int(x * 2.0**53) << (places - 53))), x))
    return np.array([x for _, x in sorted(found)[:size]])


def angles(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw angles over the whole range: small, usual, large, close to multiples of π/4."""
    part = size // 5
    multiples = rng.integers(1, 1_000_000, part) * (math.pi / 4)
    return np.concatenate(
        [
            logarithmic(rng, -320, 6.2, part),
            rng.uniform(-10.0, 10.0, part),
            rng.uniform(-1.6e6, 1.6e6, part),
            np.nextafter(multiples, rng.choice([0.0, 1e9], part)),
            close_to_quarters(part) * rng.choice([-1.0, 1.0], part),
            denormals(rng, 100),
        ]
    )


def within_one(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw numbers between -1 and 1, many of them close to the ends, 0 and ±½."""
    part = size // 4
    gap = 10.0 ** rng.uniform(-16.0, 0.0, part)
    return np.concatenate(
        [
            rng.uniform(-1.0, 1.0, part),
            logarithmic(rng, -320, 0, part),
            (1.0 - gap) * rng.choice([-1.0, 1.0], part),
            (0.5 + gap / 2) * rng.choice([-1.0, 1.0], part),
            denormals(rng, 100),
            [0.5, -0.5, np.nextafter(0.5, 0.0), 1.0, -1.0],
        ]
    )


def exponents(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw numbers whose exponential is normal, denormal, or close to 1."""
    part = size // 4
    return np.concatenate(
        [
            rng.uniform(-746.0, 709.78, part),
            rng.uniform(-745.2, -708.0, part),
            rng.uniform(-1.0, 1.0, part),
            logarithmic(rng, -320, 0, part),
            denormals(rng, 100),
            [709.782712893384, 709.7827128933841, -745.1332191019411, -745.1332191019412],
        ]
    )


def positives(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw positive numbers of all magnitudes, many of them close to 1."""
    part = size // 4
    return np.concatenate(
        [
            10.0 ** rng.uniform(-323.0, 308.0, part),
            rng.uniform(0.0, 2.0, part),
            1.0 + logarithmic(rng, -16, -1, part),
            denormals(rng, part),
            [5e-324, 2.0**-1022, math.sqrt(0.5), math.sqrt(2), 1.7976931348623157e308],
        ]
    )


def moderate(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw numbers where the hyperbolic tangent is neither x nor 1, then beyond."""
    part = size // 4
    return np.concatenate(
        [
            rng.uniform(-1.0, 1.0, part),
            rng.uniform(-0.2, 0.2, part),
            rng.uniform(-25.0, 25.0, part),
            logarithmic(rng, -320, 3, part),
            denormals(rng, 100),
        ]
    )


class Case(NamedTuple):
    """Where to test a function, and ball arithmetic's name for it."""

    draw: Callable[[np.random.Generator, int], np.ndarray]
    truth: Callable[[flint.arb], flint.arb]
    limit: float = LIMIT


CASES = {
    "sin": Case(angles, flint.arb.sin, SINCOS_LIMIT),
    "cos": Case(angles, flint.arb.cos, SINCOS_LIMIT),
    "tan": Case(angles, flint.arb.tan),
    "asin": Case(within_one, flint.arb.asin),
    "acos": Case(within_one, flint.arb.acos),
    "exp": Case(exponents, flint.arb.exp),
    "log": Case(positives, flint.arb.log),
    "tanh": Case(moderate, flint.arb.tanh),
}


@pytest.mark.parametrize("name", CASES)
def test_error(name: str, rng: np.random.Generator, scale: float) -> None:
    case = CASES[name]
    x = case.draw(rng, num_cases(POINTS, scale))
    (y,) = compiled(FUNCTIONS[name], 8)(x)
    points = x.tolist()
    error, where = largest(y, [case.truth(flint.arb(p)) for p in points], points)
    assert error <= case.limit, f"{name}({where!r}): {error} ulp"


def test_error_of_atan2(rng: np.random.Generator, scale: float) -> None:
    part = num_cases(POINTS, scale) // 5
    y, x = np.concatenate(
        [
            rng.uniform(-1.0, 1.0, (2, part)),
            [logarithmic(rng, -323, 308.2, part) for _ in "yx"],
            [logarithmic(rng, -2, 2, part) for _ in "yx"],
            [logarithmic(rng, -323, -290, part) for _ in "yx"],
            [logarithmic(rng, 290, 308.2, part) for _ in "yx"],
        ],
        axis=1,
    )
    (angle,) = compiled(FUNCTIONS["atan2"], 8, 2)(y, x)
    points = list(zip(y.tolist(), x.tolist(), strict=True))
    truths = [flint.arb.atan2(flint.arb(b), flint.arb(a)) for b, a in points]
    error, where = largest(angle, truths, points)
    assert error <= LIMIT, f"atan2{where!r}: {error} ulp"


EXPONENTS = [Fraction(*e) for e in ((1, 3), (-1, 3), (3, 4), (-5, 2), (7, 3), (1000, 3))]


@pytest.mark.parametrize("exponent", EXPONENTS, ids=str)
def test_error_of_power(exponent: Fraction, rng: np.random.Generator, scale: float) -> None:
    x = positives(rng, num_cases(POINTS, scale) // len(EXPONENTS))
    # also where the result has every magnitude
    x = np.concatenate(
        [x, 10.0 ** (rng.uniform(-300.0, 300.0, len(x)) / max(1.0, abs(float(exponent))))]
    )
    (y,) = compiled(lambda lanes, x: power(lanes, x, exponent), 8)(x)
    points = x.tolist()
    e = flint.arb(flint.fmpq(exponent.numerator, exponent.denominator))
    error, where = largest(y, [(flint.arb(p).log() * e).exp() for p in points], points)
    assert error <= LIMIT, f"{where!r}**{exponent}: {error} ulp"


def test_a_power_that_would_lose_digits_is_refused() -> None:
    for exponent in (Fraction(2**21 + 1, 2), -Fraction(2**22 + 1, 3)):
        with pytest.raises(TooLarge, match="expected powers below 1,048,576"):
            compiled(lambda lanes, x, e=exponent: power(lanes, x, e), 2)


@pytest.mark.parametrize("name", [*CASES, "sqrt", "abs", "sign"])
def test_widths_give_the_same_bits(name: str, rng: np.random.Generator) -> None:
    draw = CASES[name].draw if name in CASES else moderate
    x = np.concatenate([draw(rng, 500), SPECIAL])
    one, *others = (compiled(FUNCTIONS[name], width)(x) for width in WIDTHS)
    assert all(same_bits(one, other) for other in others)


@pytest.mark.parametrize("name", [*CASES, "sqrt"])
def test_processors_without_fma_give_the_same_bits(name: str, rng: np.random.Generator) -> None:
    draw = CASES[name].draw if name in CASES else moderate
    x = np.concatenate([draw(rng, 500), SPECIAL])
    for width in (1, 4):
        (one,), (other,) = (
            compiled(FUNCTIONS[name], width, has_fma=has_fma)(x) for has_fma in (True, False)
        )
        assert same_bits(one, other)


def test_sincos_beyond_its_range_is_nan() -> None:
    x = np.array([1.6e6, -1.6e6, 1.61e6, -1.61e6, 1e300, math.inf, -math.inf, math.nan])
    for row in compiled(sincos, 8)(x):
        assert np.isnan(row).tolist() == [False] * 2 + [True] * 6


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value|overflow) encountered")
@pytest.mark.parametrize(
    "name", ["sin", "cos", "tan", "asin", "acos", "exp", "log", "tanh", "sqrt", "abs", "sign"]
)
def test_special_values(name: str) -> None:
    references = {"asin": np.arcsin, "acos": np.arccos, "abs": np.abs}
    reference = references.get(name) or getattr(np, name)
    x = np.concatenate([SPECIAL, [1e4, -1e4]]) if name in ("exp", "tanh") else SPECIAL
    (y,) = compiled(FUNCTIONS[name], 8)(x)
    expected = reference(x)
    if name == "sign":
        # NumPy drops the sign of zero
        expected[1] = -0.0
    assert np.array_equal(np.isnan(y), np.isnan(expected))
    good = ~np.isnan(y)
    assert np.array_equal(np.signbit(y[good]), np.signbit(expected[good]))
    np.testing.assert_array_max_ulp(y[good], expected[good], 1)


def test_atan2_of_zeros_and_infinities() -> None:
    values = [*SPECIAL, 1.7e308, -1.7e308]
    y, x = np.array(list(itertools.product(values, values))).T
    (angle,) = compiled(FUNCTIONS["atan2"], 8, 2)(y, x)
    assert same_bits(angle, np.array([math.atan2(b, a) for b, a in zip(y, x, strict=True)]))


@pytest.mark.parametrize("sign", [1, -1])
def test_power_of_zero_infinity_and_negative(sign: int) -> None:
    x = np.array([0.0, -0.0, math.inf, -math.inf, -1.0, math.nan, 1.0])
    (y,) = compiled(lambda lanes, x: power(lanes, x, Fraction(sign, 3)), 8)(x)
    zero, infinity = (0.0, math.inf)[::sign]
    nan = math.nan
    assert same_bits(y, np.array([zero, zero, infinity, nan, nan, nan, 1.0]))


def test_instructions_on_integers_and_signs() -> None:
    def function(lanes: Lanes, x: str) -> tuple[str, ...]:
        i = lanes.to_integer(x)
        return (
            lanes.rint(x),
            lanes.copysign(lanes.const(3.0), x),
            lanes.to_double(i),
            lanes.to_double(lanes.ashr(i, 1)),
            lanes.to_double(lanes.isub(lanes.integer(7), i)),
            lanes.double(lanes.ixor(lanes.bits(x), lanes.integer(1 << 63))),
            lanes.select(lanes.less_equal(x, lanes.const(2.5)), lanes.const(1.0), x),
        )

    x = np.array([-7.5, -2.5, -0.0, 0.5, 1.5, 2.5, 3.25, 1e15])
    i = np.trunc(x)
    expected = np.array(
        [
            np.rint(x),
            np.copysign(3.0, x),
            i + 0.0,
            np.floor(i / 2) + 0.0,
            7.0 - i,
            -x,
            np.where(x <= 2.5, 1.0, x),
        ]
    )
    for width in WIDTHS:
        assert same_bits(compiled(function, width)(x), expected)


SINGLE_LIMIT = 0.51
"""Units in the last place of floats: computed in doubles, rounded once."""
SINGLE_SPECIAL = np.array(
    [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 1e-45, -1e-45, 1.2e-38, 3.4e38, -3.4e38],
    np.float32,
)
IN_NUMPY = {"asin": np.arcsin, "acos": np.arccos, "atan2": np.arctan2, "abs": np.abs}
SINGLE_NAMES = sorted({*FUNCTIONS} - {"sign"})


def all_floats(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw floats by their bits: all signs and exponents, subnormal ones, infinities and NaN."""
    bits = rng.integers(0, 1 << 32, size, dtype=np.uint64).astype(np.uint32)
    return np.concatenate([bits.view(np.float32), SINGLE_SPECIAL])


def float_ulps(y: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return |y - truth| in units in the last place of the float next to the truth."""
    with np.errstate(over="ignore"):
        nearest = truth.astype(np.float32)
    finite = np.isfinite(nearest)
    same = (y == nearest) | (np.isnan(y) & np.isnan(nearest))
    unit = np.spacing(np.where(finite, np.abs(nearest), 1)).astype(float)
    error = np.abs(np.where(finite, y, 0) - np.where(finite, truth, 0)) / unit
    return np.where(finite, error, np.where(same, 0.0, np.inf))


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value|overflow) encountered")
@pytest.mark.parametrize("name", SINGLE_NAMES)
def test_error_in_single_precision(name: str, rng: np.random.Generator, scale: float) -> None:
    arity, size = 2 if name == "atan2" else 1, num_cases(10 * POINTS, scale)
    # numbers of all magnitudes, and those in the middle, where functions bend
    rows = [
        np.concatenate([all_floats(rng, size), np.float32(rng.normal(0, 3, size))])
        for _ in range(arity)
    ]
    if name in ("sin", "cos", "tan"):
        # double precision reduces tangents as far as doubles
        farthest = 1.6e6 if name == "tan" else 2.0**40
        rows = [x[~(np.abs(x) > farthest)] for x in rows]
    (y,) = compiled(FUNCTIONS[name], 16, arity, real=SINGLE)(*rows)
    assert y.dtype == np.float32
    truth = (IN_NUMPY.get(name) or getattr(np, name))(*(x.astype(float) for x in rows))
    error = float_ulps(y, truth)
    worst = int(error.argmax())
    where = [x[worst] for x in rows]
    assert error[worst] <= SINGLE_LIMIT, f"{name}{where}: {error[worst]} ulp"
    zero = (y == 0) & (truth == 0)
    assert np.array_equal(np.signbit(y[zero]), np.signbit(truth[zero]))


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value|overflow) encountered")
@pytest.mark.parametrize("exponent", EXPONENTS, ids=str)
def test_error_of_power_in_single_precision(exponent: Fraction, rng: np.random.Generator) -> None:
    x = np.abs(all_floats(rng, POINTS))
    (y,) = compiled(lambda lanes, x: power(lanes, x, exponent), 16, real=SINGLE)(x)
    # the exponent is no double: x^e = exp(e log x) to 64 bits
    wide = np.longdouble(exponent.numerator) / np.longdouble(exponent.denominator)
    truth = (x.astype(np.longdouble) ** wide).astype(float)
    assert float_ulps(y, truth).max() <= SINGLE_LIMIT


@pytest.mark.parametrize("name", [*FUNCTIONS])
def test_widths_give_the_same_floats(name: str, rng: np.random.Generator) -> None:
    rows = [all_floats(rng, 500) for _ in range(2 if name == "atan2" else 1)]
    one, *others = (
        compiled(FUNCTIONS[name], width, len(rows), real=SINGLE)(*rows) for width in (*WIDTHS, 16)
    )
    assert all(same_bits(one, other) for other in others)


def test_sincos_of_floats_close_to_multiples_of_a_quarter() -> None:
    """Where x - n·π/2 is smallest, single precision would have no digit of it."""
    k = np.arange(1, 2_000_000, dtype=float)
    x = (k * (math.pi / 2)).astype(np.float32)
    near = x[np.argsort(np.abs(np.sin(2 * x.astype(float))))[:2000]]
    for y, f in zip(compiled(sincos, 16, real=SINGLE)(near), (np.sin, np.cos), strict=True):
        assert float_ulps(y, f(near.astype(float))).max() <= SINGLE_LIMIT


def test_sincos_of_floats_beyond_its_range_is_nan() -> None:
    limit = np.float32(2.0**40)
    x = np.array([limit, -limit, np.nextafter(limit, np.float32(np.inf)), 1e38], np.float32)
    for row in compiled(sincos, 16, real=SINGLE)(x):
        assert np.isnan(row).tolist() == [False, False, True, True]
