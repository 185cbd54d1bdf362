"""Constraint dynamics at every scale of mass and length, with redundant and nearly redundant rows.

The right answer is the KKT system of the same matrices, solved in 60 digits.
"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.model import Model
from dalembert.simulation import RK4

RELATIVE = 1e-12
BACKENDS = ("llvm", "numpy", "c")

# two bars and a coupler on an upright plate: the hinge that closes them is given as two
# points on its axis, as grippers are; rows across the plane are rounding, not zero
GRIPPER = """
<mujoco model="gripper">
  <compiler angle="radian"/>
  <worldbody>
    <body name="plate" euler="1.5707963267948966 0 1.5707963267948966">
      <geom type="box" size="0.1 0.1 0.01"/>
      <body name="driver"><joint name="driver" axis="0 0 1"/>
        <geom type="capsule" fromto="0 0 0 0 0.05 0" size="0.005" mass="0.02"/>
        <body name="coupler" pos="0 0.05 0"><joint name="coupler" axis="0 0 1"/>
          <geom type="capsule" fromto="0 0 0 0.07 0 0" size="0.005" mass="0.03"/></body></body>
      <body name="follower" pos="0.07 0 0"><joint name="follower" axis="0 0 1"/>
        <geom type="capsule" fromto="0 0 0 0 0.05 0" size="0.005" mass="0.02"/></body>
    </body>
  </worldbody>
  <equality>
    <connect name="near" body1="coupler" body2="follower" anchor="0.07 0 0"/>
    <connect name="far" body1="coupler" body2="follower" anchor="0.07 0 0.01"/>
  </equality>
</mujoco>
"""


def linkage(mass: float, length: float, backend: str = "llvm") -> Model:
    values = [length * x for x in (1.0, 0.3, 0.9, 0.7)] + [mass * x for x in (1.0, 1.2, 1.1)]
    numbers = dict(zip(da.parameters("l0 l1 l2 l3 m1 m2 m3 g"), (*values, 9.81), strict=True))
    return da.compile(da.textbook.robots.four_bar(), backend, parameters=numbers)


def exact(model: Model, q: Any, v: Any, tau: Any, rows: list[int] | None = None) -> np.ndarray:
    """Return q̈ of the KKT system in 60 digits, with the rows that are independent."""
    M, f = model.mass_matrix(q), np.asarray(tau) - model.bias(q, v)
    A, b = model.constraint_jacobian(q), model.constraint_bias(q, v)
    if rows is not None:
        A, b = A[rows], b[rows]
    with mpmath.workdps(60):
        n, m = len(M), len(A)
        K = mpmath.zeros(n + m)
        for i in range(n):
            for j in range(n):
                K[i, j] = float(M[i, j])
            for j in range(m):
                K[i, n + j] = -float(A[j, i])
                K[n + j, i] = float(A[j, i])
        right = mpmath.matrix([*map(float, f), *(-float(x) for x in b)])
        return np.array([float(x) for x in mpmath.lu_solve(K, right)[:n]])


def difference(found: np.ndarray, right: np.ndarray) -> float:
    return float(np.abs(found - right).max() / np.abs(right).max())


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("mass", [1e-6, 1e5, 1e9])
@pytest.mark.parametrize("length", [1e-6, 1.0, 1e9])
def test_masses_and_lengths_of_every_size(backend: str, mass: float, length: float) -> None:
    model, q, v = linkage(mass, length, backend), [0.5, 0.4, 1.5], [1.0, -2.0, 0.5]
    qdd, _ = model.constraint_dynamics(q, v, [0.0, 0.0, 0.0])
    assert difference(qdd, exact(model, q, v, [0.0, 0.0, 0.0])) <= RELATIVE


@pytest.mark.parametrize("angle", [1e-1, 1e-3, 1e-4])
@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e9])
def test_nearly_redundant_rows(angle: float, mass: float) -> None:
    """Two planes that meet at a small angle: the particle slides along their line."""
    x, y, z = da.coordinates("x y z")
    model = da.compile(
        da.System(
            kinetic=mass * (x.dot**2 + 2 * y.dot**2 + x.dot * z.dot + 3 * z.dot**2) / 2,
            potential=mass * (3 * x + 2 * y + 5 * z),
            coordinates=[x, y, z],
            constraints=[x + 2 * y - z, x + (2 + angle) * y - z],
        )
    )
    q, v = [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]
    qdd, _ = model.constraint_dynamics(q, v, [])
    assert difference(qdd, exact(model, q, v, np.zeros(3))) <= RELATIVE


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_a_row_given_three_times(scale: float) -> None:
    x, y = da.coordinates("x y")
    circle = x**2 + y**2 - scale**2
    model = da.compile(
        da.System(
            kinetic=scale * (x.dot**2 + y.dot**2) / 2,
            potential=scale * 10 * y,
            coordinates=[x, y],
            constraints=[circle, 3 * circle, circle / scale**2],
        )
    )
    q, v = [0.6 * scale, -0.8 * scale], [0.8, 0.6]
    qdd, lam = model.constraint_dynamics(q, v, [])
    assert difference(qdd, exact(model, q, v, np.zeros(2), [0])) <= RELATIVE
    assert lam[1] == lam[2] == 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_gripper_with_two_points_on_one_hinge(backend: str) -> None:
    robot = load_mjcf(GRIPPER)
    model = da.compile(robot, backend)
    q, v, tau = np.zeros(3), np.array([1.0, -1.0, 1.0]), np.array([0.1, 0.0, 0.0])
    qdd, _ = model.constraint_dynamics(q, v, tau)
    # one hinge on bars of equal length: a parallelogram, its coupler does not turn
    driver, coupler, follower = qdd
    assert np.isfinite(qdd).all()
    assert abs(driver + coupler) <= RELATIVE * abs(driver)
    assert abs(driver - follower) <= RELATIVE * abs(driver)


def test_a_gripper_at_rest_moves_when_it_is_let_go() -> None:
    model = da.compile(load_mjcf(GRIPPER))
    motion = da.simulate(model, np.zeros(3), None, 0.2)
    assert motion.ok, motion.status
    assert motion.position_error.max() < 1e-15
    assert motion.energy_error < 1e-12


def test_rollouts_of_redundant_constraints() -> None:
    """The same motion as that of `simulate`, which solves by singular values."""
    model = da.compile(load_mjcf(GRIPPER))
    runs = da.rollout(model, np.zeros((3, 3)), None, 200, [0.01, 0, 0], method=RK4(5e-4))
    motion = da.simulate(model, np.zeros(3), None, [0.0, 0.1], [0.01, 0, 0])
    assert runs.ok.all()
    assert np.abs(runs.q[:, -1] - motion.q[-1]).max() < 1e-7
    assert np.abs(model.constraint_error(runs.q[0, -1])).max() < 1e-12
