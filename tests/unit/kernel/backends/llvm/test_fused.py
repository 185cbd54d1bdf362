"""a·b + c rounded once where no instruction does it: against exact rationals, whatever the size."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from llvmlite import binding as llvm

import dalembert as da
from dalembert.kernel.backends.llvm import python_entry
from dalembert.kernel.backends.llvm.build import text
from dalembert.kernel.backends.llvm.fused import LARGEST, SMALLEST, with_functions_for_fma
from dalembert.kernel.backends.llvm.host import Host, this_host
from dalembert.kernel.backends.llvm.jit import machine_code
from dalembert.kernel.backends.llvm.lanes import Lanes
from dalembert.kernel.backends.llvm.reals import DOUBLE, SINGLE, Real
from dalembert.kernel.compiler import compile_program
from tests.cases import num_cases
from tests.unit.kernel.backends.llvm.object_file import wanted_names
from tests.unit.kernel.backends.llvm.rowwise import compiled, same_bits

POINTS = 3000
BITS = {"float64": 53, "float32": 24}
RANGE = {"float64": (-1074, 1024), "float32": (-149, 128)}
"""The exponents of the smallest number and of the first power of two that is too large."""


def rounded(exact: Fraction, real: Real) -> float:
    """Return the nearest number of a type, ties to even; infinite beyond its range."""
    if not exact:
        return 0.0
    smallest, largest = RANGE[real.dtype]
    size = abs(exact)
    # 2^top ≤ size < 2^(top + 1)
    top = size.numerator.bit_length() - size.denominator.bit_length()
    top -= size < Fraction(2) ** top
    unit = Fraction(2) ** max(top + 1 - BITS[real.dtype], smallest)
    # Python rounds a fraction to an integer, ties to even
    nearest = round(size / unit) * unit
    value = math.inf if nearest >= Fraction(2) ** largest else float(nearest)
    return value if exact > 0 else -value


def truth(a: float, b: float, c: float, real: Real) -> float:
    """Return a·b + c rounded once."""
    if not all(map(math.isfinite, (a, b, c))):
        # the exact product of finite factors is finite
        return c if math.isfinite(a) and math.isfinite(b) else float(np.float64(a) * b + c)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact:
        return rounded(exact, real)
    # a sum of zeros of one sign keeps it; terms that cancel leave +0
    product = math.copysign(1, a) * math.copysign(1, b)
    is_minus = not c and not a * b and product < 0 and math.copysign(1, c) < 0
    return -0.0 if is_minus else 0.0


def fused(width: int, real: Real) -> Callable[..., np.ndarray]:
    return compiled(Lanes.fma, width, 3, real=real, has_fma=False)


def scaled(rng: np.random.Generator, exponents: np.ndarray, real: Real) -> np.ndarray:
    """Draw numbers of both signs between 2^(e-1) and 2^e."""
    mantissas = rng.uniform(0.5, 1, len(exponents)) * rng.choice([-1, 1], len(exponents))
    return np.ldexp(mantissas, exponents).astype(real.dtype)


def draws(rng: np.random.Generator, size: int, real: Real) -> dict[str, list[np.ndarray]]:
    """Return terms of every kind."""
    smallest, largest = RANGE[real.dtype]
    kind, digits = f"u{real.size}", BITS[real.dtype]
    bits = [rng.integers(0, 1 << real.bits, size, dtype=kind) for _ in range(3)]
    a, b = (rng.normal(size=size).astype(real.dtype) for _ in range(2))
    eps = np.finfo(real.dtype).eps
    found = {
        "all bits": [x.view(real.dtype) for x in bits],
        "of one size": [rng.normal(size=size).astype(real.dtype) for _ in range(3)],
        "that cancel": [a, b, -(a * b)],
        "that nearly cancel": [a, b, -(a * b) * (1 + rng.integers(-3, 4, size) * eps)],
    }
    # products of few bits, and sums at or beside the middle of two numbers
    half = digits // 2 + 1
    a, b = (rng.integers(-(1 << half), 1 << half, size).astype(real.dtype) for _ in range(2))
    few = rng.integers(-9, 9, size).astype(float)
    found["ties"] = [a, b, np.ldexp(few, rng.integers(0, 2 * digits, size))]
    for name, low, high in (
        ("that underflow", smallest - digits, smallest + 4 * digits),
        ("that overflow", largest - 4, largest + 3),
        ("where the fast way ends", -903, -897),
        ("where the fast way ends above", 987, 993),
    ):
        e = rng.integers(low, high, size).clip(smallest - digits, largest + 3)
        first = rng.integers(smallest // 3, largest // 3, size).clip(e - largest, e - smallest)
        near = e + rng.integers(-digits, digits, size)
        found[name] = [scaled(rng, x, real) for x in (first, e - first, near)]
    return {name: [x.astype(real.dtype) for x in terms] for name, terms in found.items()}


@pytest.mark.filterwarnings("ignore:(overflow|invalid value|underflow) encountered")
@pytest.mark.parametrize("real", [DOUBLE, SINGLE], ids=lambda real: real.dtype)
@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
def test_the_nearest_number_to_the_exact_sum(
    width: int, real: Real, rng: np.random.Generator, scale: float
) -> None:
    function = fused(width, real)
    for name, terms in draws(rng, num_cases(POINTS / width, scale), real).items():
        (got,) = function(*terms)
        right = [truth(float(a), float(b), float(c), real) for a, b, c in zip(*terms, strict=True)]
        assert same_bits(got, np.array(right, real.dtype)), name


@pytest.mark.parametrize("real", [DOUBLE, SINGLE], ids=lambda real: real.dtype)
@pytest.mark.parametrize("width", [1, 4])
def test_zeros_infinities_and_the_ends_of_the_range(width: int, real: Real) -> None:
    limits = np.finfo(real.dtype)
    sizes = [0.0, 1.0, math.inf, limits.max, limits.tiny, limits.smallest_subnormal]
    if real is DOUBLE:
        sizes += [LARGEST, SMALLEST, SMALLEST / 2, LARGEST * 2]
    values = [sign * size for size in sizes for sign in (1, -1)] + [math.nan]
    terms = np.array(list(itertools.product(values, repeat=3)), real.dtype).T
    (got,) = fused(width, real)(*terms)
    with np.errstate(all="ignore"):
        right = [truth(float(a), float(b), float(c), real) for a, b, c in terms.T]
    assert same_bits(got, np.array(right, real.dtype))


def test_one_extreme_lane_leaves_the_others() -> None:
    terms = np.random.default_rng(1).normal(size=(3, 8))
    terms[:, 3] = 1e300, 1e300, -1.0
    (got,) = fused(8, DOUBLE)(*terms)
    assert got[3] == math.inf
    others = np.arange(8) != 3
    right = [truth(a, b, c, DOUBLE) for a, b, c in terms.T.tolist()]
    assert same_bits(got[others], np.array(right)[others])


def test_a_processor_without_it_is_seen() -> None:
    """x86-64 as it was first has no such instruction; ARM always had."""
    triple = "x86_64-unknown-linux-gnu"
    assert not Host(triple, "x86-64", "", 2).has_fma
    assert not Host(triple, "x86-64", "+sse2,-fma,+fma4", 2).has_fma
    assert Host(triple, "haswell", "+avx,+fma", 4).has_fma
    assert Host("aarch64-unknown-linux-gnu", "generic", "", 2).has_fma


def test_code_for_it_runs_here() -> None:
    here = this_host()
    if not here.triple.startswith("x86_64"):
        pytest.skip("needs an x86-64 processor")
    old = Host(here.triple, "x86-64", "", 2)
    terms = np.random.default_rng(2).normal(size=(3, 100))
    (got,) = compiled(Lanes.fma, 2, 3, host=old)(*terms)
    right = [truth(a, b, c, DOUBLE) for a, b, c in terms.T.tolist()]
    assert same_bits(got, np.array(right))


def test_a_kernel_calls_no_library_for_it() -> None:
    """That is what took the time: a call for each number."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    x, y = da.parameters("x y")
    program = compile_program({"z": da.sin(x) * y + da.exp(y)}, {"x": [x, y]})
    old = Host("x86_64-unknown-linux-gnu", "nehalem", "", 2)
    for width in (1, 2):
        asked = wanted_names(machine_code(text(program, width, host=old), old))
        assert asked <= set(python_entry.DECLARATIONS)


def test_other_text_stays_as_it_is() -> None:
    other = "define void @f() {\n  ret void\n}\n"
    assert with_functions_for_fma(other) == other
