"""Spatial inertia against sums over particles, exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.ring import equal
from dalembert.spatial.exact import exact_vector
from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import IDENTITY, ZERO, Vec, add, cross, dot, scale
from tests.random_mechanisms import random_mechanism

NO_TENSOR = (ZERO, ZERO, ZERO)
Cloud = list[tuple[Any, Vec]]


def cloud(rng: np.random.Generator, number: int = 5) -> Cloud:
    """Return particles (mass, position) with whole numbers."""
    return [
        (int(rng.integers(1, 6)), exact_vector(rng.integers(-5, 6, size=3).tolist()))
        for _ in range(number)
    ]


def by_particles(particles: Cloud) -> Inertia:
    """Return m, h and I from their definitions: I = Σ m (rᵀr 1 - r rᵀ)."""

    def moment(i: int, j: int) -> Any:
        return sum(m * ((dot(r, r) if i == j else 0) - r[i] * r[j]) for m, r in particles)

    h = tuple(sum(m * r[i] for m, r in particles) for i in range(3))
    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    return Inertia(sum(m for m, _ in particles), h, tuple(moment(i, j) for i, j in pairs))  # type: ignore[arg-type]


def pose(rng: np.random.Generator) -> Pose:
    return random_mechanism(rng, 1, kinds=("fixed",)).joints[0].placement


def test_parallel_axes_against_particles(rng: np.random.Generator) -> None:
    for _ in range(10):
        body = by_particles(cloud(rng))
        again = Inertia.from_com(body.m, body.com(), body.about_com())
        assert again == body
        # about the centre of mass it is the sum over the shifted particles
    particles = cloud(rng)
    body = by_particles(particles)
    c = body.com()
    shifted = by_particles([(m, add(r, scale(-1, c))) for m, r in particles])
    assert shifted.h == ZERO
    assert shifted.tensor == body.about_com()


def test_a_point_mass_has_no_inertia_about_itself() -> None:
    body = Inertia.from_com(2, (1, 2, 3), NO_TENSOR)
    assert body == by_particles([(2, (1, 2, 3))])
    assert body.about_com() == NO_TENSOR


def test_bodies_add_up(rng: np.random.Generator) -> None:
    first, second = cloud(rng), cloud(rng)
    assert by_particles(first) + by_particles(second) == by_particles(first + second)
    assert by_particles(first) + NO_INERTIA == by_particles(first)


def test_moved_is_exact(rng: np.random.Generator) -> None:
    for _ in range(10):
        particles, X_AB = cloud(rng), pose(rng)
        moved = by_particles(particles).moved(X_AB)
        assert moved == by_particles([(m, X_AB.point(r)) for m, r in particles])
        assert moved.moved(X_AB.inverse()) == by_particles(particles)


def test_momentum_against_particles(rng: np.random.Generator) -> None:
    particles = cloud(rng)
    v, w = (1, -2, 3), (Fraction(1, 2), 4, -1)
    p, L = ZERO, ZERO
    for m, r in particles:
        rate = add(v, cross(w, r))
        p, L = add(p, scale(m, rate)), add(L, cross(r, scale(m, rate)))
    assert by_particles(particles).momentum(v, w) == (p, L)
    # twice the kinetic energy
    energy = sum(m * dot(add(v, cross(w, r)), add(v, cross(w, r))) for m, r in particles)
    assert dot(v, p) + dot(w, L) == energy


def test_symbolic_rod() -> None:
    m, l = da.parameters("m l")
    centre = m * l**2 / 12
    rod = Inertia.from_com(m, (l / 2, 0, 0), ((0, 0, 0), (0, centre, 0), (0, 0, centre)))
    # a rod about its end: m l²/3
    assert equal(rod.tensor[1][1], m * l**2 / 3)
    assert equal(rod.about_com()[2][2], centre)
    assert equal(rod.com()[0], l / 2)


def test_over_arrays(rng: np.random.Generator) -> None:
    m = rng.uniform(1, 2, size=4)
    body = Inertia.from_com(m, (0.1, 0.2, 0.3), IDENTITY)
    assert body.tensor[0][0] == pytest.approx(1 + m * 0.13)
    assert body.map(lambda k: 2 * k).m == pytest.approx(2 * m)
