"""a·b + c rounded once, for processors that have no instruction for it.

LLVM would call the C library for each number, which takes as long as the rest of a kernel many
times over, and whose result is not the same everywhere. Here it is a function of vectors:

    p + p_low = a·b                     exactly, by Veltkamp's splitting and Dekker's product
    t + t_low = c + p_low               exactly
    v + v_low = p + t                   exactly
    a·b + c = v + odd(t_low + v_low)    rounded once

where odd(x) is x if that is a double, else of the two doubles next to it the one whose last bit is
1: it keeps on which side of a tie the sum lies. So it is correctly rounded while nothing overflows
or underflows. Vectors in which that might happen go number by number through integers of 256 bits,
which hold the exact sum of any two terms of nearly equal size: they give the same bits too.

In single precision products are exact in double precision, and one odd sum is enough.

Dekker (1971), cited in `elementary.pairs`; Boldo & Melquiond, *Emulation of a FMA and correctly
rounded sums: proved algorithms using rounding to odd* (2008), figure 5.
"""

from __future__ import annotations

import re

from dalembert.kernel.backends.llvm.elementary.pairs import Pair, exact_sum_of_any
from dalembert.kernel.backends.llvm.lanes import Lanes
from dalembert.kernel.backends.llvm.reals import DOUBLE, REALS

INTRINSIC = "@llvm.fma."
SPLITTER = 2.0**27 + 1
"""Divides the 53 bits of a double into two halves."""
LARGEST = 2.0**990
"""Terms up to here do not overflow, nor do they times `SPLITTER`."""
SMALLEST = 2.0**-900
"""The low part of a product from here on is a double."""


def with_functions_for_fma(text: str) -> str:
    """Return a module in which functions take the place of the instruction."""
    # the types of its names, as in v4f64: how many numbers, and which
    types = sorted(set(re.findall(re.escape(INTRINSIC) + r"(?:v(\d+))?(f\d+)", text)))
    if not types:
        return text
    is_intrinsic = re.compile(f"declare .*{re.escape(INTRINSIC)}").match
    lines = [line for line in text.splitlines() if not is_intrinsic(line)]
    added = [line for count, suffix in types for line in _function(int(count or 1), suffix)]
    added += EXACT.splitlines()
    declared = [line for line in lines + added if line.startswith("declare")]
    defined = [line for line in lines + added if not line.startswith("declare")]
    # nothing is declared twice
    return "\n".join([*dict.fromkeys(declared), *defined, ""]).replace(INTRINSIC, "@fused.")


def _function(width: int, suffix: str) -> list[str]:
    """Return the function of vectors of a type, f64 or f32, with declarations."""
    real = next(real for real in REALS.values() if real.suffix == suffix)
    lanes = Lanes(width, real=real)
    t = lanes.type
    body = _of_doubles(lanes) if real is DOUBLE else _of_floats(lanes)
    head = f"define internal {t} @fused.{lanes.suffix}({t} %a, {t} %b, {t} %c) nounwind {{"
    return [*lanes.declarations(), head, "entry:", *body, "}"]


def _of_floats(lanes: Lanes) -> list[str]:
    doubles = lanes.doubles
    a, b, c = (lanes.widened(x) for x in ("%a", "%b", "%c"))
    result = lanes.narrowed(_odd(doubles, *exact_sum_of_any(doubles, doubles.mul(a, b), c)))
    return [*lanes.lines, f"  ret {lanes.type} {result}"]


def _of_doubles(lanes: Lanes) -> list[str]:
    t, const = lanes.type, lanes.const
    p = lanes.mul("%a", "%b")
    t_high, t_low = exact_sum_of_any(lanes, "%c", _low_of_product(lanes, "%a", "%b", p))
    v, v_low = exact_sum_of_any(lanes, p, t_high)
    fused = lanes.add(v, _odd(lanes, *exact_sum_of_any(lanes, t_low, v_low)))
    # a product that is zero may be -0
    zero = const(0.0)
    is_zero = lanes.either(lanes.equal("%a", zero), lanes.equal("%b", zero))
    fused = lanes.select(is_zero, lanes.add(p, "%c"), fused)
    size = lanes.abs(p)
    largest = size
    for x in ("%a", "%b", "%c"):
        term = lanes.abs(x)
        largest = lanes.select(lanes.less(largest, term), term, largest)
    is_small = lanes.less_equal(largest, const(LARGEST))
    is_large = lanes.less_equal(const(SMALLEST), size)
    fits = lanes.either(lanes.both(is_small, is_large), is_zero)
    if lanes.width > 1:
        every = f"@llvm.vector.reduce.and.v{lanes.width}i1"
        lanes.declare(f"declare i1 {every}({lanes.bool_type})")
        fits = lanes.emit(f"call i1 {every}({lanes.bool_type} {fits})")
    lanes.lines += [
        f"  br i1 {fits}, label %done, label %extreme",
        "done:",
        f"  ret {t} {fused}",
        "extreme:",
    ]
    result = _one_by_one(lanes)
    return [*lanes.lines, f"  ret {t} {result}"]


