from __future__ import annotations

from functools import reduce
from operator import mul

import pytest

import dalembert as da
from dalembert.ring import canonical, canonical_all, rebuild, ring_of
from dalembert.ring.algebra.trig_factors import common_factors

x, y = da.coordinates("x y")
a, b, c = da.parameters("a b c")
s, k = da.sin(x), da.cos(x)


def factors_of(e: da.Expr) -> tuple[list[tuple[da.Expr, int]], da.Expr]:
    ring = ring_of([e])
    factors, (rest,) = common_factors(ring, [canonical(ring, e)])
    return [(rebuild(f), n) for f, n in factors], rebuild(rest)


def product(factors: list[tuple[da.Expr, int]], rest: da.Expr) -> da.Expr:
    return reduce(mul, (f**n for f, n in factors), rest)


@pytest.mark.parametrize(
    ("parts", "count"),
    [
        ([a, s], 2),
        # plain polynomials in s and c hide these factors: s² is rewritten by 1 - c²
        ([a + b * s, c + a * s], 2),
        ([a + b * s + c * k, a - s], 2),
        ([a * s + b * k, da.sin(y), c + da.cos(y) * s], 3),
        ([a * da.cos(x) + b * da.cos(x + y), s, da.sin(x + y)], 3),
    ],
)
def test_factors_of_products_are_found(parts, count):
    e = reduce(mul, parts)
    factors, rest = factors_of(e)
    assert da.equal(product(factors, rest), e)
    assert not rest.symbols
    assert sum(n for _, n in factors) == count
    # each part is one of them up to a number
    for part in parts:
        assert any(not _is_moving(part / f) for f, _ in factors)


def _is_moving(e: da.Expr) -> bool:
    ring = ring_of([e])
    return bool(rebuild(canonical(ring, e)).symbols)


def test_powers():
    factors, rest = factors_of(3 * s**2 * (a + k) ** 3)
    assert da.equal(product(factors, rest), 3 * s**2 * (a + k) ** 3)
    assert sorted(n for _, n in factors) == [1, 1, 3] or sorted(n for _, n in factors) == [2, 3]


def test_half_angles_join_to_whole_ones():
    # cos x = (C - S)(C + S) in half angles, 1 - cos x = 2 S²: both are one factor again
    for e in (k, 1 - k, 1 + k, s):
        factors, rest = factors_of(e)
        assert len(factors) == 1
        assert da.equal(product(factors, rest), e)


def test_irreducible_stays_whole():
    e = a + b * s + c * k
    factors, _ = factors_of(e)
    assert len(factors) == 1
    factors, rest = factors_of(s**2 + k**2 + 0 * a)
    assert factors == []
    assert da.equal(rest, 1)


def test_common_factors_of_several():
    shared = a * s + b * k
    left = [da.sin(y), c + k, 2 * a]
    ring = ring_of([shared, *left])
    elements = canonical_all(ring, [shared * e for e in left])
    factors, rest = common_factors(ring, elements)
    assert len(factors) == 1
    for e, r in zip(left, rest, strict=True):
        assert da.equal(rebuild(factors[0][0]) * rebuild(r), shared * e)
