"""Dry friction of joints in one kernel: the same forces and rates as from the rows of the law."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.control import PDGravity
from dalembert.expr import Expr
from dalembert.simulation import DOP853, JointFriction, simulate
from dalembert.simulation.constraints.stabilisation import Projection
from dalembert.simulation.contact.rows import BOUND, STICK, Mode
from dalembert.simulation.laws.joint_modes import JointModes
from dalembert.simulation.laws.modes import Modes
from dalembert.simulation.problem.forcing import forcing
from dalembert.simulation.problem.problem import Problem
from tests.cases import num_cases
from tests.effort import at_once
from tests.random_mechanisms import random_mechanism

# of the largest entry; M of a random tree has a condition number of some thousand
ROUNDING = 1e-10


def with_friction(mechanism: da.Mechanism, size: float, stribeck: float = 0.0) -> da.Mechanism:
    """Return a mechanism with dry friction on its scalar joints."""
    more = {"friction": size, "stribeck": stribeck, "stribeck_velocity": 0.1}
    joints = [
        replace(x, resistance=replace(x.resistance, **more)) if x.is_scalar else x
        for x in mechanism.joints
    ]
    return replace(mechanism, joints=tuple(joints))


@pytest.mark.parametrize("has_law", [False, True])
def test_rates_and_forces_are_those_of_the_rows(
    rng: np.random.Generator, scale: float, has_law: bool
) -> None:
    for _ in range(num_cases(2, scale)):
        tree = random_mechanism(rng, 4, kinds=("revolute", "prismatic", "spherical", "revolute"))
        model = da.compile(with_friction(replace(tree, loops=(), couplings=()), 0.7, 0.2))
        rows = [row._replace(own=0) for row in JointFriction().rows(model)]
        force: list[Expr | float] = list(rng.normal(size=model.nv))
        if has_law:
            force = [x - 2.0 * v for x, v in zip(force, model.symbols.qd, strict=True)]
        drive = forcing(force, model, (0.0, 1.0))
        problem = Problem(model, drive, Projection(), is_audited=True, has_dry_friction=False)
        assert JointModes.covers(problem, rows)
        one, other = JointModes(problem, rows), Modes(problem, rows)
        problem.modes = other
        q, v = model.random_configuration(rng), rng.normal(size=model.nv)
        sides = rng.integers(-1, 2, size=len(rows))
        directions = np.stack([np.where(sides < 0, -1.0, 1.0), 0.0 * sides], axis=1)
        mode = Mode.of(np.where(sides == 0, STICK, BOUND), directions)
        one.mode = other.mode = mode._replace(moves=sides != 0)
        q, v = one.held_at_rest(0.0, q, v)
        pairs = [
            (one.rate(0.0, q, v, np.empty(0)), other.rate(0.0, q, v, np.empty(0))),
            (one.power(0.0, q, v), other.power(0.0, q, v)),
        ]
        t, many = np.zeros(3), (np.stack([q] * 3), np.stack([v] * 3))
        pairs.append((one.margins(t, *many), other.margins(t, *many)))
        free = np.stack([problem.free_acceleration(0.0, q, v)] * 3)
        modes = [one.mode] * 3
        state = (*many, free, np.empty((3, 0)), modes)
        pairs += zip(one.details(t, *state), other.details(t, *state), strict=True)
        for found, expected in pairs:
            assert found.shape == expected.shape
            size = max(1.0, float(np.abs(expected).max(initial=0.0)))
            assert np.abs(found - expected).max(initial=0.0) < ROUNDING * size


# events of both methods, beside the whole time: each locates its own to rounding of its steps
SAME_TIMES = 1e-10


@pytest.mark.parametrize("stribeck", [0.0, 0.3])
def test_series_in_modes_are_the_motion_of_steps(stribeck: float) -> None:
    """One compiled series serves every mode; DOP853 knows nothing of it."""
    model = da.compile(with_friction(da.textbook.robots.ur5e(), 1.0, stribeck))
    goal = np.array([0.3, -1.2, 1.0, -0.8, 0.5, 0.2])
    hold = PDGravity(model, goal, stiffness=50.0, damping=0.5)
    found, other = (
        simulate(model, goal + 0.4, None, 1.0, hold, method=m) for m in (None, DOP853())
    )
    assert found.ok
    assert other.ok
    assert found.method.startswith("Taylor")
    assert len(found.events) > 5
    assert [name for _, name in found.events] == [name for _, name in other.events]
    times = zip(found.events, other.events, strict=True)
    assert max(abs(a - b) for (a, _), (b, _) in times) < SAME_TIMES
    assert np.abs(found.q[-1] - other.q[-1]).max() < ROUNDING
    assert found.energy_error < ROUNDING * np.ptp(found.energy.total)


def test_an_arm_with_friction_is_driven_at_defaults() -> None:
    """Light wrists with strong dampers are stiff besides; it ends where K q̃ is within friction."""
    friction, stiffness = 1.0, 100.0
    model = da.compile(with_friction(da.textbook.robots.ur5e(), friction))
    goal = np.array([0.3, -1.2, 1.0, -0.8, 0.5, 0.2])
    hold = PDGravity(model, goal, stiffness=stiffness, damping=20.0)
    motion = at_once(lambda: simulate(model, goal + 0.4, None, 2.0, hold))
    assert motion.ok, motion.status
    assert motion.energy_error < 1e-8 * np.ptp(motion.energy.total)
    end = simulate(model, motion.q[-1], motion.qd[-1], 4.0, hold)
    assert np.abs(end.q[-1] - goal).max() < 1.01 * friction / stiffness
