"""Recurrences of power series, one for each operation of a program.

With a' = Σ k aₖ tᵏ the product rule gives them all: e = exp a has e' = e a', so
k eₖ = D(a', e) + k aₖ e₀. References: Moore, Interval Analysis (1966), ch. 11; Griewank & Walther,
Evaluating Derivatives (2008), ch. 13.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dalembert.errors import InvalidExpression
from dalembert.kernel.backends.llvm.elementary.sincos import sincos
from dalembert.kernel.backends.llvm.series.memory import Series, SeriesMemory


def write_value(m: SeriesMemory, i: int) -> None:
    """Write the recurrence of one instruction.

    Raises:
        InvalidExpression: it has no power series.
    """
    op, args, value = m.program.code[i]
    if i in m.still or ("value", i) in m.now or op == "sincos":
        return
    if op == "pow":
        _power(m, i, args[0], value)
    elif op in RULES:
        RULES[op](m, i, *args)
    else:
        raise InvalidExpression(
            f"expected operations that have a power series, got {op!r} in {m.program.name}"
        )


# ---- arithmetic


def _neg(m: SeriesMemory, i: int, a: int) -> None:
    m.define(("value", i), m.lanes.neg(m.now["value", a]))


def _add(m: SeriesMemory, i: int, a: int, b: int) -> None:
    m.define(("value", i), _sum(m, m.now.get(("value", a)), m.now.get(("value", b))))


def _sub(m: SeriesMemory, i: int, a: int, b: int) -> None:
    m.define(("value", i), _difference(m, m.now.get(("value", a)), m.now.get(("value", b))))


def _mul(m: SeriesMemory, i: int, a: int, b: int) -> None:
    x = _product(m, a, b)
    assert x is not None
    m.define(("value", i), x)


def _fma(m: SeriesMemory, i: int, a: int, b: int, c: int) -> None:
    m.define(("value", i), _sum(m, _product(m, a, b), m.now.get(("value", c))))


def _fms(m: SeriesMemory, i: int, a: int, b: int, c: int) -> None:
    m.define(("value", i), _difference(m, _product(m, a, b), m.now.get(("value", c))))


def _fnma(m: SeriesMemory, i: int, a: int, b: int, c: int) -> None:
    m.define(("value", i), _difference(m, m.now.get(("value", c)), _product(m, a, b)))


def _div(m: SeriesMemory, i: int, a: int, b: int) -> None:
    # r = a/b: rₖ = (aₖ - D(r, b) - r₀ bₖ) / b₀
    x, inverse = m.now.get(("value", a)), m.inverse(b)
    if b not in m.still:
        rb = m.lanes.fma(m.zeroth(i), m.now["value", b], m.inner(("value", i), ("value", b)))
        x = _difference(m, x, rb)
    assert x is not None
    m.define(("value", i), m.lanes.mul(x, inverse))


def _sqrt(m: SeriesMemory, i: int, a: int) -> None:
    # s² = a: sₖ = (aₖ - D(s, s)) / 2s₀
    rest = m.lanes.sub(m.now["value", a], m.inner(("value", i), ("value", i)))
    half = m.lanes.mul(m.lanes.const(0.5), m.inverse(i))
    m.define(("value", i), m.lanes.mul(rest, half))


def _power(m: SeriesMemory, i: int, a: int, exponent: Fraction) -> None:
    # b = aᵅ: a b' = α a' b
    right = _slope_times(m, a, ("value", i), m.zeroth(i))
    right = m.lanes.mul(m.lanes.const(float(exponent)), right)
    rest = m.lanes.sub(right, m.inner(("slope", i), ("value", a)))
    _define_slope(m, i, m.lanes.mul(rest, m.inverse(a)))


def _abs(m: SeriesMemory, i: int, a: int) -> None:
    with m.before_loop():
        one = m.lanes.copysign(m.lanes.const(1.0), m.first[a])
    m.define(("value", i), m.lanes.mul(m.keep(("sign", i), one), m.now["value", a]))


# ---- functions


def _exp(m: SeriesMemory, i: int, a: int) -> None:
    # e' = e a'
    _define_slope(m, i, _slope_times(m, a, ("value", i), m.zeroth(i)))


def _log(m: SeriesMemory, i: int, a: int) -> None:
    # a l' = a'
    rest = m.lanes.sub(m.now[m.slope(a)], m.inner(("slope", i), ("value", a)))
    _define_slope(m, i, m.lanes.mul(rest, m.inverse(a)))


def _sin(m: SeriesMemory, i: int, a: int) -> None:
    _sine_and_cosine(m, sine=i, cosine=_find(m, "cos", a), angle=a)


def _cos(m: SeriesMemory, i: int, a: int) -> None:
    _sine_and_cosine(m, sine=_find(m, "sin", a), cosine=i, angle=a)


def _sin_of(m: SeriesMemory, i: int, pair: int) -> None:
    angle = m.program.code[pair].args[0]
    _sine_and_cosine(m, sine=i, cosine=_find(m, "cos_of", pair), angle=angle)


def _cos_of(m: SeriesMemory, i: int, pair: int) -> None:
    angle = m.program.code[pair].args[0]
    _sine_and_cosine(m, sine=_find(m, "sin_of", pair), cosine=i, angle=angle)


def _sine_and_cosine(m: SeriesMemory, *, sine: int | None, cosine: int | None, angle: int) -> None:
    # s' = c a', c' = -s a'; the one that the program does not want is carried along
    s: Series = ("extra", angle) if sine is None else ("value", sine)
    c: Series = ("extra", angle) if cosine is None else ("value", cosine)
    s0, c0 = (
        _absent_half(m, angle, half) if i is None else m.zeroth(i)
        for half, i in enumerate((sine, cosine))
    )
    s_next = _over_order(m, _slope_times(m, angle, c, c0))
    c_next = _over_order(m, _slope_times(m, angle, s, s0))
    m.define(s, s_next)
    m.define(c, m.lanes.neg(c_next))


def _absent_half(m: SeriesMemory, angle: int, half: int) -> str:
    with m.before_loop():
        x = sincos(m.lanes, m.first[angle])[half]
    return m.keep(("half", angle, half), x)


def _find(m: SeriesMemory, op: str, a: int) -> int | None:
    """Return the instruction that does this to the operand: equal ones were merged."""
    for i in range(a + 1, len(m.program.code)):
        if m.program.code[i].op == op and m.program.code[i].args[0] == a:
            return i
    return None


def _tan(m: SeriesMemory, i: int, a: int) -> None:
    _tangent(m, i, a, 1.0)


def _tanh(m: SeriesMemory, i: int, a: int) -> None:
    _tangent(m, i, a, -1.0)


def _tangent(m: SeriesMemory, i: int, a: int, sign: float) -> None:
    # t' = u a', u = 1 ± t²
    lanes, t, u = m.lanes, ("value", i), ("extra", i)
    with m.before_loop():
        u0 = lanes.fma(lanes.mul(lanes.const(sign), m.first[i]), m.first[i], lanes.const(1.0))
    m.define(t, _over_order(m, _slope_times(m, a, u, m.keep(u, u0))))
    square = lanes.fma(lanes.mul(lanes.const(2.0), m.zeroth(i)), m.now[t], m.inner(t, t))
    m.define(u, lanes.mul(lanes.const(sign), square))


def _asin(m: SeriesMemory, i: int, a: int) -> None:
    _arc(m, i, a, 1.0)


def _acos(m: SeriesMemory, i: int, a: int) -> None:
    _arc(m, i, a, -1.0)


def _arc(m: SeriesMemory, i: int, a: int, sign: float) -> None:
    # w y' = ±a', w' = ∓a y', w = √(1 - a²)
    lanes, w = m.lanes, ("extra", i)
    with m.before_loop():
        one, a0 = lanes.const(1.0), m.first[a]
        w0 = lanes.sqrt(lanes.mul(lanes.sub(one, a0), lanes.add(one, a0)))
        inverse = lanes.div(one, w0)
    signed = lanes.mul(lanes.const(sign), m.now[m.slope(a)])
    rest = lanes.sub(signed, m.inner(("slope", i), w))
    _define_slope(m, i, lanes.mul(rest, m.keep(("inverse", w), inverse)))
    change = _slope_times(m, i, ("value", a), m.zeroth(a))
    m.define(w, lanes.mul(lanes.const(-sign), _over_order(m, change)))


def _atan2(m: SeriesMemory, i: int, y: int, x: int) -> None:
    # r θ' = x y' - y x', r = x² + y²
    lanes, r = m.lanes, ("extra", i)
    with m.before_loop():
        x0, y0 = m.first[x], m.first[y]
        inverse = lanes.div(lanes.const(1.0), lanes.fma(x0, x0, lanes.mul(y0, y0)))
    turn, radius = lanes.const(0.0), lanes.const(0.0)
    for a, b, sign in ((y, x, 1.0), (x, y, -1.0)):
        if a not in m.still:
            turn = lanes.fma(lanes.const(sign), _slope_times(m, a, ("value", b), m.zeroth(b)), turn)
            twice = lanes.mul(lanes.const(2.0), m.zeroth(a))
            square = lanes.fma(twice, m.now["value", a], m.inner(("value", a), ("value", a)))
            radius = lanes.add(radius, square)
    rest = lanes.sub(turn, m.inner(("slope", i), r))
    _define_slope(m, i, lanes.mul(rest, m.keep(("inverse", r), inverse)))
    m.define(r, radius)


RULES: dict[str, Callable[..., None]] = {
    "neg": _neg,
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "fma": _fma,
    "fms": _fms,
    "fnma": _fnma,
    "div": _div,
    "sqrt": _sqrt,
    "abs": _abs,
    "exp": _exp,
    "log": _log,
    "sin": _sin,
    "cos": _cos,
    "sin_of": _sin_of,
    "cos_of": _cos_of,
    "tan": _tan,
    "tanh": _tanh,
    "asin": _asin,
    "acos": _acos,
    "atan2": _atan2,
}

# ---- parts; None is the coefficient of what does not change in time


def _product(m: SeriesMemory, a: int, b: int) -> str | None:
    """Return (a b)ₖ = D(a, b) + a₀ bₖ + aₖ b₀."""
    left, right = m.now.get(("value", a)), m.now.get(("value", b))
    if left is None and right is None:
        return None
    if right is None:
        assert left is not None
        return m.lanes.mul(left, m.zeroth(b))
    if left is None:
        return m.lanes.mul(m.zeroth(a), right)
    total = m.lanes.fma(m.zeroth(a), right, m.inner(("value", a), ("value", b)))
    return m.lanes.fma(left, m.zeroth(b), total)


def _sum(m: SeriesMemory, a: str | None, b: str | None) -> str:
    if a is None or b is None:
        return _only(a, b)
    return m.lanes.add(a, b)


def _difference(m: SeriesMemory, a: str | None, b: str | None) -> str:
    if b is None:
        return _only(a, b)
    return m.lanes.neg(b) if a is None else m.lanes.sub(a, b)


def _only(*coefficients: str | None) -> str:
    (x,) = (x for x in coefficients if x is not None)
    return x


def _slope_times(m: SeriesMemory, a: int, b: Series, b0: str) -> str:
    """Return (a' b)ₖ = D(a', b) + k aₖ b₀: a' begins with order 1."""
    slope = m.slope(a)
    if b[0] == "value" and b[1] in m.still:
        return m.lanes.mul(m.now[slope], b0)
    return m.lanes.fma(m.now[slope], b0, m.inner(slope, b))


def _over_order(m: SeriesMemory, x: str) -> str:
    return m.lanes.mul(x, "%k_inverse")


def _define_slope(m: SeriesMemory, i: int, slope: str) -> None:
    """Set k aₖ, which products may want, and aₖ."""
    m.define(("slope", i), slope)
    m.define(("value", i), _over_order(m, slope))
