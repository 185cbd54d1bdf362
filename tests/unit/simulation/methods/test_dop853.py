"""Error control of DOP853 where a trial state has left the motion."""

from __future__ import annotations

import numpy as np

import dalembert as da
from dalembert.simulation import DOP853
from dalembert.simulation.constraints.stabilisation import Projection
from dalembert.simulation.methods.dop853 import NUM_STAGES, _Dop853Stepper, _Trial
from dalembert.simulation.problem.forcing import forcing
from dalembert.simulation.problem.problem import Problem


def stepper() -> _Dop853Stepper:
    (x,) = da.coordinates("x")
    model = da.compile(da.System(kinetic=x.dot**2 / 2, potential=x**2 / 2, coordinates=[x]))
    problem = Problem(model, forcing(None, model), Projection(), is_audited=False)
    return _Dop853Stepper(problem.flow(2), 0.0, np.array([1.0, 0.0]), DOP853(), 1.0)


def trial(h: float, e5: float, e3: float, error: float = 1.0) -> _Trial:
    stages = np.full((NUM_STAGES + 1, 2), 1e30)
    return _Trial(h, error, np.ones(2), stages, np.array([[e5, e5], [e3, e3]]))


def test_huge_errors_are_no_success() -> None:
    # the squares of both overflow, and that of the second alone
    for e5, e3 in ((1e200, 1e210), (1e150, 1e160), (np.inf, 1.0), (np.nan, 1.0)):
        assert stepper()._error(trial(0.1, e5, e3)) > 1


def test_usual_errors_are_those_of_the_formula() -> None:
    made = stepper()
    step = trial(0.1, 3e-9, 7e-8)
    allowed = made._allowed(step)
    e5, e3 = np.full(2, 3e-9) / allowed, np.full(2, 7e-8) / allowed
    expected = 0.1 * (e5 @ e5) / np.sqrt((e5 @ e5 + 0.01 * e3 @ e3) * 2)
    np.testing.assert_allclose(made._error(step), expected, rtol=1e-14)


def test_a_state_far_from_the_motion_is_no_rounding() -> None:
    # errors relative to states that explode do not fall with the step either
    first, second = trial(0.2, 1.0, 1.0, 1e13), trial(0.1, 1.0, 1.0, 1e13)
    assert not second.is_noise(first)
    near = trial(0.2, 1.0, 1.0, 1e3), trial(0.1, 1.0, 1.0, 9e2)
    assert near[1].is_noise(near[0])
