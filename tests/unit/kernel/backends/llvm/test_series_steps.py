"""Steps along Taylor series inside one call of compiled code."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.kernel import StepStart, compile_series

ORDER = 20
SAFETY = math.exp(-2 - 0.7 / (ORDER - 1))
ROUNDING = 4e-15


def start(t, x, h=0.5):
    """Return a start whose last step had the length h."""
    x = np.array(x, float)
    return StepStart(t, x, h ** np.arange(4), np.zeros_like(x))


def taken(kernel, begin, end, most=64, longest=math.inf):
    return kernel.steps(begin, end, most, longest=longest, safety=SAFETY)


@pytest.fixture(scope="module")
def oscillator():
    x, v = da.coordinates("x v")
    return compile_series([v, -x], [x, v], order=ORDER)


def test_an_oscillator_is_followed_to_rounding(oscillator):
    steps = taken(oscillator, start(0.0, [1.0, 0.3]), 30.0)
    assert steps.t[-1] == 30
    exact = np.stack(
        [np.cos(steps.t) + 0.3 * np.sin(steps.t), -np.sin(steps.t) + 0.3 * np.cos(steps.t)], axis=1
    )
    np.testing.assert_allclose(steps.x, exact, atol=ROUNDING)
    # the series of every step begins at its state and ends at the next
    h = np.diff(steps.t)
    np.testing.assert_array_equal(steps.series[:, 0], steps.x[:-1])
    np.testing.assert_allclose(
        np.einsum("sk,ski->si", h[:, None] ** np.arange(ORDER + 1), steps.series),
        steps.x[1:],
        atol=1e-15,
    )


def test_one_by_one_and_at_once_have_the_same_bits(oscillator):
    together = taken(oscillator, start(0.0, [1.0, 0.3]), 20.0)
    begin, states = start(0.0, [1.0, 0.3]), [np.array([1.0, 0.3])]
    while begin.t != 20:
        one = taken(oscillator, begin, 20.0, most=1)
        begin = StepStart(one.t[-1], one.x[-1], one.powers, one.carry)
        states.append(one.x[-1])
    np.testing.assert_array_equal(np.array(states), together.x)


def test_the_limits_of_steps(oscillator):
    assert len(taken(oscillator, start(0.0, [1.0, 0.3]), 1e9, most=7).series) == 7
    assert (
        np.diff(taken(oscillator, start(0.0, [1.0, 0.3]), 2.0, longest=0.1).t).max() <= 0.1 + 1e-15
    )
    back = taken(oscillator, start(0.0, [1.0, 0.3]), -3.0)
    np.testing.assert_allclose(back.x[-1, 0], math.cos(3) - 0.3 * math.sin(3), atol=ROUNDING)


def test_time_in_the_rates_moves_with_the_clock():
    """ẋ = cos t from t = 1."""
    (x,) = da.coordinates("x")
    kernel = compile_series([da.cos(da.time), 1], [x, da.time], order=ORDER, is_timed=True)
    steps = taken(kernel, start(1.0, [2.0]), 9.0)
    np.testing.assert_allclose(steps.x[:, 0], 2 + np.sin(steps.t) - np.sin(1), atol=ROUNDING)


def test_an_entry_that_never_moves_is_stepped_over():
    x, v = da.coordinates("x v")
    still = compile_series([v, 0 * x], [x, v], order=ORDER)
    steps = taken(still, start(0.0, [1.0, 0.0]), 1.0)
    assert len(steps.series) == 1
    assert np.array_equal(steps.x[-1], [1.0, 0.0])


def test_what_needs_a_closer_look_is_left_to_the_caller(oscillator):
    (x,) = da.coordinates("x")
    # a series that is not finite
    pole = compile_series([1 / x], [x], order=ORDER)
    assert len(taken(pole, start(0.0, [0.0]), 1.0).series) == 0
    # steps that time does not resolve
    assert len(taken(oscillator, start(1e17, [1.0, 0.3]), 2e17).series) == 0
