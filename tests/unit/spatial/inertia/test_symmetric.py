"""Tensors that turn, and moments of point masses, against numpy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import as_expr
from dalembert.expr.graph import postorder
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.inertia.pseudo_inertia import PseudoInertia
from dalembert.spatial.inertia.symmetric import matrix_of, plane_turn, turned, turned_symmetric
from dalembert.spatial.pose import Pose

# a few products of numbers near 1
ROUNDING = 1e-14
PERMUTATIONS = [
    np.array(P) * signs
    for P in itertools.permutations(np.eye(3, dtype=int).tolist())
    for signs in itertools.product((1, -1), repeat=3)
    if round(float(np.linalg.det(np.array(P) * signs))) == 1
]


def tuples(A: Any) -> Any:
    return tuple(tuple(row) for row in A)


def rotation(axis: int, angle: float) -> np.ndarray:
    """Return the rotation about a coordinate axis, with whole numbers where it does not turn."""
    s, c = float(np.sin(angle)), float(np.cos(angle))
    R = np.eye(3, dtype=int).astype(object)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


@pytest.mark.parametrize("axis", range(3))
def test_turns_in_a_plane(axis: int, rng: np.random.Generator) -> None:
    """All 24 placements by right angles before a turn about each axis."""
    assert len(PERMUTATIONS) == 24
    for P in PERMUTATIONS:
        R = P.astype(object) @ rotation(axis, float(rng.normal()))
        turn = plane_turn(tuples(R))
        assert turn is not None
        assert turn.axis == axis
        Rf = R.astype(float)
        A = rng.normal(size=(3, 3))
        ours = np.array(turned(tuples(R), tuples(A.tolist())), dtype=float)
        assert np.abs(ours - Rf @ A @ Rf.T).max() < ROUNDING
        S = A + A.T
        six = (S[0, 0], S[1, 1], S[2, 2], S[0, 1], S[0, 2], S[1, 2])
        ours = np.array(matrix_of(turned_symmetric(tuples(R), six)), dtype=float)
        assert np.abs(ours - Rf @ S @ Rf.T).max() < 2 * ROUNDING


def test_any_rotation_turns(rng: np.random.Generator) -> None:
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    A = rng.normal(size=(3, 3))
    assert plane_turn(tuples(Q.tolist())) is None
    ours = np.array(turned(tuples(Q.tolist()), tuples(A.tolist())))
    assert np.abs(ours - Q @ A @ Q.T).max() < ROUNDING


def test_a_tiny_angle_is_no_right_angle() -> None:
    """cos 1e-9 rounds to 1, yet the sine is not zero."""
    R = rotation(2, 1e-9) @ rotation(0, 1e-9)
    A = np.diag([1.0, 2.0, 4.0])
    Rf = R.astype(float)
    ours = np.array(turned(tuples(R), tuples(A.tolist())), dtype=float)
    assert np.abs(ours - Rf @ A @ Rf.T).max() == 0
    assert ours[1, 2] != 0


def test_a_symmetric_tensor_turns_with_sixteen_operations() -> None:
    """Written out with R S Rᵀ it takes forty."""
    (q,) = da.parameters("q")
    S: Any = da.parameters("a b c d e f")
    s, c = da.sin(q), da.cos(q)
    graph = [as_expr(x) for x in turned_symmetric(((c, -s, 0), (s, c, 0), (0, 0, 1)), S)]
    flops = sum(x.op in ("add", "sub", "mul", "pow") for x in postorder(graph))
    # one product more for the doubled entry
    assert flops <= 17


def cloud(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, Inertia]:
    """Return masses, places and the inertia of some points."""
    m, r = rng.uniform(0.1, 1, size=5), rng.normal(size=(5, 3))
    I = np.sum([k * (x @ x * np.eye(3) - np.outer(x, x)) for k, x in zip(m, r, strict=True)], 0)
    six = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    return m, r, Inertia(m.sum(), tuple(m @ r), tuple(six))  # type: ignore[arg-type]


def test_second_moments_of_points(rng: np.random.Generator) -> None:
    m, r, inertia = cloud(rng)
    J = PseudoInertia.of(inertia)
    assert np.allclose(matrix_of(J.S), (m * r.T) @ r, rtol=0, atol=1e-13)
    R, p = rotation(1, 0.7), rng.normal(size=3)
    x = r @ R.astype(float).T + p
    moved = J.moved(Pose(tuples(R), tuple(p.tolist())))
    assert np.allclose(moved.h, m @ x, rtol=0, atol=1e-13)
    assert np.allclose(np.array(matrix_of(moved.S), dtype=float), (m * x.T) @ x, atol=1e-12)


def test_momentum_and_wrench_of_points(rng: np.random.Generator) -> None:
    m, r, inertia = cloud(rng)
    J = PseudoInertia.of(inertia)
    v, w, a = rng.normal(size=(3, 3))
    velocity = v + np.cross(w, r)
    p, L = J.momentum(tuple(v), tuple(w))
    assert np.allclose(p, m @ velocity, rtol=0, atol=1e-13)
    assert np.allclose(L, m @ np.cross(r, velocity), rtol=0, atol=1e-12)
    # any field linear in the place, not only that of a rigid body
    K = rng.normal(size=(3, 3))
    acceleration = a + r @ K.T
    f, n = J.wrench(tuples(K), tuple(a))
    assert np.allclose(f, m @ acceleration, rtol=0, atol=1e-12)
    assert np.allclose(n, m @ np.cross(r, acceleration), rtol=0, atol=1e-12)
