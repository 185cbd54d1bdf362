"""Derivatives of the dynamics of random trees against Pinocchio's analytical ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dalembert.recursions.derivatives.first import (
    inverse_dynamics_derivatives,
)
from dalembert.recursions.derivatives.forward import forward_dynamics_derivatives
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.reduce import reduce
from tests.agreement.test_random_trees import close, pinocchio_cases

pin: Any = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: no oracle")

# relative to the largest entry
TOLERANCE = 1e-11
# solving with M loses the digits of its condition number
FORWARD_TOLERANCE = 1e-12
BATCHES = 4


@pytest.mark.parametrize("batch", range(BATCHES))
def test_inverse_dynamics(batch: int, rng: np.random.Generator, scale: float) -> None:
    for tree, model, data, state, G, theirs in pinocchio_cases(rng, scale / 2):
        q, v, a = (x.tolist() for x in state)
        dq, dv, _ = pin.computeRNEADerivatives(model, data, *theirs)
        expected = [G.T @ dq @ G, G.T @ dv @ G]
        ours = inverse_dynamics_derivatives(tree, q, v, a)
        for name, mine, other in zip(("∂τ/∂q", "∂τ/∂v"), ours, expected, strict=True):
            close(mine, other, TOLERANCE, name, tree, unit=1.0)
        # links without mass and with moments that no body has
        for mine, other in zip(
            inverse_dynamics_derivatives(reduce(tree), q, v, a), expected, strict=True
        ):
            close(mine, other, TOLERANCE, "reduced", tree, unit=1.0)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_forward_dynamics(batch: int, rng: np.random.Generator, scale: float) -> None:
    for tree, model, data, state, G, (pq, pv, _) in pinocchio_cases(rng, scale / 2):
        if G.shape[0] != G.shape[1]:
            # followers move freely in the engine
            continue
        q, v, a = (x.tolist() for x in state)
        tau = inverse_dynamics(tree, q, v, a)
        back = np.linalg.inv(G)
        dq, dv, Minv = pin.computeABADerivatives(model, data, pq, pv, back.T @ tau)
        Minv = np.triu(Minv) + np.triu(Minv, 1).T
        ours = forward_dynamics_derivatives(tree, q, v, tau)
        Minv = back @ Minv @ back.T
        limit = FORWARD_TOLERANCE * np.linalg.cond(Minv)
        # τ - h may cancel: q̈ has the rounding of both
        unit = np.abs(tau).max() * np.linalg.norm(Minv, 2)
        close(ours.qdd, a, limit, "q̈", tree, unit=unit)
        close(ours.dqdd_dq, back @ dq @ G, limit, "∂q̈/∂q", tree, unit=unit)
        close(ours.dqdd_dv, back @ dv @ G, limit, "∂q̈/∂v", tree, unit=unit)
        close(ours.Minv, Minv, limit, "M⁻¹", tree)
