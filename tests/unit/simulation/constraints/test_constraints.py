"""The way back onto constraints, their rank, and singular configurations on the way."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.model import Model
from dalembert.simulation import simulate
from dalembert.simulation.constraints.constraints import Constraints
from dalembert.simulation.constraints.correction import correction


def linkage(*lengths: float) -> Model:
    values = (*lengths, 1.0, 1.2, 1.1, 9.81)
    numbers = dict(zip(da.parameters("l0 l1 l2 l3 m1 m2 m3 g"), values, strict=True))
    return da.compile(da.textbook.robots.four_bar(), parameters=numbers)


def test_a_correction_is_the_smallest_in_the_metric_of_the_masses(rng: np.random.Generator):
    n, k = 7, 3
    A, right = rng.normal(size=(k, n)), rng.normal(size=k)
    B = rng.normal(size=(n, n))
    M = B @ B.T + np.eye(n)
    found = correction(A, M, right, k)
    # M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ right
    lam = np.linalg.solve(A @ np.linalg.solve(M, A.T), right)
    assert np.abs(found.multipliers - lam).max() <= 1e-12 * np.abs(lam).max()
    assert np.abs(found.change - np.linalg.solve(M, A.T @ lam)).max() <= 1e-12


def test_dependent_rows_share_what_they_have_to_do(rng: np.random.Generator):
    A = rng.normal(size=(2, 5))
    doubled, right = np.vstack([A, A[0] + A[1]]), np.array([1.0, 2.0, 3.0])
    found = correction(doubled, np.eye(5), right, 3)
    assert np.abs(doubled @ found.change - right).max() <= 1e-13
    assert np.abs(found.change - np.linalg.pinv(A) @ right[:2]).max() <= 1e-13


def test_coordinates_without_mass_follow_the_constraints(rng: np.random.Generator):
    A, right, M = rng.normal(size=(2, 4)), rng.normal(size=2), np.diag([1.0, 2.0, 3.0, 0.0])
    found = correction(A, M, right, 2)
    # the smallest δᵀ M δ with A δ = right
    kkt = np.block([[M, A.T], [A, np.zeros((2, 2))]])
    right = np.linalg.solve(kkt, np.concatenate([np.zeros(4), right]))[:4]
    assert np.abs(found.change - right).max() <= 1e-12 * np.abs(right).max()


@pytest.mark.parametrize(
    ("model", "q", "rank", "is_redundant"),
    [
        (linkage(1.0, 0.3, 0.9, 0.7), [0.5, 0.2, 1.6], 2, False),
        # stretched at the start, and yet of rank 2 almost everywhere
        (linkage(1.0, 0.5, 1.0, 0.5), [0.0, 0.0, 0.0], 2, False),
        (da.compile(da.textbook.robots.bennett_linkage()), None, 2, True),
        (da.compile(da.textbook.robots.delta_robot()), None, 18, False),
        (da.compile(da.textbook.robots.stewart_platform()), None, 18, False),
    ],
)
def test_the_rank_is_that_of_almost_everywhere(model, q, rank: int, is_redundant: bool):
    constraints = Constraints(model)
    q = model.configuration.neutral if q is None else np.array(q)
    q = constraints.close(0.0, q)
    constraints.find_rank(0.0, q)
    assert constraints.rank == rank
    assert constraints.is_redundant is is_redundant


def test_a_mechanism_that_cannot_close_says_so():
    with pytest.raises(
        EvaluationError, match=r"error of .* in loop pin2 x that no small change makes less"
    ):
        simulate(linkage(9.0, 0.3, 0.9, 0.7), [0.0, 0.0, 0.0], None, 1.0, initial="project")


def test_a_singular_start_is_reported():
    motion = simulate(linkage(1.0, 0.5, 1.0, 0.5), [0.0, 0.0, 0.0], [3.0, -3.0, 3.0], 0.05)
    assert motion.warnings[0].startswith("singular at the start")


def test_a_linkage_that_never_stretches_passes_nothing():
    motion = simulate(
        linkage(1.0, 0.3, 0.9, 0.7), [0.5, 0.4, 1.5], [5.0, 0, 0], 3.0, initial="project"
    )
    assert motion.ok
    assert motion.warnings == ()


def test_time_in_constraints_is_followed():
    """A bead on a wire that turns evenly: r = r₀ cosh ω t, and the wire does work."""
    x, y = da.coordinates("x y")
    omega = 2
    system = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2,
        coordinates=[x, y],
        constraints=[x * da.sin(omega * da.time) - y * da.cos(omega * da.time)],
    )
    times = np.linspace(0, 1.5, 16)
    motion = simulate(da.compile(system), [1.0, 0.0], [0.0, 2.0], times)
    assert motion.ok, motion.status
    r = np.cosh(omega * times)
    expected = np.stack([r * np.cos(omega * times), r * np.sin(omega * times)], axis=1)
    assert np.abs(motion.q - expected).max() <= 1e-11
    assert motion.energy_error <= 1e-10
    assert motion.energy.work[-1] == pytest.approx(
        omega**2 / 2 * (np.sinh(3.0) ** 2 + np.cosh(3.0) ** 2 - 1), rel=1e-9
    )