def _low_of_product(lanes: Lanes, a: str, b: str, p: str) -> str:
    """Return a·b - p for the rounded product p."""
    (a1, a2), (b1, b2) = (_halves(lanes, x) for x in (a, b))
    low = lanes.sub(lanes.mul(a1, b1), p)
    low = lanes.add(low, lanes.mul(a1, b2))
    low = lanes.add(low, lanes.mul(a2, b1))
    return lanes.add(low, lanes.mul(a2, b2))


def _halves(lanes: Lanes, a: str) -> Pair:
    """Return a number as the sum of two of 26 bits."""
    scaled = lanes.mul(a, lanes.const(SPLITTER))
    high = lanes.sub(scaled, lanes.sub(scaled, a))
    return high, lanes.sub(a, high)


def _odd(lanes: Lanes, high: str, low: str) -> str:
    """Return high + low rounded to odd, where high is the sum rounded to nearest."""
    bits = lanes.bits(high)
    # towards zero: the double before where the sum was rounded away from it
    is_beyond = lanes.lshr(lanes.ixor(bits, lanes.bits(low)), lanes.real.bits - 1)
    odd = lanes.double(lanes.ior(lanes.isub(bits, is_beyond), lanes.integer(1)))
    # infinities have NaN as low part, and stay
    is_rounded = lanes.emit(f"fcmp one {lanes.type} {low}, {lanes.const(0.0)}")
    return lanes.select(is_rounded, odd, high)


def _one_by_one(lanes: Lanes) -> str:
    """Return the result of `EXACT` for every lane."""
    t, scalar = lanes.type, lanes.real.type
    call = f"call {scalar} @exact_fused"
    if lanes.width == 1:
        return lanes.emit(f"{call}({scalar} %a, {scalar} %b, {scalar} %c)")
    result = "poison"
    for k in range(lanes.width):
        each = [lanes.emit(f"extractelement {t} {x}, i32 {k}") for x in ("%a", "%b", "%c")]
        one = lanes.emit(f"{call}({', '.join(f'{scalar} {x}' for x in each)})")
        result = lanes.emit(f"insertelement {t} {result}, {scalar} {one}, i32 {k}")
    return result


def _parts(x: str) -> str:
    """Return instructions that take a double apart: |x| = m·2^(e - 1075)."""
    return f"""\
  %bits_{x} = bitcast double %{x} to i64
  %fraction_{x} = and i64 %bits_{x}, {(1 << 52) - 1}
  %shifted_{x} = lshr i64 %bits_{x}, 52
  %field_{x} = and i64 %shifted_{x}, 2047
  %is_normal_{x} = icmp ne i64 %field_{x}, 0
  %leading_{x} = select i1 %is_normal_{x}, i64 {1 << 52}, i64 0
  %m_{x} = or i64 %fraction_{x}, %leading_{x}
  %e_{x} = select i1 %is_normal_{x}, i64 %field_{x}, i64 1
  %is_finite_{x} = icmp ne i64 %field_{x}, 2047
  %is_negative_{x} = icmp slt i64 %bits_{x}, 0"""


