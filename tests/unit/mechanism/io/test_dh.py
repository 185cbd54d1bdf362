"""Denavit–Hartenberg tables against matrices multiplied by hand."""

from __future__ import annotations

from fractions import Fraction
from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.mechanism import Link, Mechanism
from dalembert.mechanism.io.dh import DHRow
from dalembert.recursions.kinematics import forward_kinematics
from dalembert.recursions.tree import Tree
from dalembert.ring import equal
from dalembert.spatial.vectors import IDENTITY, multiply, transpose

ROUNDING = 1e-14
# published with four decimals
PRINTED = 5e-5

# Corke, Robotics, Vision and Control, mdl_puma560: (a, α, d, θ)
PUMA_STANDARD = [
    (0, pi / 2, 0, 0),
    (0.4318, 0, 0, 0),
    (0.0203, -pi / 2, 0.15005, 0),
    (0, pi / 2, 0.4318, 0),
    (0, -pi / 2, 0, 0),
    (0, 0, 0, 0),
]
# Craig, Introduction to Robotics, figure 3.21: a and α of the joint before
A2, A3, D3, D4 = 0.4318, 0.0203, 0.1254, 0.4318
PUMA_MODIFIED = [
    (0, 0, 0, 0),
    (0, -pi / 2, 0, 0),
    (A2, 0, D3, 0),
    (A3, -pi / 2, D4, 0),
    (0, pi / 2, 0, 0),
    (0, -pi / 2, 0, 0),
]


def turn(axis: str, angle: float) -> np.ndarray:
    c, s = cos(angle), sin(angle)
    T = np.eye(4)
    i, j = {"x": (1, 2), "z": (0, 1)}[axis]
    T[i, i] = T[j, j] = c
    T[i, j], T[j, i] = -s, s
    return T


def shift(axis: str, length: float) -> np.ndarray:
    T = np.eye(4)
    T["xyz".index(axis), 3] = length
    return T


def by_hand(rows: Any, q: Any, *, modified: bool = False) -> list[np.ndarray]:
    """Return X_WLᵢ: the four elementary motions of each row, multiplied out."""
    X, result = np.eye(4), []
    for row, x in zip(rows, q, strict=True):
        a, alpha, d, theta, *slides = row
        d, theta = (d + x, theta) if any(slides) else (d, theta + x)
        if modified:
            X = X @ turn("x", alpha) @ shift("x", a) @ turn("z", theta) @ shift("z", d)
        else:
            X = X @ turn("z", theta) @ shift("z", d) @ shift("x", a) @ turn("x", alpha)
        result.append(X)
    return result


def frames(arm: Mechanism, q: Any) -> list[np.ndarray]:
    result = []
    for R, p in forward_kinematics(Tree.of(arm).map(float), list(map(float, q)))[1:]:
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = np.array(R, dtype=float), np.array(p, dtype=float)
        result.append(T)
    return result


@pytest.mark.parametrize("modified", [False, True])
def test_random_tables(modified: bool, rng: np.random.Generator) -> None:
    for _ in range(10):
        rows = [(*rng.uniform(-2, 2, size=4), bool(rng.random() < 0.3)) for _ in range(5)]
        q = rng.uniform(-2, 2, size=5)
        ours = frames(Mechanism.from_dh(rows, modified=modified), q)
        for X, expected in zip(ours, by_hand(rows, q, modified=modified), strict=True):
            assert pytest.approx(expected, abs=ROUNDING) == X


@pytest.mark.parametrize(
    ("q", "rotation", "position"),
    [
        # the zero, ready and nominal poses that the toolbox prints
        ((0, 0, 0, 0, 0, 0), np.eye(3), (0.4521, -0.1500, 0.4318)),
        ((0, pi / 2, -pi / 2, 0, 0, 0), np.eye(3), (0.0203, -0.1500, 0.8636)),
        (
            (0, pi / 4, pi, 0, pi / 4, 0),
            np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
            (0.5963, -0.1501, -0.0144),
        ),
    ],
)
def test_puma_poses_of_the_toolbox(q: Any, rotation: Any, position: Any) -> None:
    X = frames(Mechanism.from_dh(PUMA_STANDARD), q)[-1]
    assert X[:3, 3] == pytest.approx(position, abs=2 * PRINTED)
    assert X[:3, :3] == pytest.approx(rotation, abs=ROUNDING)


