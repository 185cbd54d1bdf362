"""Antiderivatives of sums of powers, sines, cosines and exponentials."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import flint

from dalembert.expr import ONE, ZERO, Expr, abs_, constant, cos, exp, log, power, sin
from dalembert.expr.calculus import diff
from dalembert.expr.node import total as expr_total
from dalembert.ring import Element, Ring, canonical, monomial_expr, partial, rebuild, ring_of
from dalembert.ring.choose.angles import form_expr
from dalembert.ring.waves import single_angles

MAX_TERMS = 200


def antiderivative(e: Expr, v: Expr) -> Expr | None:
    """Return F with ∂F/∂v = e, or None if it is not among the simple forms.

    Found are sums of vⁿ, vⁿ sin, vⁿ cos and vⁿ exp of angles and exponents linear in v, negative
    powers of v, c f′/f, which gives c log|f|, and the inverse of a sine or cosine.

    >>> from dalembert import coordinates, sin
    >>> x, y = coordinates("x y")
    >>> antiderivative(y * sin(x), x)
    -y cos(x)
    """
    if v not in e.symbols:
        return e * v
    ring = ring_of([e], [v])
    x = canonical(ring, e)
    if len(x) > MAX_TERMS:
        return None
    found = _of_quotient(ring, x, v)
    if found is not None or x.is_polynomial:
        return found
    # a sum of fractions part by part
    parts = [_of_quotient(ring, ring.polynomial(p).over(key), v) for key, p in x.parts()]
    return None if None in parts else expr_total([part for part in parts if part is not None])


def _of_quotient(ring: Ring, x: Element, v: Expr) -> Expr | None:
    """Return the antiderivative of an element over one denominator."""
    num, den = x.over_one()
    below = _power_below(ring, den, v)
    if below is None:
        found = _logarithm(ring, num, den, v)
        return _cosecant(ring, x, v) if found is None else found
    total = ZERO
    for exponents, k in num.to_dict().items():
        part = _of_term(ring, [int(n) for n in exponents], v, below)
        if part is None:
            return None
        total = total + constant(Fraction(int(k.p), int(k.q))) * part
    # what stands below the fraction bar beside the power of v does not depend on it
    i = ring.index[v]
    rest = {(*e[:i], 0, *e[i + 1 :]): k for e, k in den.to_dict().items()}
    return total / rebuild(ring.polynomial(ring.context.from_dict(rest)))


def _power_below(ring: Ring, den: flint.fmpq_mpoly, v: Expr) -> int | None:
    """Return n where the denominator is vⁿ times what does not depend on v, else None."""
    i = ring.index[v]
    moving = [j for j, g in enumerate(ring.generators) if j != i and v in g.symbols]
    powers = {int(e[i]) for e in den.to_dict()}
    if len(powers) > 1 or any(e[j] for e in den.to_dict() for j in moving):
        return None
    return powers.pop()


def _logarithm(ring: Ring, num: flint.fmpq_mpoly, den: flint.fmpq_mpoly, v: Expr) -> Expr | None:
    """Return c log|f| for c f′/f."""
    d = partial(ring, v)
    slope = d(ring.polynomial(den))
    if slope.is_surely_zero:
        return None
    c = ring.polynomial(num) / slope
    if not d(c).is_surely_zero:
        return None
    return rebuild(c) * log(abs_(rebuild(ring.polynomial(den))))


def _cosecant(ring: Ring, x: Element, v: Expr) -> Expr | None:
    """Return the antiderivative of c/sin φ or c/cos φ, φ = k v + …

    ∫ dφ/sin φ = log|(1 - cos φ)/sin φ|,  ∫ dφ/cos φ = log|(1 + sin φ)/cos φ|
    """
    for a in ring.angles:
        phi = form_expr(a.form)
        k = diff(phi, v)
        for place, is_sine in ((a.sin, True), (a.cos, False)):
            c = x * ring.element_at(place)
            if v in phi.symbols and v not in k.symbols and partial(ring, v)(c).is_surely_zero:
                ratio = (1 - cos(phi)) / sin(phi) if is_sine else (1 + sin(phi)) / cos(phi)
                return rebuild(c) * log(abs_(ratio)) / k
    return None


class Factors(NamedTuple):
    """A term as vⁿ · Π sines and cosines · exp · rest; the rest does not depend on v."""

    n: int
    powers: list[tuple[int, int]]
    angles: list[Expr]
    exponent: Expr
    rest: list[int]


def _of_term(ring: Ring, exponents: list[int], v: Expr, below: int) -> Expr | None:
    """Return the antiderivative of a product of generators."""
    split = _factors(ring, exponents, v, below)
    if split is None:
        return None
    n, powers, angles, exponent, rest = split
    if powers and exponent is not ZERO:
        return None
    total = ZERO
    if exponent is not ZERO:
        part = _of_exponential(n, exponent, v)
        return None if part is None else monomial_expr(ring, rest) * part
    # a product of sines and cosines is a sum of single ones
    for is_sine, multiples, k in single_angles(tuple(powers)):
        phase = ZERO
        for angle, times in zip(angles, multiples, strict=True):
            phase = phase + times * angle
        part = _of_wave(n, bool(is_sine), phase, v)
        if part is None:
            return None
        total = total + k * part
    return monomial_expr(ring, rest) * total


def _factors(ring: Ring, exponents: list[int], v: Expr, below: int) -> Factors | None:
    rest = list(exponents)
    n = rest[ring.index[v]] - below
    rest[ring.index[v]] = 0
    powers, angles = [], []
    for a in ring.angles:
        if v in form_expr(a.form).symbols and (rest[a.sin] or rest[a.cos]):
            powers.append((rest[a.sin], rest[a.cos]))
            angles.append(form_expr(a.form))
            rest[a.sin] = rest[a.cos] = 0
    exponent = ZERO
    for i, g in enumerate(ring.generators):
        if rest[i] and v in g.symbols:
            if g.op != "exp":
                return None
            exponent, rest[i] = exponent + rest[i] * g.args[0], 0
    return Factors(n, powers, angles, exponent, rest)


def _of_wave(n: int, is_sine: bool, phase: Expr, v: Expr) -> Expr | None:
    """Return ∫ vⁿ sin φ dv or ∫ vⁿ cos φ dv by parts, φ linear in v."""
    k = diff(phase, v)
    wave = sin(phase) if is_sine else cos(phase)
    if k is ZERO:
        return wave * _of_power(n, v)
    if n < 0 or v in k.symbols:
        return None
    # ∫ vⁿ sin φ = (-vⁿ cos φ + n ∫ vⁿ⁻¹ cos φ)/k,  ∫ vⁿ cos φ = (vⁿ sin φ - n ∫ vⁿ⁻¹ sin φ)/k
    head = -power(v, Fraction(n)) * cos(phase) if is_sine else power(v, Fraction(n)) * sin(phase)
    if n == 0:
        return head / k
    tail = _of_wave(n - 1, not is_sine, phase, v)
    if tail is None:
        return None
    return (head + (n if is_sine else -n) * tail) / k


def _of_exponential(n: int, exponent: Expr, v: Expr) -> Expr | None:
    """Return ∫ vⁿ exp(u) dv by parts, u linear in v."""
    k = diff(exponent, v)
    if n < 0 or k is ZERO or v in k.symbols:
        return None
    total, factor = ZERO, ONE
    for j in range(n, -1, -1):
        # vⁿ/k - n vⁿ⁻¹/k² + …
        total = total + factor * power(v, Fraction(j)) / k
        factor = factor * -j / k
    return total * exp(exponent)


def _of_power(n: int, v: Expr) -> Expr:
    """Return ∫ vⁿ dv."""
    return log(abs_(v)) if n == -1 else power(v, Fraction(n + 1)) / (n + 1)
