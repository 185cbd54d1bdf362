"""All combinations of choices, also where one depends on another."""

from __future__ import annotations

import pytest

from dalembert.model.certificates.cases import MAX_CASES, Cases, TooManyCases


def seen(ask) -> list[tuple[int, ...]]:
    cases = Cases()
    return [tuple(ask(cases)) for _ in cases.runs()]


def test_without_choices_there_is_one_run() -> None:
    assert seen(lambda cases: ()) == [()]


def test_all_combinations_come_once() -> None:
    found = seen(lambda c: [c.choose("a", (1, -1)), c.choose("b", (1, -1, 0))])
    assert sorted(found) == [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)]


def test_the_same_key_has_the_same_choice_throughout_a_run() -> None:
    found = seen(lambda c: [c.choose("a", (1, -1)), c.choose("b", (5, 6)), c.choose("a", (1, -1))])
    assert len(found) == 4
    assert all(first == last for first, _, last in found)


def test_a_choice_may_depend_on_an_earlier_one() -> None:
    def ask(c: Cases) -> list[int]:
        first = c.choose("a", (1, 2, 3))
        return [first, *(c.choose((first, k), (7, 8)) for k in range(first - 1))]

    # 1 alone, 2 with one choice of two, 3 with two
    assert sorted(map(len, seen(ask))) == [1, 2, 2, 3, 3, 3, 3]


def test_as_many_as_the_limit_are_run_and_no_more() -> None:
    assert MAX_CASES == 64
    assert len(seen(lambda c: [c.choose(k, (0, 1)) for k in range(6)])) == 64
    with pytest.raises(TooManyCases):
        seen(lambda c: [c.choose(k, (0, 1)) for k in range(7)])
