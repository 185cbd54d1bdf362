"""Starts that constraints lock: a taut chain has no motion, a folded one has."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.model import Model
from dalembert.simulation.constraints.constraints import Constraints
from dalembert.simulation.constraints.locked import locked_rank

# below and above the length from which chains move by passes along their links
LINKS = [2, 5, 300]


def pinned(links: int, end: tuple[float, float, float], unit: float = 1.0) -> Model:
    """Return a planar chain of rods of one unit of length whose end is pinned."""
    builder = da.Builder("chain", gravity=(0, 0, -9.81 * unit))
    inertia = (0.1 * unit**2, 0.1 * unit**2, 0.02 * unit**2)
    for i in range(links):
        builder.link(f"l{i}", mass=1, com=(0, 0, -unit / 2), inertia=inertia)
        builder.revolute(f"j{i}", f"l{i}", axis="y", origin=(0, 0, -unit if i else 0))
    point = tuple(unit * x for x in end)
    return da.compile(
        builder.loop("pin", (f"l{links - 1}", (0, 0, -unit)), ("world", point)).build()
    )


def level(links: int) -> np.ndarray:
    """Return the angles of a straight chain along x."""
    q = np.zeros(links)
    q[0] = -np.pi / 2
    return q


@pytest.mark.parametrize("links", LINKS)
def test_a_taut_chain_across_gravity_is_refused(links: int) -> None:
    """A rope that is straight under its weight has infinite tension."""
    with pytest.raises(EvaluationError, match=r"is locked at t = 0.*rank 1 where there are 2"):
        da.simulate(pinned(links, (links, 0, 0)), level(links), None, 0.1, initial="project")


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_units_do_not_matter(unit: float) -> None:
    with pytest.raises(EvaluationError, match="is locked"):
        da.simulate(pinned(5, (5, 0, 0), unit), level(5), None, 0.1, initial="project")


@pytest.mark.parametrize("links", LINKS)
def test_a_taut_chain_along_gravity_rests_and_says_so(links: int) -> None:
    motion = da.simulate(pinned(links, (0, 0, -links)), np.zeros(links), None, 0.05)
    assert motion.ok
    assert any(text.startswith("locked at the start") for text in motion.warnings)
    assert np.abs(motion.q).max() == 0


def test_a_taut_chain_cannot_have_a_velocity() -> None:
    """To first order its middle is free."""
    with pytest.raises(EvaluationError, match="is locked"):
        da.simulate(pinned(2, (0, 0, -2)), [0, 0], [1, -2], 0.1)


@pytest.mark.parametrize("links", [2, 4, 10])
def test_a_folded_chain_is_singular_and_not_locked(links: int) -> None:
    q = level(links)
    q[links // 2] = np.pi
    constraints = Constraints(pinned(links, (0, 0, 0)))
    constraints.find_rank(0.0, q)
    assert locked_rank(constraints, 0.0, q) is None


@pytest.mark.parametrize("links", [2, 10, 120])
def test_a_straight_chain_with_slack_is_projected(links: int) -> None:
    """Newton's method has no direction there: the way is across the chain."""
    model = pinned(links, (links * (1 - 1e-6), 0, 0))
    motion = da.simulate(model, level(links), None, [0.0, 1e-6], initial="project")
    assert motion.ok, motion.status
    assert motion.position_error.max() < 1e-11 * links
    # the arc of a chord that is 1e-6 shorter: angles of √(24e-6), and not turns
    assert np.abs(motion.q[0] - level(links)).max() < 0.1
