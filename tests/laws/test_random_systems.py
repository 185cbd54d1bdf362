"""The laws of mechanics on random mechanisms, exact and against two independent engines."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from tests.cases import num_cases
from tests.laws import mechanisms
from tests.oracles import (
    by_name,
    column,
    constrained_accelerations,
    coriolis_from,
    lagranges_method,
    random_state,
    rates,
)

# sums of some hundred terms of size 1 to 100, twice rounded
TOLERANCE = 1e-10


def draw(
    rng: np.random.Generator, sizes: tuple[int, ...], *, planar: bool, loop: int = 0
) -> mechanisms.Recipe:
    """Return a random recipe whose loop, if any, really restricts it."""
    while True:
        n = int(rng.choice(sizes))
        recipe = mechanisms.random_recipe(rng, n, planar=planar, loop=loop)
        if mechanisms.has_moving_tip(recipe):
            return recipe


def unproved(eq: da.Equations) -> list[str]:
    return [str(p) for p in eq.prove() if not p.is_proved]


def scale_of(*arrays: np.ndarray) -> float:
    return 1.0 + max((float(np.abs(a).max()) for a in arrays if a.size), default=0.0)


def named_values(recipe: mechanisms.Recipe, values) -> dict[str, float]:
    """Return the values by name, with a number for what dropped out of the equations too."""
    return dict.fromkeys(mechanisms.parameter_names(recipe), 0.7) | by_name(values)


def agrees_with_numpy(recipe: mechanisms.Recipe, eq: da.Equations, values) -> None:
    """Compare M, C, N and the power-law parts with geometric Jacobians and complex steps."""
    named = named_values(recipe, values)
    q = np.array([values[x] for x in eq.coordinates])
    v = rates(eq, values)
    M = np.real(mechanisms.mass_matrix(recipe, q, named))
    C = coriolis_from(lambda x: mechanisms.mass_matrix(recipe, x, named), q, v)
    N = mechanisms.gravity_and_springs(recipe, q, named) + mechanisms.damping(recipe, v, named)
    tolerance = TOLERANCE * scale_of(M, C, N)
    assert eq.M.evaluate(values) == pytest.approx(M, abs=tolerance)
    assert eq.C.evaluate(values) == pytest.approx(C, abs=tolerance)
    assert column(eq.N, values) == pytest.approx(N, abs=tolerance)


@pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
def test_chains_are_proved_and_agree_with_numpy(planar, rng, scale):
    for _ in range(num_cases(10, scale)):
        recipe = draw(rng, (1, 2, 3, 4) if planar else (1, 2, 3), planar=planar)
        eq = mechanisms.build(recipe).equations()
        assert unproved(eq) == [], recipe
        for _ in range(3):
            agrees_with_numpy(recipe, eq, random_state(eq, rng))


@pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
def test_chains_agree_with_sympy(planar, rng, scale):
    for _ in range(num_cases(3, scale)):
        recipe = draw(rng, (2,), planar=planar)
        eq = mechanisms.build(recipe).equations()
        at = lagranges_method(*mechanisms.sympy_lagrangian(recipe))
        for _ in range(3):
            values = random_state(eq, rng)
            theirs = at(named_values(recipe, values))
            drag = mechanisms.damping(recipe, rates(eq, values), named_values(recipe, values))
            tolerance = TOLERANCE * scale_of(theirs.M, theirs.h)
            assert eq.M.evaluate(values) == pytest.approx(theirs.M, abs=tolerance), recipe
            assert column(eq.bias, values) - drag == pytest.approx(theirs.h, abs=tolerance), recipe


@pytest.mark.parametrize(("planar", "loop"), [(True, 1), (True, 2), (False, 1), (False, 2)])
def test_loops_are_proved_and_agree_with_numpy(planar, loop, rng, scale):
    for _ in range(num_cases(3, scale)):
        recipe = draw(rng, (3, 4) if planar else (3,), planar=planar, loop=loop)
        eq = mechanisms.build(recipe).equations()
        assert unproved(eq) == [], recipe
        assert eq.degrees_of_freedom() == recipe.num_joints - loop
        values = random_state(eq, rng)
        agrees_with_numpy(recipe, eq, values)
        named = named_values(recipe, values)
        q, v = np.array([values[x] for x in eq.coordinates]), rates(eq, values)
        A = mechanisms.tip_jacobian(recipe, q, named)
        gamma = -mechanisms.tip_bias(recipe, q, v, named)
        assert eq.A.evaluate(values) == pytest.approx(A, abs=TOLERANCE * scale_of(A))
        bias = -eq.Ad.evaluate(values) @ v
        assert bias == pytest.approx(gamma, abs=TOLERANCE * scale_of(gamma))
        # the motion with its reactions, from NumPy's matrices alone
        M = np.real(mechanisms.mass_matrix(recipe, q, named))
        C = coriolis_from(lambda x: mechanisms.mass_matrix(recipe, x, named), q, v)  # noqa: B023
        N = mechanisms.gravity_and_springs(recipe, q, named) + mechanisms.damping(recipe, v, named)
        tau = np.array([named[f"tau{i + 1}"] for i in range(recipe.num_joints)])
        expected, lam = constrained_accelerations(M, tau - C @ v - N, A, gamma)
        solution = eq.solve(values)
        loose = 1e-7 * scale_of(expected, lam)
        assert solution.accelerations == pytest.approx(expected, abs=loose), recipe
        assert solution.multipliers == pytest.approx(lam, abs=loose), recipe


def test_dalembert_and_regressor_on_a_large_spatial_chain(rng):
    """Four joints in space: E–L = D'Alembert and Y Θ exactly."""
    recipe = draw(rng, (4,), planar=False)
    eq = mechanisms.build(recipe).equations()
    assert da.equal(eq.dalembert_residual(), eq.residual)
    Y, theta = eq.regressor()
    left = eq.M @ da.Matrix.column([q.ddot for q in eq.coordinates]) + eq.bias
    assert da.equal(Y @ theta, left)


