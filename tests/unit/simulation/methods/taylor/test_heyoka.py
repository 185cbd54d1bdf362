"""Heyoka as an integrator, where it is installed."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, MissingDependency
from dalembert.simulation import simulate
from dalembert.simulation.methods.taylor.heyoka import Heyoka, algebra
from tests.unit.simulation.methods.integrator_cases import (
    double_pendulum,
    oscillator,
    pendulum,
    pendulum_angle,
)

needs_heyoka = pytest.mark.skipif(
    importlib.util.find_spec("heyoka") is None, reason="heyoka is not installed"
)


def test_absence_says_what_to_install(absent: Callable[[str], None]) -> None:
    absent("heyoka")
    with pytest.raises(MissingDependency, match="pip install heyoka"):
        simulate(oscillator(), [1.0], [0.0], 1.0, method=Heyoka())


def test_translation() -> None:
    # numbers in the place of heyoka's expressions
    numbers = ModuleType("numbers")
    for name in ("sin", "cos", "exp", "log", "sqrt", "tanh"):
        setattr(numbers, name, getattr(math, name))
    setattr(numbers, "expression", float)  # noqa: B010, a module has no such attribute
    x, y = da.parameters("x y")
    outputs = [
        da.sin(x) * da.cos(x) - y / x,
        da.sqrt(x) + da.exp(-y) * da.tanh(x) + da.pi * x**3,
        da.log(x) - 3 * x * y,
    ]
    kernel = oscillator().compile(outputs, {"x": [x, y]})
    got = kernel.program.interpret([[0.7, 1.3]], algebra(numbers))
    np.testing.assert_allclose(got, kernel([0.7, 1.3]), rtol=1e-15)
    switch = oscillator().compile([da.sign(x)], {"x": [x]})
    with pytest.raises(EvaluationError, match="Taylor"):
        switch.program.interpret([[0.7]], algebra(numbers))


@needs_heyoka
def test_pendulum() -> None:
    t = np.linspace(0, 5, 6)
    motion = simulate(pendulum(), [2.0], [0.0], t, method=Heyoka())
    np.testing.assert_allclose(motion.q[:, 0], pendulum_angle(2.0, t), atol=1e-12)


@needs_heyoka
def test_energy_and_states_between_steps() -> None:
    motion = simulate(double_pendulum(), [2.0, 2.5], [0, 0], 5.0, method=Heyoka())
    assert np.abs(motion.energy.error).max() <= 1e-12


@needs_heyoka
def test_law_of_time_and_state() -> None:
    model = oscillator()
    law = [3 * model.symbols.q[0] + da.sin(da.time)]
    t = np.linspace(0, 10, 6)
    motion = simulate(model, [0.0], [0.0], t, law, method=Heyoka())
    np.testing.assert_allclose(motion.q[:, 0], (np.sin(t) - t * np.cos(t)) / 2, atol=1e-12)
