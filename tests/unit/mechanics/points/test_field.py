"""Expressions over prime fields: values, derivatives, and the bounds on their size."""

from __future__ import annotations

import random
import re
from fractions import Fraction

import pytest

import dalembert as da
from dalembert.expr import diff
from dalembert.mechanics.points.field import POINTS, FieldPoint, Graph, Size, null_space, size_of

x, y = da.coordinates("x y")
(a,) = da.parameters("a")
F = Fraction

ZERO_IDENTITIES = {
    "circle": da.sin(x) ** 2 + da.cos(x) ** 2 - 1,
    "sum of angles": da.sin(x + y) - da.sin(x) * da.cos(y) - da.cos(x) * da.sin(y),
    "multiples": da.cos(3 * x) - 4 * da.cos(x) ** 3 + 3 * da.cos(x),
    "half angles": da.sin(x) - 2 * da.sin(x / 2) * da.cos(x / 2),
    "negative multiples": da.sin(-2 * x + y) + da.sin(2 * x - y),
    "constant angles": da.cos(x + F(1, 3)) ** 2 + da.sin(x + F(1, 3)) ** 2 - 1,
    "fractions": (x + F(1, 7)) * (x - F(1, 7)) - x**2 + F(1, 49),
    "division by a number": (a * x + 3 * a) / 3 - a - a * x / 3,
}


@pytest.mark.parametrize("case", ZERO_IDENTITIES)
def test_identities_vanish_with_their_derivatives(case) -> None:
    graph = Graph([ZERO_IDENTITIES[case]])
    for seed in range(3):
        point = FieldPoint(random.Random(seed))
        values = point.values(graph)
        rates = point.rates(graph, values, {x: 5, y: 11, a: 2})
        assert values[-1] == 0
        assert rates[-1] == 0
        assert not point.has_tables


@pytest.mark.parametrize("difference", [F(1), F(1, 10**40), 10**30 * a, da.sin(x) * a**5, x - y])
def test_what_is_not_zero_is_seen(difference) -> None:
    graph = Graph([ZERO_IDENTITIES["sum of angles"] + difference])
    assert FieldPoint(random.Random(1)).values(graph)[-1] != 0


def test_derivatives_are_those_of_calculus() -> None:
    e = da.sin(2 * x) * x**3 / 4 - a * da.cos(x - y)
    by_hand = diff(e, x)
    graph, expected = Graph([e]), Graph([by_hand])
    point = FieldPoint(random.Random(2))
    rate = point.rates(graph, point.values(graph), {x: 1})[-1]
    assert rate == point.values(expected)[-1]


def test_signs_are_random_tables() -> None:
    graph = Graph([da.sign(x.dot) - da.sign(x.dot + 0 * y), da.sign(x.dot) ** 2 - 1])
    point = FieldPoint(random.Random(3))
    values = point.values(graph)
    assert values[graph.place[da.sign(x.dot) ** 2 - 1]] != 0
    assert point.has_tables


@pytest.mark.parametrize("e", [da.sqrt(x), da.exp(x), 1 / x, da.atan2(x, y), abs(x)])
def test_what_is_no_polynomial_is_refused(e) -> None:
    with pytest.raises(da.Undecided, match="expected polynomials"):
        size_of(Graph([e]))


def test_size_bounds_degree_and_coefficients() -> None:
    # (2x + 3)³ = 8x³ + 36x² + 54x + 27: degree 3, 54 has 6 bits
    degree, bits = size_of(Graph([(2 * x + 3) ** 3]))
    assert degree >= 3
    assert bits >= 6
    # sin(3x) cos(y): 2·3 + 2·1 in the parameters of the circle
    assert size_of(Graph([da.sin(3 * x) * da.cos(y)])).degree == 8
    # (3x)⁴ = 81 x⁴: 81 has 7 bits; (x/3)⁴ has the denominator 81
    assert size_of(Graph([(3 * x + y) ** 4])).degree == 4
    assert size_of(Graph([(3 * x + y) ** 4])).bits >= 7
    assert size_of(Graph([(x / 3 + y) ** 4])).bits >= 7
    # x/1000 + y/7, denominators cleared: 7x + 1000y
    assert size_of(Graph([x / 1000 + y / 7])).bits >= 10


def test_chance_is_stated_and_small() -> None:
    size = Size(40, 10_000)
    assert 0 < size.chance < F(1, 2**100)
    # both points must agree by chance; the stated power is a bound, and not a lazy one
    (stated,) = map(int, re.findall(r"below 2\^-(\d+)", str(size)))
    assert size.chance**POINTS < F(1, 2**stated) < 16 * size.chance**POINTS
    assert Size(2**60, 10).chance > size.chance


@pytest.mark.parametrize(
    ("A", "dimension"),
    [
        ([[1, 2, 3]], 2),
        ([[1, 2, 3], [2, 4, 6]], 2),
        ([[1, 2, 3], [2, 4, 7]], 1),
        ([[0, 0, 1], [0, 1, 0], [1, 0, 0]], 0),
        ([[0, 0, 0]], 3),
        ([], 3),
    ],
)
def test_null_space_over_a_field(A, dimension) -> None:
    p = 10007
    Z = null_space(A, 3, p)
    assert len(Z) == dimension
    assert all(sum(x * y for x, y in zip(row, z, strict=True)) % p == 0 for row in A for z in Z)
    # independent: each has a one where all others have zero
    assert len({tuple(z) for z in Z}) == dimension
    assert null_space(Z, 3, p) != Z or dimension == 0
