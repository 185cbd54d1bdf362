"""Simultaneous substitution, with rates that follow their coordinates."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from dalembert.errors import DivisionByZero, InvalidExpression
from dalembert.expr import (
    ZERO,
    coordinates,
    cos,
    ddt,
    inputs,
    log,
    parameters,
    sin,
    sqrt,
    substitute,
    time,
)
from tests.cases import num_cases

x, y, z, q = coordinates("x y z q")
m, l = parameters("m l")
(u,) = inputs("u")


def test_symbols_are_replaced_all_at_once():
    assert (x - 2 * y).subs({x: y, y: x}) is y - 2 * x
    assert (m * x).subs({m: 3}) is 3 * x
    assert (m * x + u).subs({u: m}) is m * x + m
    assert (x + y).subs({}) is x + y
    assert (x + 1).subs({z: 5}) is x + 1


def test_numbers_fold_exactly():
    assert (x**2 + y / 3).subs({x: 0.1, y: 1}).value == Fraction(1, 100) + Fraction(1, 3)
    assert sin(x).subs({x: 0}) is ZERO
    assert sqrt(x**2 + y).subs({x: 3, y: 16}) == 5


def test_rates_follow_their_coordinate():
    assert (x * x.dot).subs({x: l * sin(q)}) is (l * sin(q)) * (l * (cos(q) * q.dot))
    assert x.ddot.subs({x: q**2}) is ddt(ddt(q**2))
    assert x.dot.subs({x: m}) is x.dot
    assert (x * x.dot).subs({x: 2}) is 2 * x.dot
    assert x.dot.subs({x: sin(time)}) is cos(time)
    assert x.dot.subs({x: y, y: x}) is y.dot


def test_a_given_rate_wins_and_is_followed_further():
    assert (x + x.dot).subs({x: q, x.dot: z}) is q + z
    assert x.ddot.subs({x: q, x.dot: z}) is z.dot
    assert x.ddot.subs({x.dot: sin(q)}) is cos(q) * q.dot
    assert (x + x.dot).subs({x.dot: 0}) is x


def test_substitution_commutes_with_the_time_derivative(draw, scale, random_pair):
    at = {q: 0.7, q.dot: -0.3, q.ddot: 1.3, y: 0.4, y.dot: 2.0}
    for _ in range(num_cases(40, scale)):
        e, _ = random_pair(draw, [(x, 0), (x.dot, 0), (y, 0)], 3)
        first = ddt(e).subs({x: cos(q) + q * y})
        then = ddt(e.subs({x: cos(q) + q * y}))
        values = {**at, y.ddot: 0.2}
        assert first.evaluate(values) == pytest.approx(then.evaluate(values), rel=1e-11, abs=1e-11)


def test_substitution_commutes_with_evaluation(draw, scale, random_pair):
    for _ in range(num_cases(100, scale)):
        e, _ = random_pair(draw, [(x, 0), (y, 0)], 4)
        value = 0.3 * math.cos(0.8) + 1
        replaced = e.subs({x: 0.3 * cos(q) + 1, y: m})
        assert replaced.evaluate({q: 0.8, m: -0.6}) == pytest.approx(
            e.evaluate({x: value, y: -0.6}), rel=1e-11, abs=1e-11
        )


@pytest.mark.parametrize("key", [x + 1, sin(x), 3, None])
def test_only_symbols_are_replaced(key):
    with pytest.raises(InvalidExpression, match="expected a symbol to replace, got"):
        (x + 1).subs({key: 2})


@pytest.mark.parametrize("value", [math.nan, math.inf, True, "y", None])
def test_only_expressions_replace(value):
    with pytest.raises(InvalidExpression):
        (x + 1).subs({x: value})


def test_a_value_outside_the_domain_is_refused():
    with pytest.raises(DivisionByZero, match="got 0"):
        (1 / (x - y)).subs({x: 1, y: 1})
    with pytest.raises(InvalidExpression, match="log, got 0"):
        log(x).subs({x: 0})
    with pytest.raises(InvalidExpression, match="rate is not known"):
        x.dot.subs({x: u})


def test_several_roots_share_one_sweep():
    a = sin(x + y)
    assert substitute([a, a * 2, m], {x: q}) == [sin(q + y), 2 * sin(q + y), m]


def test_a_chain_of_100_000_nodes():
    e, expected = x, q + m
    for _ in range(50_000):
        e, expected = sin(e) + y, sin(expected) + y
    assert e.subs({x: q + m}) is expected
