"""Motions that the tests of sensitivities share."""

from __future__ import annotations

import numpy as np

import dalembert as da
from dalembert.model import Model


def spring() -> Model:
    (x,), (m, k) = da.coordinates("x"), da.parameters("m k")
    return da.compile(da.System(kinetic=m * x.dot**2 / 2, potential=k * x**2 / 2, coordinates=[x]))


def double_pendulum() -> da.System:
    a, b = da.coordinates("a b")
    m, M, l, L, g, c = da.parameters("m M l L g c")
    x, y = L * da.sin(a), -L * da.cos(a)
    return da.System.from_particles(
        [M, m],
        [(x, y), (x + l * da.sin(b), y - l * da.cos(b))],
        gravity=(0, -g),
        dissipation=c * b.dot**2 / 2,
        coordinates=[a, b],
    )


PENDULUM = {"m": 0.7, "M": 1.2, "l": 0.4, "L": 0.9, "g": 9.81, "c": 0.3}


def free_flyer() -> da.Mechanism:
    """Return a satellite with an arm, whose mass and inertia are symbols, and a ball joint."""
    m, inertia, c = da.parameters("m I c")
    return (
        da.Builder("satellite", gravity=(0, 0, -1))
        .link("base", mass=3, inertia=(2, 3, 4))
        .link("arm", mass=m, com=(0.4, 0.1, 0), inertia=(0.1, inertia, inertia))
        .link("tip", mass=0.5, com=(0, 0, 0.3), inertia=(0.2, 0.3, 0.1))
        .floating("free", "base")
        .revolute("elbow", "arm", axis=(0, 0, 1), origin=(0.5, 0, 0), damping=c)
        .spherical("ball", "tip", origin=(0.8, 0, 0))
        .build()
    )


FLYER = {"m": 0.8, "I": 0.2, "c": 0.05}


def flyer_start(model: Model) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    return model.configuration.random(rng), rng.uniform(-1, 1, model.nv)