def test_energy_balance_along_a_simulated_motion(rng):
    """E(t) - E(0) = ∫ (q̇ᵀτ - q̇ᵀ∂R/∂q̇) dt for a damped chain in space, driven by torques."""
    while True:
        recipe = draw(rng, (3,), planar=False)
        if recipe.dampers and recipe.springs:
            break
    eq = mechanisms.build(recipe).equations()
    values = random_state(eq, rng)
    q, v = list(eq.coordinates), list(eq.velocities)
    n = len(q)
    energy = eq.T + eq.V
    drag = [eq.system.dissipation.diff(x) for x in v]
    force = da.Matrix.column([f - d for f, d in zip(eq.forces, drag, strict=True)])
    power = force.dot(da.Matrix.column(v))

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        at = values | dict(zip([*q, *v], map(float, y[: 2 * n]), strict=True))
        flow = power.evaluate(at)
        return np.concatenate([y[n : 2 * n], eq.solve(at).accelerations, [flow]])

    start = [values[x] for x in [*q, *v]]
    motion = solve_ivp(rhs, (0, 0.5), [*start, 0.0], rtol=1e-9, atol=1e-10)
    assert motion.success
    at = values | dict(zip([*q, *v], motion.y[: 2 * n], strict=True))
    along = np.asarray(energy.evaluate(at))
    balance = along - along[0] - motion.y[-1]
    assert np.ptp(along) > 1e-3
    assert np.abs(balance).max() < 1e-6 * scale_of(along)


def test_loop_stays_closed_along_a_simulated_motion(rng):
    """Integrating the constrained accelerations keeps the held tip coordinate to rounding."""
    recipe = draw(rng, (3,), planar=True, loop=1)
    eq = mechanisms.build(recipe).equations()
    values = random_state(eq, rng)
    q, v = list(eq.coordinates), list(eq.velocities)
    n = len(q)
    # start on the constraint: choose the held height, and velocities without a normal part
    held = eq.a.evaluate(values)[:, 0]
    (i,) = recipe.loop
    h = da.parameters("h1 h2 h3")[i]
    values[h] += held[0]
    A = eq.A.evaluate(values)
    start = rates(eq, values)
    start = start - np.linalg.pinv(A) @ (A @ start)

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        at = values | dict(zip([*q, *v], map(float, y), strict=True))
        return np.concatenate([y[n:], eq.solve(at).accelerations])

    first = np.concatenate([[values[x] for x in q], start])
    motion = solve_ivp(rhs, (0, 0.4), first, rtol=1e-10, atol=1e-11)
    assert motion.success
    assert np.abs(motion.y[:n, -1] - motion.y[:n, 0]).max() > 1e-3
    at = values | dict(zip([*q, *v], motion.y, strict=True))
    assert np.abs(eq.a.evaluate(at)).max() < 1e-7
