"""Implicit steps solved inside one kernel give what sweeps from Python give."""

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import GaussLegendre, Variational, simulate
from tests.unit.simulation.methods.integrator_cases import double_pendulum

METHODS = [GaussLegendre(4, 0.01), GaussLegendre(6, 0.01), Variational(0.01)]


def driven_pendulum():
    """A pendulum with a motor and a spring whose stiffness moves with time."""
    (q,), (u,) = da.coordinates("q"), da.inputs("u")
    system = da.System(
        kinetic=q.dot**2 / 2,
        potential=(3 + da.sin(da.time)) * q**2 / 2 - 9 * da.cos(q),
        forces=[u],
        coordinates=[q],
    )
    return da.compile(system)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_law_and_a_function_of_forces_give_one_motion(method):
    model = driven_pendulum()
    (q,), (v,) = model.symbols.q, model.symbols.qd
    law = [da.cos(2 * da.time) - q / 2 - v / 10]
    inside = simulate(model, [0.3], [0.1], 1.0, law, method=method)
    outside = simulate(
        model, [0.3], [0.1], 1.0, lambda t, q, v: np.cos(2 * t) - q / 2 - v / 10, method=method
    )
    np.testing.assert_allclose(inside.q, outside.q, atol=1e-14)
    np.testing.assert_allclose(inside.qd, outside.qd, atol=1e-13)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_constant_forces(method):
    model = driven_pendulum()
    inside = simulate(model, [0.3], [0.1], 1.0, [0.7], method=method)
    outside = simulate(model, [0.3], [0.1], 1.0, lambda t, q, v: [0.7], method=method)
    np.testing.assert_allclose(inside.q, outside.q, atol=1e-14)


@pytest.mark.parametrize(
    "make", [lambda h: GaussLegendre(6, h), Variational], ids=["gauss-legendre", "variational"]
)
def test_a_step_that_is_too_long_says_so(make):
    motion = simulate(double_pendulum(), [3.0, 1.0], [40.0, -70.0], 10.0, method=make(2.0))
    assert not motion.ok
    assert "an implicit step of" in motion.status
    assert "take a smaller step=" in motion.status


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_other_backends_sweep_from_python(method):
    q0, v0 = [1.0, 2.0], [0.1, -0.2]
    numbers = dict(zip(da.parameters("m1 m2 l1 l2 g"), (1, 1, 1, 1, 9.81), strict=True))
    ours, other = (
        simulate(
            da.compile(da.textbook.double_pendulum(), backend, parameters=numbers),
            *(q0, v0, 0.2),
            method=method,
        )
        for backend in ("llvm", "numpy")
    )
    np.testing.assert_allclose(ours.q, other.q, atol=1e-13)
