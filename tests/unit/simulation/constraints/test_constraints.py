"""The way back onto constraints, their rank, and singular configurations on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.model import Model
from dalembert.simulation import simulate
from dalembert.simulation.constraints.constraints import Constraints
from dalembert.simulation.constraints.correction import correction
from dalembert.simulation.constraints.mass_matrices import MANY
from dalembert.simulation.constraints.metric import DenseMetric
from dalembert.simulation.constraints.singular_passages import SingularPassages
from tests.effort import at_once


def linkage(*lengths: float) -> Model:
    values = (*lengths, 1.0, 1.2, 1.1, 9.81)
    numbers = dict(zip(da.parameters("l0 l1 l2 l3 m1 m2 m3 g"), values, strict=True))
    return da.compile(da.textbook.robots.four_bar(), parameters=numbers)


def test_a_correction_is_the_smallest_in_the_metric_of_the_masses(rng: np.random.Generator):
    n, k = 7, 3
    A, right = rng.normal(size=(k, n)), rng.normal(size=k)
    B = rng.normal(size=(n, n))
    M = B @ B.T + np.eye(n)
    found = correction(A, DenseMetric(M), right, k)
    # M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ right
    lam = np.linalg.solve(A @ np.linalg.solve(M, A.T), right)
    assert np.abs(found.multipliers - lam).max() <= 1e-12 * np.abs(lam).max()
    assert np.abs(found.change - np.linalg.solve(M, A.T @ lam)).max() <= 1e-12


def test_dependent_rows_share_what_they_have_to_do(rng: np.random.Generator):
    A = rng.normal(size=(2, 5))
    doubled, right = np.vstack([A, A[0] + A[1]]), np.array([1.0, 2.0, 3.0])
    found = correction(doubled, DenseMetric(np.eye(5)), right, 3)
    assert np.abs(doubled @ found.change - right).max() <= 1e-13
    assert np.abs(found.change - np.linalg.pinv(A) @ right[:2]).max() <= 1e-13


def test_coordinates_without_mass_follow_the_constraints(rng: np.random.Generator):
    A, right, M = rng.normal(size=(2, 4)), rng.normal(size=2), np.diag([1.0, 2.0, 3.0, 0.0])
    found = correction(A, DenseMetric(M), right, 2)
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
    assert "is 1 there, and 2 elsewhere" in motion.warnings[0]


def parallelograms(count: int) -> Model:
    """Several parallelograms side by side, joined by couplings so that all move alike."""
    builder = da.Builder("parallelograms", gravity=(0, 0, 0))
    for k in range(count):
        for i, length in enumerate((0.5, 1.0, 0.5)):
            name = f"bar{k}{i}"
            builder.link(name, mass=1, com=(length / 2, 0, 0), inertia=(0.01, 0.05, 0.05))
            parent = "world" if i == 0 else f"bar{k}{i - 1}"
            origin = (0, 0, float(k)) if i == 0 else ((0.5, 1.0)[i - 1], 0, 0)
            builder.revolute(f"joint{k}{i}", name, parent=parent, origin=origin)
        builder.loop(f"loop{k}", (f"bar{k}2", (0.5, 0, 0)), ("world", (1.0, 0, float(k))))
        if k:
            builder.couple(f"gear{k}", f"joint{k}0", "joint00", 1.0)
    return da.compile(builder.build())


@pytest.mark.parametrize("count", [1, 2, 4])
def test_the_rank_at_a_singular_configuration_is_measured(count: int):
    """All parallelograms stretch at once: each loses one of its two rows."""
    model, q = parallelograms(count), np.pi / 2
    start, speed = np.tile([q, -q, -q], count), np.tile([12.0, -12.0, 12.0], count)
    motion = simulate(model, start, speed, 0.2)
    assert motion.ok, motion.status
    full = 3 * count - 1
    expected = f"falls from {full} to {full - count} there"
    assert any(expected in text for text in motion.warnings), motion.warnings


def test_a_near_miss_keeps_its_rank():
    """A parallelogram that is out by a nanometre stretches almost."""
    motion = simulate(
        linkage(1.0, 0.5, 1.0 + 1e-9, 0.5),
        [0.5 * np.pi, -0.5 * np.pi, 0.5 * np.pi],
        [12.0, -12.0, 12.0],
        0.2,
        initial="project",
    )
    assert any("nearly singular" in text and "rank 2" in text for text in motion.warnings)


def test_a_linkage_that_never_stretches_passes_nothing():
    motion = simulate(
        linkage(1.0, 0.3, 0.9, 0.7), [0.5, 0.4, 1.5], [5.0, 0, 0], 3.0, initial="project"
    )
    assert motion.ok
    assert motion.warnings == ()


def test_rounding_of_a_long_chain_is_told_from_motion():
    """Twenty links pinned at both ends: accelerations are known to ten digits, not to fourteen."""
    n = 20
    builder = da.Builder("chain", gravity=(0, -9.81, 0))
    for i in range(n):
        builder.link(f"link{i}", mass=1, com=(0.5, 0, 0), inertia=(0.001, 0.08, 0.08))
        builder.revolute(f"joint{i}", f"link{i}", origin=(float(i > 0), 0, 0))
    builder.loop("pin", (f"link{n - 1}", (1, 0, 0)), ("world", (0.8 * n, 0, 0)))
    model = da.compile(builder.build())
    start = np.diff(np.linspace(1.1, -1.1, n), prepend=0.0)
    motion = at_once(lambda: simulate(model, start, None, 0.05, initial="project"), 30.0)
    assert motion.ok, motion.status
    assert len(motion) < 200
    assert any("rounding of the accelerations" in text for text in motion.warnings)
    assert motion.energy_error < 1e-10


def test_coordinates_without_mass_move_with_their_constraints():
    """A massless handle y = x² + 1 on a particle that falls: the constraint carries it along."""
    x, y = da.coordinates("x y")
    system = da.System(
        kinetic=x.dot**2 / 2, potential=9.81 * x, coordinates=[x, y], constraints=[y - x**2 - 1]
    )
    motion = simulate(da.compile(system), [1.0, 2.0], [0.0, 0.0], [0.0, 0.3])
    assert motion.ok, motion.status
    assert motion.q[-1] == pytest.approx([1 - 9.81 * 0.045, 1 + (1 - 9.81 * 0.045) ** 2], abs=1e-13)
    assert np.abs(motion.lam).max() < 1e-12


@pytest.mark.parametrize("angles", [[3.0, -2.5, 2.9], [-3.0, 3.0, -3.0], [0.1, 3.1, -3.1]])
def test_a_start_from_far_away_is_brought_onto_the_constraints(angles):
    model = linkage(1.0, 0.3, 0.9, 0.7)
    motion = simulate(model, angles, None, 0.01, initial="project")
    assert motion.ok, motion.status
    assert motion.position_error.max() < 1e-13


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


def test_a_component_that_is_a_constant_is_rounding_beside_the_others() -> None:
    """A hinge about y, tied at a point whose height is off by the last digit of a decimal."""
    tied = (
        da.Builder("tied")
        .link("a", mass=1, com=(1, 0, 0), inertia=(1, 1, 1))
        .revolute("j", "a", axis="y")
        .link("b", mass=1, com=(1, 0, 0), inertia=(1, 1, 1))
        .revolute("k", "b", axis="y", origin=(1000, 0, 0))
        .loop("tie", ("b", (1000, 1234.5, 0)), ("world", (1600, 1234.5000000000001, 0)))
        .build()
    )
    motion = simulate(da.compile(tied), [-0.6, 1.3], None, 1.0, initial="project")
    assert motion.ok
    assert motion.position_error.max() < 1e-10


def test_the_mass_matrix_of_a_long_chain_is_that_of_the_model(rng: np.random.Generator):
    """More than `MANY` velocities: M column by column, of one state and of several."""
    links = MANY + 2
    builder = da.Builder("chain", gravity=(0, 0, -9.81))
    for i in range(links):
        builder.link(f"l{i}", mass=1 + i / 10, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02))
        options: dict[str, Any] = {"stiffness": 3.0, "armature": 0.01} if i == 1 else {}
        builder.revolute(f"j{i}", f"l{i}", axis="yx"[i % 2], origin=(0, 0, -bool(i)), **options)
    builder.loop("pin", (f"l{links - 1}", (0, 0, -1)), ("world", (1, 0, 0)))
    model = da.compile(builder.build())
    q, v = rng.uniform(-1, 1, (2, 3, links))
    expected = np.array([model.mass_matrix(each) for each in q])
    constraints = Constraints(model)
    size = np.abs(expected).max()
    many, one = constraints.read(np.zeros(3), q, v).M, constraints.read(0.0, q[1], v[1]).M
    assert isinstance(many, DenseMetric)
    assert isinstance(one, DenseMetric)
    assert np.abs(many.M - expected).max() < 1e-14 * size
    assert np.abs(one.M - expected[1]).max() < 1e-14 * size


@pytest.mark.parametrize(
    ("values", "is_searched"),
    [
        # rounding, a shallow minimum, the two sides of a zero
        ((0.1 + 1e-16, 0.1, 0.1 + 1e-16), False),
        ((0.101, 0.1, 0.102), False),
        ((0.1, 0.02, 0.06), True),
        ((3e-5, 2e-5, 3e-5), True),
    ],
)
def test_singular_configurations_are_searched_where_there_may_be_one(
    monkeypatch: pytest.MonkeyPatch, values: tuple[float, ...], is_searched: bool
):
    """Each search costs eighty projections: a chain of 40 links spent its time with them."""
    searched = []
    passages = SingularPassages(Constraints(linkage(1.0, 0.3, 0.9, 0.7)), 0.0, np.ones(2))
    monkeypatch.setattr(passages, "_search", lambda *seen: searched.append(seen))
    for k, value in enumerate(values):
        passages.follow(0.1 * k, lambda t: np.zeros(6), np.array([1.0, value]))
    assert bool(searched) is is_searched
