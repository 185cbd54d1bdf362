"""Compiled mechanisms with loops against dense linear algebra and complex steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import symbol_text
from dalembert.kernel.backends.llvm.host import this_host
from dalembert.textbook import robots
from tests.random_mechanisms import random_state

LINKAGES = ("five_bar", "four_bar", "slider_crank")
BACKENDS = ("llvm", "numpy")
COUNT = this_host().width + 1
STEP = 1e-30


def numeric(name: str, rng: np.random.Generator) -> Any:
    """Return a mechanism with random numbers for its parameters."""
    mechanism = getattr(robots, name)()
    values = {x: round(float(rng.uniform(0.6, 1.4)), 4) for x in mechanism.parameters}
    return mechanism.bind(values) if values else mechanism


def states(mechanism: Any, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    drawn = [random_state(rng, mechanism) for _ in range(COUNT)]
    q, v = (np.array(x) for x in zip(*drawn, strict=True))
    return q, v, rng.normal(size=v.shape)


def solve_kkt(M: Any, right: Any, A: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return q̈ and the least λ; rows of A may depend on each other."""
    n, m = len(right), len(b)
    kkt = np.block([[M, -A.T], [A, np.zeros((m, m))]])
    x = np.linalg.lstsq(kkt, np.concatenate([right, -b]), rcond=1e-11)[0]
    return x[:n], x[n:]


def close(ours: Any, right: Any, tolerance: float) -> None:
    size = max(1.0, np.abs(right).max(initial=0))
    assert np.abs(ours - right).max(initial=0) <= tolerance * size


@pytest.mark.parametrize(
    ("name", "backend"),
    # the platform is large: compiled only
    [("stewart_platform", "llvm"), *((name, backend) for name in LINKAGES for backend in BACKENDS)],
)
def test_constraint_dynamics_are_a_dense_solve(
    name: str, backend: str, rng: np.random.Generator
) -> None:
    mechanism = numeric(name, rng)
    model = da.compile(mechanism, backend)
    q, v, tau = states(mechanism, rng)
    qdd, lam = model.constraint_dynamics(q, v, tau)
    M, h = model.mass_matrix(q), model.bias(q, v)
    A, b = model.constraint_jacobian(q), model.constraint_bias(q, v)
    for s in range(COUNT):
        right, least = solve_kkt(M[s], tau[s] - h[s], A[s], b[s])
        close(qdd[s], right, 1e-8)
        # the forces of the constraints are unique, the multipliers of dependent rows are not
        close(A[s].T @ lam[s], A[s].T @ least, 1e-8)
        close(A[s] @ qdd[s], -b[s], 1e-8)
        if np.linalg.matrix_rank(A[s]) == len(lam[s]):
            close(lam[s], least, 1e-8)
    close(model.forward_dynamics(q, v, tau), qdd, 0 if backend == "numpy" else 1e-9)


@pytest.mark.parametrize("name", LINKAGES)
def test_the_constraints_are_complex_steps_of_their_error(
    name: str, rng: np.random.Generator
) -> None:
    mechanism = numeric(name, rng)
    model, reference = da.compile(mechanism), da.compile(mechanism, "numpy")
    q, v, _ = states(mechanism, rng)
    A = model.constraint_jacobian(q)
    for j, e in enumerate(np.eye(model.nv)):
        close(A[..., j], reference.constraint_error(q + 1j * STEP * e).imag / STEP, 1e-13)
    rate = reference.constraint_jacobian(q + 1j * STEP * v).imag / STEP
    close(model.constraint_bias(q, v), np.einsum("sij,sj->si", rate, v), 1e-12)


@pytest.mark.parametrize("name", LINKAGES)
def test_parameters_of_linkages_as_inputs(name: str, rng: np.random.Generator) -> None:
    symbolic = getattr(robots, name)()
    values = {x: round(float(rng.uniform(0.6, 1.4)), 4) for x in symbolic.parameters}
    q, v, tau = states(symbolic, rng)
    right = da.compile(symbolic.bind(values)).constraint_dynamics(q, v, tau)
    named = {symbol_text(x): y for x, y in values.items()}
    found = da.compile(symbolic).constraint_dynamics(q, v, tau, parameters=named)
    for ours, theirs in zip(found, right, strict=True):
        close(ours, theirs, 1e-9)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_loop_given_twice(backend: str, rng: np.random.Generator) -> None:
    mechanism = numeric("four_bar", rng)
    q, v, tau = states(mechanism, rng)
    qdd, lam = da.compile(mechanism, backend).constraint_dynamics(q, v, tau)
    (loop,) = mechanism.loops
    again = loop._replace(name=f"{loop.name}_again")
    twice = da.compile(replace(mechanism, loops=(loop, again)), backend)
    other, multipliers = twice.constraint_dynamics(q, v, tau)
    close(other, qdd, 1e-10)
    k = lam.shape[1]
    close(multipliers[:, :k], lam, 1e-10)
    assert (multipliers[:, k:] == 0).all()


def test_a_law_keeps_the_loop_closed(rng: np.random.Generator) -> None:
    mechanism = numeric("five_bar", rng)
    model = da.compile(mechanism)
    (gain,) = da.parameters("gain")
    law = [-gain * x - x.dot for x in model.symbols.q]
    q, v, _ = states(mechanism, rng)
    state = {"q": model.symbols.q, "qd": model.symbols.qd}
    qdd = model.expressions("forward_dynamics", *state.values(), law)
    found = model.compile(qdd, {**state, "gain": gain})(q, v, 3.0)
    close(found, model.forward_dynamics(q, v, -3.0 * q - v), 1e-10)
