"""A function is told from another by its code and by what it reads."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.studies.identity import identity
from tests.effort import at_once

FACTOR = 2.0


def scaled(rows: object, factor: float = 1.0) -> float:
    return FACTOR * factor


def closed(value: object) -> Callable[[object], Any]:
    return lambda rows: [value for _ in range(3)]


def pendulum(mass: int) -> da.Model:
    (a,), (m,) = da.coordinates("a"), da.parameters("m")
    kinetic, potential = m * a.dot**2 / 2, -m * da.cos(a)
    system = da.System(kinetic=kinetic, potential=potential, coordinates=[a])
    return da.compile(system, parameters={m: mass})


def test_the_same_function_is_the_same() -> None:
    for make in (
        lambda: scaled,
        lambda: closed(np.arange(3)),
        lambda: closed({"a", "b"}),
        lambda: functools.partial(scaled, factor=3.0),
        lambda: da.sweep.Each(closed(1)),
        lambda: closed(pendulum(1)),
    ):
        assert identity(make()) == identity(make())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (closed(1), closed(2)),
        (closed(np.arange(3)), closed(np.arange(4))),
        (closed(np.arange(3)), closed(np.arange(3.0))),
        (closed({"a": 1}), closed({"a": 2})),
        (closed(closed(1)), closed(closed(2))),
        (functools.partial(scaled, factor=3.0), functools.partial(scaled, factor=4.0)),
        (da.sweep.Each(closed(1)), da.sweep.Each(closed(2))),
        (closed(pendulum(1)), closed(pendulum(2))),
    ],
)
def test_another_function_is_another(one: object, other: object) -> None:
    assert identity(one) != identity(other)


def test_a_function_of_many_others_is_known_at_once() -> None:
    function = closed(1)
    for _ in range(60):
        # two ways to each of the next: as many paths as there are numbers of 60 bits
        function = closed((function, function, [function]))
    assert at_once(lambda: identity(function)) == identity(function)


def test_a_global_number_is_a_part_of_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    before = identity(scaled), identity(closed(scaled))
    monkeypatch.setitem(scaled.__globals__, "FACTOR", 3.0)
    after = identity(scaled), identity(closed(scaled))
    assert before[0] != after[0]
    assert before[1] != after[1]
