"""Jacobians of frames in every reference against complex steps through the forward kinematics.

A complex step has no truncation error: J e_k = Im X(q + i h q̇(e_k)) / h. A few frames of every
robot are drawn; DALEMBERT_TEST_SCALE=100 takes them all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.mechanism import Mechanism
from dalembert.textbook import robots
from tests.agreement import test_zoo as zoo
from tests.agreement.test_random_trees import draw_state
from tests.cases import num_cases

STEP = 1e-30
FRAMES = 2
# of the largest entry, or of 1 if that is larger
TOLERANCE = 1e-12
TEXTBOOK = {
    "ur5e": robots.ur5e,
    "panda": robots.panda,
    "iiwa14": robots.iiwa14,
    "puma560": robots.puma560,
    "stanford_arm": robots.stanford_arm,
    "stewart_platform": robots.stewart_platform,
    "quadrotor": robots.quadrotor,
    "biped": robots.biped,
}


def numerical(mechanism: Mechanism) -> Mechanism:
    return mechanism.bind(dict.fromkeys(mechanism.parameters, 0.7))


def complex_step(model: Any, q: np.ndarray, frame: str) -> dict[str, np.ndarray]:
    """Return J in every reference from derivatives of the pose alone."""
    directions = np.eye(model.nv)
    rates = model.call("configuration_rate", np.tile(q, (model.nv, 1)), directions)
    X = model.forward_kinematics(q + 1j * STEP * rates, frame=frame)
    R, p = X[0, :3, :3].real, X[0, :3, 3].real
    dX = X.imag / STEP
    # Ṙ = [ω] R
    W = dX[:, :3, :3] @ R.T
    w = np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]])
    v = dX[:, :3, 3].T
    assert np.abs(W + np.swapaxes(W, 1, 2)).max() <= TOLERANCE * max(1.0, np.abs(W).max())
    return {
        "world": np.vstack([v, w]),
        "body": np.vstack([R.T @ v, R.T @ w]),
        # of the point of the body that is at the world's origin: v - ω × p
        "spatial": np.vstack([v - np.cross(w, p, axis=0), w]),
    }


def check(mechanism: Mechanism, rng: np.random.Generator, scale: float) -> None:
    model = da.compile(mechanism, "numpy")
    names = [x.name for x in (*mechanism.frames, *mechanism.links)]
    count = min(len(names), num_cases(FRAMES, scale))
    q = np.array(draw_state(rng, mechanism)[0])
    for frame in rng.choice(names, count, replace=False):
        for reference, expected in complex_step(model, q, frame).items():
            J = model.jacobian(q, frame=frame, reference=reference)
            size = max(1.0, np.abs(expected).max())
            error = np.abs(J - expected).max()
            assert error <= TOLERANCE * size, f"{frame}, {reference}: {error / size:.1e}"


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_robots(name: str, rng: np.random.Generator, scale: float) -> None:
    check(numerical(TEXTBOOK[name]()), rng, 3 * scale)


@pytest.mark.skipif(not zoo.ZOO, reason="DALEMBERT_ZOO is not set: no zoo to compare with")
@pytest.mark.parametrize("name", zoo.references())
def test_zoo(name: str, rng: np.random.Generator, scale: float) -> None:
    try:
        mechanism = zoo.load(zoo.read(name)[1])
    except InvalidMechanism as error:
        pytest.skip(f"not loaded: {error}")
    check(mechanism, rng, scale)


def test_a_wrong_jacobian_is_seen(rng: np.random.Generator) -> None:
    model = da.compile(robots.ur5e(), "numpy")
    q = np.array(draw_state(rng, model.mechanism)[0])
    J = complex_step(model, q, "flange")
    assert np.abs(J["world"] - J["spatial"]).max() > 1e-3
    assert np.abs(J["world"] - J["body"]).max() > 1e-3