EXACT = f"""\
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i256 @llvm.ctlz.i256(i256, i1)
define internal double @exact_fused(double %a, double %b, double %c) noinline nounwind {{
{_parts("a")}
{_parts("b")}
{_parts("c")}
  %product = fmul double %a, %b
  %plain = fadd double %product, %c
  %factors_are_finite = and i1 %is_finite_a, %is_finite_b
  %are_finite = and i1 %factors_are_finite, %is_finite_c
  ; an infinity or NaN stays; a product that overflows counts less than an infinite sum
  %special = select i1 %factors_are_finite, double %c, double %plain
  br i1 %are_finite, label %finite, label %not_finite
not_finite:
  ret double %special
finite:
  %is_zero_a = icmp eq i64 %m_a, 0
  %is_zero_b = icmp eq i64 %m_b, 0
  %is_zero = or i1 %is_zero_a, %is_zero_b
  br i1 %is_zero, label %zero, label %sum
zero:
  ret double %plain
sum:
  ; the product has 106 bits or fewer
  %wide_a = zext i64 %m_a to i256
  %wide_b = zext i64 %m_b to i256
  %wide_c = zext i64 %m_c to i256
  %wide_p = mul i256 %wide_a, %wide_b
  %e_sum = add i64 %e_a, %e_b
  %e_p = sub i64 %e_sum, 1075
  %is_zero_c = icmp eq i64 %m_c, 0
  %e_c0 = select i1 %is_zero_c, i64 %e_p, i64 %e_c
  ; a term far below the last place of the other only tells on which side of it the sum lies
  %above = sub i64 %e_c0, %e_p
  %p_is_tiny = icmp sge i64 %above, 110
  %c_is_tiny = icmp sle i64 %above, -57
  %p1 = select i1 %p_is_tiny, i256 1, i256 %wide_p
  %p_below = sub i64 %e_c0, 4
  %e_p1 = select i1 %p_is_tiny, i64 %p_below, i64 %e_p
  %c1 = select i1 %c_is_tiny, i256 1, i256 %wide_c
  %c_below = sub i64 %e_p, 4
  %e_c1 = select i1 %c_is_tiny, i64 %c_below, i64 %e_c0
  ; both at the lower exponent
  %e = call i64 @llvm.smin.i64(i64 %e_p1, i64 %e_c1)
  %up_p = sub i64 %e_p1, %e
  %up_c = sub i64 %e_c1, %e
  %wide_up_p = zext i64 %up_p to i256
  %wide_up_c = zext i64 %up_c to i256
  %p2 = shl i256 %p1, %wide_up_p
  %c2 = shl i256 %c1, %wide_up_c
  %p_is_negative = xor i1 %is_negative_a, %is_negative_b
  %minus_p = sub i256 0, %p2
  %minus_c = sub i256 0, %c2
  %p3 = select i1 %p_is_negative, i256 %minus_p, i256 %p2
  %c3 = select i1 %is_negative_c, i256 %minus_c, i256 %c2
  %exact = add i256 %p3, %c3
  %vanishes = icmp eq i256 %exact, 0
  br i1 %vanishes, label %nothing, label %round
nothing:
  ret double 0.0
round:
  %is_negative = icmp slt i256 %exact, 0
  %minus = sub i256 0, %exact
  %n = select i1 %is_negative, i256 %minus, i256 %exact
  ; the exponent of the last place: of 53 bits, or of the smallest doubles
  %zeros = call i256 @llvm.ctlz.i256(i256 %n, i1 true)
  %zeros_64 = trunc i256 %zeros to i64
  %length = sub i64 256, %zeros_64
  %over = sub i64 %length, 53
  %e_53 = add i64 %e, %over
  %last = call i64 @llvm.smax.i64(i64 %e_53, i64 1)
  %down = sub i64 %last, %e
  %is_short = icmp sle i64 %down, 0
  br i1 %is_short, label %fits, label %cut
fits:
  %up = sub i64 0, %down
  %wide_up = zext i64 %up to i256
  %n_fits = shl i256 %n, %wide_up
  br label %pack
cut:
  ; to nearest, ties to even; all beyond 200 places is below a half
  %places = call i64 @llvm.smin.i64(i64 %down, i64 200)
  %wide_places = zext i64 %places to i256
  %whole = lshr i256 %n, %wide_places
  %again = shl i256 %whole, %wide_places
  %rest = sub i256 %n, %again
  %half_places = sub i256 %wide_places, 1
  %half = shl i256 1, %half_places
  %is_more = icmp ugt i256 %rest, %half
  %is_tie = icmp eq i256 %rest, %half
  %is_odd = trunc i256 %whole to i1
  %tie_up = and i1 %is_tie, %is_odd
  %rounds_up = or i1 %is_more, %tie_up
  %one = zext i1 %rounds_up to i256
  %n_cut = add i256 %whole, %one
  br label %pack
pack:
  %n_last = phi i256 [%n_fits, %fits], [%n_cut, %cut]
  %n_64 = trunc i256 %n_last to i64
  ; the leading bit counts as one more of the exponent, as does what rounding carries into it
  %field = sub i64 %last, 1
  %capped = call i64 @llvm.smin.i64(i64 %field, i64 2046)
  %high_bits = shl i64 %capped, 52
  %unsigned = add i64 %high_bits, %n_64
  %is_infinite = icmp uge i64 %unsigned, {2047 << 52}
  %magnitude = select i1 %is_infinite, i64 {2047 << 52}, i64 %unsigned
  %sign = zext i1 %is_negative to i64
  %sign_bit = shl i64 %sign, 63
  %result_bits = or i64 %magnitude, %sign_bit
  %result = bitcast i64 %result_bits to double
  ret double %result
}}"""
"""The function of single numbers, whatever their size."""
