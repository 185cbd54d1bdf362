"""The five kinds of symbol."""

from __future__ import annotations

import pytest

from dalembert.errors import InvalidExpression
from dalembert.expr import (
    ONE,
    ZERO,
    Kind,
    coordinates,
    ddt,
    inputs,
    is_kind,
    multipliers,
    parameters,
    symbol,
    symbol_text,
    time,
)


def test_the_same_name_and_kind_give_the_same_node():
    q1, q2 = coordinates("q1 q2")
    assert coordinates("q1")[0] is q1
    assert coordinates("q1, q2") == (q1, q2)
    assert parameters("q1")[0] is not q1
    assert q1 is not q2


def test_each_kind_carries_its_name_and_kind():
    for make, kind in [
        (coordinates, Kind.COORDINATE),
        (parameters, Kind.PARAMETER),
        (inputs, Kind.INPUT),
        (multipliers, Kind.MULTIPLIER),
    ]:
        (a,) = make("a")
        assert a.symbol is not None
        assert (a.symbol.kind, a.symbol.name, a.symbol.order) == (kind, "a", 0)
        assert is_kind(a, kind)
        assert not is_kind(a + 1, kind)
        assert not any(is_kind(a, other) for other in Kind if other is not kind)


def test_rates_of_coordinates():
    (q,) = coordinates("q")
    assert q.dot is symbol(Kind.COORDINATE, "q", 1)
    assert q.ddot is q.dot.dot is symbol(Kind.COORDINATE, "q", 2)
    assert is_kind(q.dot, Kind.COORDINATE, 1)
    assert not is_kind(q.dot, Kind.COORDINATE, 0)


def test_rates_of_the_other_kinds():
    assert parameters("m")[0].dot is ZERO
    assert time.dot is ONE
    for x in (*inputs("tau"), *multipliers("lam")):
        with pytest.raises(InvalidExpression, match=rf"got {symbol_text(x)}.*coordinate"):
            ddt(x)


def test_symbol_text_is_what_one_types():
    (q,) = coordinates("q1")
    assert [symbol_text(e) for e in (q, q.dot, q.ddot)] == ["q1", "q1.dot", "q1.ddot"]
    assert symbol_text(q.ddot.dot) == "q1.d3"


@pytest.mark.parametrize(
    "name", ["1q", "q-1", "q.dot", "ẋ", "а", "q\0", "q\n1x;", "a" * 101, "é", "__import__('os')"]
)
def test_names_that_are_no_identifiers_are_refused(name):
    with pytest.raises(InvalidExpression, match="symbol name of letters"):
        symbol(Kind.PARAMETER, name)


@pytest.mark.parametrize("names", ["", "  ", ",", None, 3, ["a", "b"]])
def test_no_names_at_all_are_refused(names):
    with pytest.raises(InvalidExpression, match='such as "a b c" for parameters'):
        parameters(names)


def test_a_name_given_twice_is_refused_by_name():
    with pytest.raises(InvalidExpression, match="'q2' twice"):
        coordinates("q1 q2 q3 q2")


def test_the_longest_name():
    assert symbol_text(parameters("a" * 100)[0]) == "a" * 100


def test_symbols_of_an_expression_come_in_order_of_creation():
    a, b, c = parameters("zz_a zz_b zz_c")
    assert (c * b + a / c).symbols == [a, b, c]
    assert (a - a + 1).symbols == []


def test_symbols_made_together_join_tuples_and_lists():
    a, b = coordinates("a b")
    both = coordinates("a b")
    assert (1, *both) == (1,) + both == (1, a, b)  # noqa: RUF005, the sum is what is tested
    assert both + (1,) == (a, b, 1)  # noqa: RUF005
    found: list[object] = [1]
    found += both
    assert found == [1, a, b]
