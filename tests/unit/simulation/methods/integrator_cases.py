"""Motions with closed forms, and what a map must keep, for the tests of integrators."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import ellipj, ellipk

import dalembert as da
from dalembert.model import Model
from dalembert.simulation import Integrator, Problem, Projection
from dalembert.simulation.problem.forcing import forcing
from dalembert.textbook.robots.spatial_loops import bennett_angles

GRAVITY = 9.81


@functools.cache
def oscillator() -> Model:
    """ẍ = -4x + u."""
    (x,), (u,) = da.coordinates("x"), da.inputs("u")
    return da.compile(
        da.System(kinetic=x.dot**2 / 2, potential=2 * x**2, coordinates=[x], forces=[u])
    )


@functools.cache
def pendulum() -> Model:
    """A point mass on a rod of length one."""
    (q,) = da.coordinates("q")
    return da.compile(
        da.System(kinetic=q.dot**2 / 2, potential=-GRAVITY * da.cos(q), coordinates=[q])
    )


def pendulum_angle(amplitude: float, t: Any) -> Any:
    """Return the angle of the pendulum that is released at rest."""
    m = np.sin(amplitude / 2) ** 2
    # sin(q/2) = k cd(ω t, k)
    _, cn, dn, _ = ellipj(np.sqrt(GRAVITY) * t, m)
    return 2 * np.arcsin(np.sqrt(m) * cn / dn)


def pendulum_period(amplitude: float) -> float:
    """Return the time of a whole swing."""
    return float(4 * ellipk(np.sin(amplitude / 2) ** 2) / np.sqrt(GRAVITY))


@functools.cache
def double_pendulum() -> Model:
    """Masses and lengths of one."""
    a, b = da.coordinates("a b")
    x, y = da.sin(a), -da.cos(a)
    bodies = [da.Body(1, (x, y), 0, a), da.Body(1, (x + da.sin(b), y - da.cos(b)), 0, b)]
    return da.compile(da.System.from_bodies(bodies, coordinates=[a, b], gravity=(0, -GRAVITY)))


@functools.cache
def swinging_frame() -> Model:
    """A point seen from a frame that swings: p = ẋ + cos t stays, x = x₀ + p t - sin t."""
    (x,) = da.coordinates("x")
    return da.compile(da.System(kinetic=(x.dot + da.cos(da.time)) ** 2 / 2, coordinates=[x]))


@functools.cache
def kepler() -> Model:
    """A planet about a fixed sun, with the constant 1."""
    x, y = da.coordinates("x y")
    r = da.sqrt(x**2 + y**2)
    return da.compile(
        da.System(kinetic=(x.dot**2 + y.dot**2) / 2, potential=-1 / r, coordinates=[x, y])
    )


def kepler_start(eccentricity: float) -> tuple[list[float], list[float]]:
    """Return the state nearest to the sun of an orbit with half axis 1 and period 2π."""
    e = eccentricity
    return [1 - e, 0.0], [0.0, float(np.sqrt((1 + e) / (1 - e)))]


@functools.cache
def bennett() -> Model:
    """Bennett's linkage: six constraints of rank two, which contradict each other beside them."""
    return da.compile(da.textbook.robots.bennett_linkage())


def bennett_start() -> tuple[float, ...]:
    """Return a closed configuration."""
    return bennett_angles(1.0)


@functools.cache
def free_chain() -> Model:
    """A free body with a hinge and a ball behind it, without weight."""
    rod = (0.09, 0.08, 0.01)
    chain = (
        da.Builder("chain", gravity=(0, 0, 0))
        .link("base", mass=2, com=(0.1, 0, 0), inertia=(0.3, 0.4, 0.5))
        .floating("free", "base")
        .link("middle", mass=1, com=(0, 0, -0.5), inertia=rod)
        .revolute("hinge", "middle", axis="y")
        .link("end", mass=1, com=(0, 0, -0.5), inertia=rod)
        .spherical("ball", "end", origin=(0, 0, -1))
        .build()
    )
    return da.compile(chain)


def free_chain_start(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return some state of the chain."""
    model = free_chain()
    q = model.configuration.neutral + 0.3 * rng.standard_normal(model.nq)
    return model.configuration.normalized(q), rng.standard_normal(model.nv)


def world_momentum(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return linear momentum, and angular momentum about the world's origin."""
    h, c = model.centroidal_momentum(q, v), model.center_of_mass(q)
    linear = h[..., :3]
    return np.concatenate([linear, h[..., 3:] + np.cross(c, linear)], axis=-1)


def problem_of(model: Model, forces: Any = None) -> Problem:
    """Return what an integrator sees."""
    return Problem(model, forcing(forces, model), Projection(), is_audited=False)


def one_step(model: Model, method: Integrator, h: float) -> Callable[[np.ndarray], np.ndarray]:
    """Return the map x ↦ x(h) of one step."""
    problem = problem_of(model)

    def step(x: np.ndarray) -> np.ndarray:
        return method.start(problem, 0.0, x, h).step(h).x

    return step


def symplectic_defect(model: Model, method: Integrator, h: float, x: Sequence[float]) -> float:
    """Return max |JᵀωJ - ω| of the map in (q, p) of one step, derivatives by differences.

    Central differences of order 6 with steps of 1e-2 are right to about 1e-12 here.
    """
    n = model.nv
    step = one_step(model, method, h)

    def phase(y: np.ndarray) -> np.ndarray:
        v = np.linalg.solve(model.mass_matrix(y[:n]), y[n:])
        new = step(np.concatenate([y[:n], v]))
        return np.concatenate([new[:n], model.mass_matrix(new[:n]) @ new[n:]])

    y = np.concatenate([x[:n], model.mass_matrix(x[:n]) @ np.asarray(x[n:])])
    d, columns = 1e-2, []
    for e in np.eye(2 * n):
        a, b, c = (phase(y + k * d * e) - phase(y - k * d * e) for k in (1, 2, 3))
        columns.append((45 * a - 9 * b + c) / (60 * d))
    J = np.array(columns).T
    w = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    return float(np.abs(J.T @ w @ J - w).max())


def slope(steps: Sequence[float], errors: Sequence[float]) -> float:
    """Return the order of convergence that errors show."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])
