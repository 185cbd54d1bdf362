"""Sums of fractions stay sums, and whether one is zero is decided, not read off its form."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.ring import Element, canonical, is_zero, partial, rebuild, ring_of
from tests.effort import at_once

x, y, z = da.coordinates("x y z")
a, b = da.parameters("a b")
r = da.sqrt(x**2 + y**2)
s, c = da.sin, da.cos

TRUE = [
    # one sum over two sets of denominators
    (1 / (x * y), 1 / (x * (x + y)) + 1 / (y * (x + y))),
    ((x + y) / (x * y), 1 / x + 1 / y),
    (1 / (x - a) - 1 / (x + a), 2 * a / (x**2 - a**2)),
    # on the circle factors are not unique
    (1 / (1 + c(x)), (1 - c(x)) / s(x) ** 2),
    (s(x) / (1 + c(x)), (1 - c(x)) / s(x)),
    (1 / (1 + s(x)) + 1 / (1 - s(x)), 2 / c(x) ** 2),
    # roots below the line
    (1 / r, r / (x**2 + y**2)),
    (1 / (1 + da.sqrt(x)), (1 - da.sqrt(x)) / (1 - x)),
    (1 / (da.sqrt(a) + da.sqrt(b)), (da.sqrt(a) - da.sqrt(b)) / (a - b)),
    (x**2 / r**3 + y**2 / r**3, 1 / r),
    (1 / (r - x) + 1 / (r + x), 2 * r / y**2),
    # a root of a fraction
    (da.sqrt(x / y) / x, da.sqrt(x / y) / y * y / x),
    (da.sqrt(a / (1 + x**2)) ** 3 * (1 + x**2), a * da.sqrt(a / (1 + x**2))),
    # angles that depend on each other
    (1 / c(a * x) + 1 / c(0.98 * x), (c(a * x) + c(0.98 * x)) / (c(a * x) * c(0.98 * x))),
]


@pytest.mark.parametrize(("left", "right"), TRUE, ids=[f"{e}"[:40] for e, _ in TRUE])
def test_two_forms_of_one_sum_are_equal(left: da.Expr, right: da.Expr) -> None:
    ring = ring_of([left, right], [x])
    assert is_zero(canonical(ring, left) - canonical(ring, right))
    assert canonical(ring, left) == canonical(ring, right)


@pytest.mark.parametrize(("left", "right"), TRUE, ids=[f"{e}"[:40] for e, _ in TRUE])
def test_a_small_difference_is_seen(left: da.Expr, right: da.Expr) -> None:
    tiny = Fraction(1, 10**12)
    ring = ring_of([left, right], [x])
    assert not is_zero(canonical(ring, left) - canonical(ring, right * (1 + tiny)))
    assert not is_zero(canonical(ring, left) - canonical(ring, right + tiny * x))


def test_random_sums_have_the_values_of_their_terms(rng) -> None:
    """Sums, products, quotients and derivatives at rational points, by Python's fractions."""
    factors = [x - a, x + y, x * y + 1, y - b, x**2 + y**2, a + b]
    for _ in range(20):
        terms = []
        for _ in range(4):
            i, j = rng.integers(len(factors), size=2)
            k, e = (int(n) for n in rng.integers(1, 4, size=2))
            terms.append(k * factors[rng.integers(len(factors))] / (factors[i] ** e * factors[j]))
        whole = terms[0] + terms[1] * terms[2] - terms[3] / (1 + terms[0] ** 2)
        ring = ring_of([whole], [x])
        element = canonical(ring, whole)
        num, den = (rebuild(ring.polynomial(p)) for p in element.over_one())
        slope = rebuild(partial(ring, x)(element))
        for _ in range(3):
            point = {v: Fraction(int(rng.integers(1, 99)), 7) for v in (x, y, a, b)}
            expected = _exact(whole, point)
            assert _exact(rebuild(element), point) == expected
            assert _exact(num, point) / _exact(den, point) == expected
            assert _exact(slope, point) == _exact(whole.diff(x), point)


def _exact(e: da.Expr, point: dict[da.Expr, Fraction]) -> Fraction:
    """Return the value of a rational expression."""
    done: dict[da.Expr, Fraction] = dict(point)
    for node in da.expr.postorder([e]):
        if node in done:
            continue
        args = [done[x] for x in node.args]
        match node.op:
            case "const":
                done[node] = Fraction(node.value)
            case "add":
                done[node] = args[0] + args[1]
            case "sub":
                done[node] = args[0] - args[1]
            case "mul":
                done[node] = args[0] * args[1]
            case "div":
                done[node] = args[0] / args[1]
            case "neg":
                done[node] = -args[0]
            case "pow":
                done[node] = args[0] ** int(node.value)
            case _:
                raise AssertionError(node.op)
    return done[e]


def test_derivatives_make_no_common_denominator() -> None:
    poles = [da.parameters(f"a{i}")[0] for i in range(40)]
    e = sum((1 / (x - p) ** 2 for p in poles), 0 * x)
    ring = ring_of([e], [x])
    element = canonical(ring, e)
    for order in range(1, 4):
        element = partial(ring, x)(element)
        assert len(element.fractions or {}) == 40
        assert max(n for key in element.fractions or {} for _, n in key) == 2 + order
    # three times differentiated, -24/(x - p)⁵
    third = sum((-24 / (x - p) ** 5 for p in poles), 0 * x)
    assert at_once(lambda: is_zero(element - canonical(ring, third)))


def test_a_power_below_the_line_is_not_multiplied_out() -> None:
    d = (x - a) ** 2 + (y - b) ** 2 + z**2
    ring = ring_of([d], [x])
    element = at_once(lambda: canonical(ring, a / d**40))
    assert len(element) < 20
    assert is_zero(element * canonical(ring, d) ** 3 - canonical(ring, a / d**37))


def test_algebra_asks_for_one_quotient_by_name() -> None:
    element = canonical(ring_of([1 / x + 1 / y]), 1 / x + 1 / y)
    with pytest.raises(da.InvalidExpression, match="over one denominator"):
        element.polynomial  # noqa: B018
    num, den = element.over_one()
    assert {str(num), str(den)} == {"x0 + x1", "x0*x1"}
    # what is not said by the form cannot be asked from it
    assert not {"num", "den", "is_zero"} & set(dir(Element))


def test_sums_of_distances_are_decided_pair_by_pair() -> None:
    """The forces of eight bodies have no resultant: 28 distances, never over one denominator."""
    xs = da.coordinates(" ".join(f"x{i}" for i in range(8)))
    ys = da.coordinates(" ".join(f"y{i}" for i in range(8)))
    forces = []
    for i in range(8):
        for j in range(8):
            if i != j:
                d = da.sqrt((xs[i] - xs[j]) ** 2 + (ys[i] - ys[j]) ** 2)
                forces.append((xs[j] - xs[i]) / d**3)
    total = sum(forces[1:], forces[0])
    assert at_once(lambda: da.equal(total, 0))
    assert not at_once(lambda: da.equal(total + forces[0] / 10**9, 0))


def test_floats_of_a_sum_do_not_cancel(rng) -> None:
    """Σ 1/(x - aᵢ) near far poles; over one denominator its floats were off by 3e-5."""
    poles = sorted(rng.uniform(1, 2, size=12))
    e = sum((1 / (x - Fraction(p)) for p in poles), 0 * x)
    found = rebuild(canonical(ring_of([e]), e))
    for at in (0.5, 10.0, 1e3):
        expected = np.sum(1 / (at - np.array(poles)))
        assert found.evaluate({x: at}) == pytest.approx(expected, rel=1e-13)