def test_puma_formula_of_craig(rng: np.random.Generator) -> None:
    """Position and first column of X_06: Craig, equation 3.14."""
    arm = Mechanism.from_dh(PUMA_MODIFIED, modified=True, name="puma")
    for q in rng.uniform(-3, 3, size=(10, 6)):
        (c1, c2, _, c4, c5, c6), (s1, s2, _, s4, s5, s6) = np.cos(q), np.sin(q)
        c23, s23 = cos(q[1] + q[2]), sin(q[1] + q[2])
        reach = A2 * c2 + A3 * c23 - D4 * s23
        position = (
            c1 * reach - D3 * s1,
            s1 * reach + D3 * c1,
            -A3 * s23 - A2 * s2 - D4 * c23,
        )
        wrist = c4 * c5 * c6 - s4 * s6
        last = s4 * c5 * c6 + c4 * s6
        column = (
            c1 * (c23 * wrist - s23 * s5 * c6) + s1 * last,
            s1 * (c23 * wrist - s23 * s5 * c6) - c1 * last,
            -s23 * wrist - c23 * s5 * c6,
        )
        X = frames(arm, q)[-1]
        assert X[:3, 3] == pytest.approx(position, abs=ROUNDING)
        assert X[:3, 0] == pytest.approx(column, abs=ROUNDING)


def test_right_angles_are_exact() -> None:
    arm = Mechanism.from_dh(PUMA_STANDARD)
    assert arm.joint("joint1").after.R == ((1, 0, 0), (0, 0, -1), (0, 1, 0))
    assert arm.joint("joint3").after.p == (Fraction(203, 10000), 0, Fraction(3001, 20000))
    for row in (0.3, 1.1):
        R = Mechanism.from_dh([(0, row, 0, row)]).joint("joint1").after.R
        assert multiply(R, transpose(R)) == IDENTITY


def test_symbolic_table() -> None:
    l1, l2 = da.parameters("l1 l2")
    arm = Mechanism.from_dh([(l1, 0, 0, 0), (l2, 0, 0, 0)])
    q1, q2 = da.coordinates("q1 q2")
    X = forward_kinematics(Tree.of(arm), [q1, q2])[-1]
    assert equal(X.p[0], l1 * da.cos(q1) + l2 * da.cos(q1 + q2))
    assert equal(X.p[1], l1 * da.sin(q1) + l2 * da.sin(q1 + q2))


def test_symbolic_twist() -> None:
    (alpha,) = da.parameters("alpha")
    R = Mechanism.from_dh([(0, alpha, 0, 0)]).joint("joint1").after.R
    assert R[1] == (0, da.cos(alpha), -da.sin(alpha))


def test_rows_links_and_limits() -> None:
    rows = [DHRow(a=1), DHRow(d=0.5, prismatic=True)]
    links = [Link.of("upper", mass=1), Link.of("slider", mass=2)]
    arm = Mechanism.from_dh(
        rows, links=links, limits=[(-1, 1), (0, 2)], gravity=(0, 0, 0), name="rp"
    )
    assert [joint.kind.value for joint in arm.joints] == ["revolute", "prismatic"]
    assert [link.name for link in arm.links] == ["base", "upper", "slider"]
    assert arm.joint("joint2").limits[:2] == (0, 2)
    assert arm.gravity == (0, 0, 0)
    assert str(arm).startswith("rp: 3 links, 2 degrees of freedom")


def test_errors() -> None:
    with pytest.raises(InvalidMechanism, match="expected at least one row in the DH table"):
        Mechanism.from_dh([])
    with pytest.raises(
        InvalidMechanism, match="expected 2 links, one for each joint, for a serial arm, got 1"
    ):
        Mechanism.from_dh([(0, 0, 0, 0), (0, 0, 0, 0)], links=[Link("a")])
