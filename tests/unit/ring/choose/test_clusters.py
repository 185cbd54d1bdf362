"""Angles of any ratio: short forms, exact decisions, accurate values."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest

import dalembert as da
from dalembert.ring import canonical, ring_of
from dalembert.ring.choose.angles import LinearForm
from dalembert.ring.choose.clusters import clusters, dependent, rank
from tests.cases import num_cases
from tests.laws.statements import value

(q,), (x, y) = da.coordinates("q"), da.coordinates("x y")
m, l, g = da.parameters("m l g")
s, c = da.sin, da.cos

DIGITS = 60
# cancellation of a few terms of similar size
ACCURACY = 1e-11


def energy(r: Fraction) -> da.Expr:
    return c(q) + c(r * q) + c(q) * c(r * q)


def slope(r: Fraction) -> da.Expr:
    """Return the derivative of `energy`, by hand."""
    return -s(q) - r * s(r * q) - s(q) * c(r * q) - r * c(q) * s(r * q)


def mimic_arm(r: Fraction) -> tuple[da.System, list[da.Expr]]:
    """Return a planar arm whose third joint turns r times as far as the second, and ∂V/∂q."""
    angles = [x, x + y, x + y + r * y]
    T = V = 0 * m
    px = py = 0 * m
    for phi in angles:
        px, py = px + l * c(phi), py + l * s(phi)
        T, V = T + m * (da.ddt(px) ** 2 + da.ddt(py) ** 2) / 2, V + m * g * py
    # ∂V/∂x = Σ (3 - i) m g l cos φᵢ, and the same with ∂φᵢ/∂y
    weights = [(3 - i) * m * g * l * c(phi) for i, phi in enumerate(angles)]
    gravity = [sum(weights, 0 * m), weights[1] + (1 + r) * weights[2]]
    return da.System(kinetic=T, potential=V, coordinates=[x, y]), gravity


def error(e: da.Expr, expected: da.Expr, at: dict[da.Expr, Fraction]) -> float:
    with mpmath.workdps(DIGITS):
        truth = value(expected, at)
        got = e.evaluate({symbol: float(k) for symbol, k in at.items()})
        return float(abs(got - truth) / max(1, abs(truth)))


def test_any_ratio_is_derived_and_evaluated(draw: random.Random, scale: float) -> None:
    for i in range(num_cases(12, scale)):
        digits = draw.randint(2, 7)
        r = Fraction(str(round(draw.uniform(0.5, 1.3 if i % 2 else 60), digits)))
        eq = da.System(kinetic=q.dot**2 / 2, potential=energy(r), coordinates=[q]).equations()
        system, gravity = mimic_arm(r)
        arm = system.equations()
        for _ in range(4):
            at = {v: Fraction(draw.randint(-3000, 3000), 1009) for v in (q, x, y)}
            at |= {v: Fraction(draw.randint(500, 3000), 1009) for v in (m, l, g)}
            assert error(eq.N[0], slope(r), at) < ACCURACY
            assert error(arm.N[1], gravity[1], at) < ACCURACY
        assert all(proof.is_proved for proof in arm.prove())


def test_the_examples_that_cancelled() -> None:
    """cos q + cos 0.98 q was a polynomial in cos(q/50); 1.03 q and 0.872665 q likewise."""
    for text, at, expected in (
        ("0.98", "2.5", mpmath.cos(2.5) + mpmath.cos("2.45")),
        ("1.03", "3", mpmath.cos(3) + mpmath.cos("3.09")),
        ("0.872665", "1", mpmath.cos(1) + mpmath.cos("0.872665")),
    ):
        V = c(q) + c(Fraction(text) * q)
        e = da.System(kinetic=q.dot**2 / 2, potential=V, coordinates=[q]).equations().V
        assert abs(e.evaluate({q: float(at)}) - float(expected)) < 1e-15
        lower, upper = ("", f"{text} ") if text > "1" else (f"{text} ", "")
        assert str(e) == f"cos({lower}q) + cos({upper}q)"


r = Fraction("0.872665")
TRUE = [
    (c(q) * c(r * q), (c((1 + r) * q) + c((1 - r) * q)) / 2),
    (c((1 + r) * q), c(q) * c(r * q) - s(q) * s(r * q)),
    (c(3 * r * q), 4 * c(r * q) ** 3 - 3 * c(r * q)),
    (s(100 * q), 2 * s(50 * q) * c(50 * q)),
    (s(100 * q) / s(50 * q), 2 * c(50 * q)),
    (1 / (2 + c(q) * c(r * q)), 2 / (4 + c((1 + r) * q) + c((1 - r) * q))),
    (1 / (2 + c(r * q)), (2 - c(r * q)) / (3 + s(r * q) ** 2)),
    (da.sqrt(2 + c(q) * c(r * q)), da.sqrt(2 + c((1 + r) * q) / 2 + c((1 - r) * q) / 2)),
    (s(50 * x) * c(50 * y), (s(50 * x + 50 * y) + s(50 * x - 50 * y)) / 2),
]


@pytest.mark.parametrize(("left", "right"), TRUE)
def test_identities_between_multiples_are_decided(left: da.Expr, right: da.Expr) -> None:
    assert da.equal(left, right)
    assert not da.equal(left, right * (1 + Fraction(1, 10**40)))
    assert not da.equal(left, right + s(q) / 10**60)
    ring = ring_of([left - right])
    assert canonical(ring, left - right).is_surely_zero


def test_a_hidden_zero_of_waves_is_no_pivot_or_divisor() -> None:
    zero = c(q) * c(r * q) - (c((1 + r) * q) + c((1 - r) * q)) / 2
    with pytest.raises(da.DivisionByZero):
        canonical(ring_of([zero]), 1 / zero)
    a = da.Matrix([[1, q], [1, q + zero]])
    with pytest.raises(da.SingularSystem):
        a.solve(da.Matrix([[1], [1]]))
    assert da.equal(a.det(), 0)


def test_every_form_has_a_place_in_one_cluster(draw: random.Random, scale: float) -> None:
    for _ in range(num_cases(40, scale)):
        forms: list[LinearForm] = []
        for _ in range(draw.randint(1, 6)):
            k = Fraction(draw.choice(("1", "1", "2", "7", "0.98", "1/3", "7.3")))
            terms = draw.sample([x, y, q], draw.randint(1, 3))
            forms.append({t: k * draw.choice((1, -1, 2)) for t in terms})
        groups = clusters(forms)
        for group in groups:
            assert rank(group) == len(group)
            assert not dependent(group)
        angles = [angle for group in groups for angle in group]
        assert bool(dependent(angles)) == (rank(angles) < len(angles))
        ring = ring_of([c(sum((k * t for t, k in form.items()), 0 * x)) for form in forms])
        assert len(ring.angles) == len(angles)
        # a product of few sines for each, so that floats do not cancel
        for form in forms:
            e = c(sum((k * t for t, k in form.items()), 0 * x))
            assert max(canonical(ring, e).polynomial.degrees(), default=0) <= 6


def test_small_multiples_keep_common_angles() -> None:
    assert len(clusters([{x: Fraction(1)}, {x: Fraction(1, 2)}, {x: Fraction(3)}])) == 1
    assert len(clusters([{x: Fraction(1)}, {x: Fraction(7)}])) == 2
    absolute = [{v: Fraction(1) for v in (q, x, y)[: i + 1]} for i in range(3)]
    assert clusters(absolute) == [absolute]
