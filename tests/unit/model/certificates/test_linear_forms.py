"""Sums of multiples, as angles and signs need them."""

from __future__ import annotations

from fractions import Fraction

from dalembert.model.certificates.linear_forms import Residue, linear_form
from tests.effort import at_once

x: Residue = (11, "term", "x")
y: Residue = (12, "term", "y")
product: Residue = (13, "value")
third: Residue = (5, "rational", Fraction(1, 3))


def test_forms_by_hand() -> None:
    assert linear_form(x) == {"x": 1}
    assert linear_form(third) == {1: Fraction(1, 3)}
    assert linear_form((0, "rational", Fraction(0))) == {}
    assert linear_form(product) == {("value", 13): 1}
    twice: Residue = (22, "multiple", Fraction(2), x)
    assert linear_form((34, "sum", twice, y)) == {"x": 2, "y": 1}
    assert linear_form((10, "difference", twice, y)) == {"x": 2, "y": -1}
    assert linear_form((11, "difference", twice, x)) == {"x": 1}
    assert linear_form((0, "difference", x, x)) == {}
    assert linear_form((0, "multiple", Fraction(0), x)) == {}
    assert linear_form((18, "sum", (26, "multiple", -1, product), third)) == {
        ("value", 13): -1,
        1: Fraction(1, 3),
    }


def test_forms_of_operands_stay_as_they_are() -> None:
    total: Residue = (23, "sum", x, y)
    again: Residue = (46, "sum", total, total)
    assert linear_form(again) == {"x": 2, "y": 2}
    assert linear_form(total) == {"x": 1, "y": 1}


def test_shared_and_long_sums_are_looked_at_once() -> None:
    doubled = x
    for _ in range(200):
        doubled = (1, "sum", doubled, doubled)
    assert at_once(lambda: linear_form(doubled)) == {"x": 2**200}
    chain = x
    for _ in range(20_000):
        chain = (1, "sum", chain, y)
    assert at_once(lambda: linear_form(chain)) == {"x": 1, "y": 20_000}
