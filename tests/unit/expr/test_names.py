"""Names where symbols are wanted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da

x, y = da.coordinates("x y")
m, l, g = da.parameters("m l g")


def test_derivatives_by_name():
    e = m * x.dot**2 / 2 - m * da.sin(x)
    assert e.diff("x") is e.diff(x)
    assert e.diff("x.dot") is e.diff(x.dot)
    assert (m * x.dot).diff("x") == 0
    assert da.jacobian([x * y, m * x], ["x", "y"]) == da.jacobian([x * y, m * x], [x, y])
    assert da.hessian(x * y**2, ["x", "y"]) == da.hessian(x * y**2, [x, y])
    assert da.Matrix([[x, m]]).diff("x") == da.Matrix([[1, 0]])


def test_substitution_by_name_takes_rates_along():
    e = m * x * x.dot
    assert e.subs({"x": da.sin(y), "m": 2}) is e.subs({x: da.sin(y), m: 2})
    assert x.dot.subs({"x": y**2}) is 2 * y * y.dot
    assert da.Matrix([[x, m]]).subs({"m": 3}) == da.Matrix([[x, 3]])


def test_values_by_name():
    e = m * x + l * x.dot
    assert e.evaluate({"m": 2, "x": 3, "l": 4, "x.dot": 5}) == 26
    # one table of values serves many expressions
    assert e.evaluate({"m": 2, x: 3, "l": 4, "x.dot": 5, "g": 9.81}) == 26
    assert da.Matrix([[m, x]]).evaluate({"m": 1, "x": np.zeros(2)}).shape == (2, 1, 2)


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda: (m * x).diff("z"), ["'z'", "known: x, m"]),
        (lambda: (m * x).subs({"mm": 1}), ["'mm'", "did you mean m?"]),
        (lambda: (m * x).evaluate({"mas": 1, "x": 2}), ["none for m", "mas"]),
        (lambda: (x * da.parameters("x")[0]).diff("x"), ["coordinate and as parameter"]),
        (lambda: da.jacobian([x], ["y"]), ["'y'", "the symbol itself"]),
    ],
)
def test_a_name_that_nothing_has_is_refused(work, words):
    with pytest.raises(da.UnknownName) as found:
        work()
    for word in words:
        assert word in str(found.value)


def test_a_system_takes_names():
    pendulum: Any = {"kinetic": m * l**2 * x.dot**2 / 2, "potential": -m * g * l * da.cos(x)}
    eq = da.System(coordinates=[x], **pendulum).equations()
    for coordinates in (["x"], "x", ("x",)):
        named = da.System(coordinates=coordinates, **pendulum).equations()
        assert named.coordinates == (x,)
        assert named.residual == eq.residual
    two = da.System(coordinates="x, y", kinetic=m * (x.dot**2 + y.dot**2) / 2)
    assert two.coordinates == (x, y)


def test_equations_take_names():
    eq = da.System(
        coordinates=[x], kinetic=m * l**2 * x.dot**2 / 2, potential=-m * g * l * da.cos(x)
    ).equations()
    values = {"x": 0.5, "x.dot": 0.0, "m": 2, "l": 3, "g": 9}
    # ẍ = -g/l sin x
    assert eq.solve(values).accelerations[0] == pytest.approx(-3 * np.sin(0.5))
    assert list(eq.regressor(["m"]).theta) == [m]
    changed = eq.change_coordinates({"x": 2 * y}, ["y"])
    assert changed.coordinates == (y,)
    assert changed.M[0, 0] == 4 * m * l**2
    with pytest.raises(da.InvalidSystem, match="got u"):
        eq.change_coordinates({"u": 2 * y})
