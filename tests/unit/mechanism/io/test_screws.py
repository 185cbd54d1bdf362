"""Products of exponentials against SciPy's matrix exponential and against DH tables."""

from __future__ import annotations

from fractions import Fraction
from math import pi
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.mechanism import JointKind, Link, Mechanism
from dalembert.recursions.kinematics import forward_kinematics, jacobian
from dalembert.recursions.tree import Tree
from dalembert.ring import equal
from dalembert.spatial.exact import exact_vector
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import add, cross, neg, rotate, scale
from tests.random_mechanisms import random_mechanism

# SciPy's exponential squares its result several times
EXPONENTIAL = 1e-13


def homogeneous(X: Pose) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.array(X.R, dtype=float), np.array(X.p, dtype=float)
    return T


def hat(v: Any, w: Any) -> np.ndarray:
    """Return ξ̂, 4 × 4."""
    x, y, z = (float(k) for k in w)
    T = np.zeros((4, 4))
    T[:3, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    T[:3, 3] = [float(k) for k in v]
    return T


def draw_screws(rng: np.random.Generator, number: int) -> tuple[list[Any], list[Pose]]:
    """Return hinges, sliders and screws about rational unit axes, and home poses."""
    home = [j.placement for j in random_mechanism(rng, number, kinds=("fixed",)).joints]
    units = [(1, 0, 0), (0, -1, 0), (0, 0, 1), (0.6, 0.8, 0), (0.28, 0, -0.96)]
    axes = [*units, (Fraction(2, 7), Fraction(3, 7), Fraction(6, 7))]
    screws = []
    for k in range(number):
        w = exact_vector(axes[int(rng.integers(len(axes)))])
        point = exact_vector(rng.integers(-2, 3, size=3).tolist())
        v = neg(cross(w, point))
        if k % 3 == 1:
            v, w = w, (0, 0, 0)
        elif k % 3 == 2:
            v = add(v, scale(Fraction(1, 5), w))
        screws.append((v, w))
    return screws, home


def to_body(screw: Any, X_WL: Pose) -> Any:
    """Return the same motion in the frame of the link: Ad of the inverse."""
    v, w = screw
    X = X_WL.inverse()
    w_L = rotate(X.R, w)
    return add(rotate(X.R, v), cross(X.p, w_L)), w_L


def test_space_screws_are_exponentials(rng: np.random.Generator) -> None:
    for _ in range(10):
        screws, home = draw_screws(rng, 6)
        arm = Mechanism.from_screws(screws, home)
        q = rng.uniform(-2, 2, size=6)
        ours = forward_kinematics(Tree.of(arm).map(float), q.tolist())[1:]
        product = np.eye(4)
        for X, screw, x, X_home in zip(ours, screws, q, home, strict=True):
            product = product @ expm(x * hat(*screw))
            expected = product @ homogeneous(X_home)
            assert homogeneous(X) == pytest.approx(expected, abs=100 * EXPONENTIAL)


def test_body_screws_are_the_same_arm(rng: np.random.Generator) -> None:
    screws, home = draw_screws(rng, 6)
    space = Mechanism.from_screws(screws, home)
    in_body = [to_body(screw, X) for screw, X in zip(screws, home, strict=True)]
    body = Mechanism.from_screws(in_body, home, body=True)
    assert forward_kinematics(Tree.of(body), [0] * 6) == forward_kinematics(Tree.of(space), [0] * 6)
    # of the last link: X(0) e^{B₁q₁} …, with the screws seen from its own frame
    q = rng.uniform(-2, 2, size=6)
    product = homogeneous(home[-1])
    for screw, x in zip(screws, q, strict=True):
        product = product @ expm(x * hat(*to_body(screw, home[-1])))
    X = forward_kinematics(Tree.of(body).map(float), q.tolist())[-1]
    assert homogeneous(X) == pytest.approx(product, abs=100 * EXPONENTIAL)


def test_home_is_exact(rng: np.random.Generator) -> None:
    """Axes along coordinates and rational ones that the turned frames keep orthogonal."""
    screws, home = draw_screws(rng, 6)
    arm = Mechanism.from_screws(screws, home)
    assert forward_kinematics(Tree.of(arm), [0] * 6)[1:] == home


def test_kinds() -> None:
    z = (0, 0, 1)
    screws = [((2, -1, 0), z), (z, (0, 0, 0)), ((2, -1, 0.2), z)]
    arm = Mechanism.from_screws(screws, [Pose()] * 3)
    assert [joint.kind.value for joint in arm.joints] == ["revolute", "prismatic", "helical"]
    assert arm.joint("joint3").pitch == Fraction(1, 5)
    # the axis goes through ω × v
    assert arm.joint("joint1").placement.p == (1, 2, 0)


def test_the_spatial_jacobian_at_home_lists_the_screws(rng: np.random.Generator) -> None:
    screws, home = draw_screws(rng, 6)
    tree = Tree.of(Mechanism.from_screws(screws, home)).map(float)
    columns = jacobian(tree, [0.0] * 6, "link6", "spatial")
    for (u, w), (v, omega) in zip(columns, screws, strict=True):
        assert np.array([*u, *w], dtype=float) == pytest.approx(
            [float(k) for k in (*v, *omega)], abs=1e-14
        )


def test_a_dh_arm_by_screws(rng: np.random.Generator) -> None:
    """PUMA 560 (Corke's table): home poses and axes of the DH frames give the same arm."""
    rows = [
        (0, pi / 2, 0, 0),
        (0.4318, 0, 0, 0),
        (0.0203, -pi / 2, 0.15005, 0),
        (0, pi / 2, 0.4318, 0),
        (0, -pi / 2, 0, 0),
        (0, 0, 0, 0),
    ]
    dh = Mechanism.from_dh(rows)
    home = forward_kinematics(Tree.of(dh), [0] * 6)
    screws = []
    for X_WP in home[:-1]:
        # joint i turns about z of frame i - 1
        w = rotate(X_WP.R, (0, 0, 1))
        screws.append((neg(cross(w, X_WP.p)), w))
    arm = Mechanism.from_screws(screws, home[1:])
    for q in rng.uniform(-3, 3, size=(5, 6)).tolist():
        ours = forward_kinematics(Tree.of(arm).map(float), q)[1:]
        theirs = forward_kinematics(Tree.of(dh).map(float), q)[1:]
        for X, Y in zip(ours, theirs, strict=True):
            assert homogeneous(X) == pytest.approx(homogeneous(Y), abs=1e-14)


def test_symbolic_lengths() -> None:
    l1, l2 = da.parameters("l1 l2")
    z = (0, 0, 1)
    screws = [((0, 0, 0), z), ((0, -l1, 0), z)]
    arm = Mechanism.from_screws(screws, [Pose(p=(l1, 0, 0)), Pose(p=(l1 + l2, 0, 0))])
    q1, q2 = da.coordinates("q1 q2")
    X = forward_kinematics(Tree.of(arm), [q1, q2])[-1]
    assert equal(X.p[0], l1 * da.cos(q1) + l2 * da.cos(q1 + q2))
    assert equal(X.p[1], l1 * da.sin(q1) + l2 * da.sin(q1 + q2))


def test_errors() -> None:
    z = ((0, 0, 0), (0, 0, 1))
    with pytest.raises(InvalidMechanism, match="got 1 screws and 2 poses"):
        Mechanism.from_screws([z], [Pose(), Pose()])
    with pytest.raises(InvalidMechanism, match="got 0 screws and 0 poses"):
        Mechanism.from_screws([], [])
    with pytest.raises(
        InvalidMechanism, match="expected 1 links, one for each joint, for a serial arm, got 2"
    ):
        Mechanism.from_screws([z], [Pose()], links=[Link("a"), Link("b")])
    with pytest.raises(InvalidMechanism, match="expected a unit angular velocity in the screw"):
        Mechanism.from_screws([((0, 0, 0), (0, 0, 2))], [Pose()])
    with pytest.raises(InvalidMechanism, match="expected an axis with a direction"):
        Mechanism.from_screws([((0, 0, 0), (0, 0, 0))], [Pose()])


def test_a_hinge_given_in_decimals_is_no_screw() -> None:
    w, p = (0.6, 0.0, 0.8), np.array([0.1, 0.2, 0.3])
    v = tuple(-np.cross(w, p))
    for body in (False, True):
        arm = da.Mechanism.from_screws([(v, w)], [Pose()], body=body)
        assert arm.joints[0].kind is JointKind.REVOLUTE


@pytest.mark.parametrize("screw", [((0, 0, 0), (0, 0, 1.5)), ((2, 0, 0), (0, 0, 0))])
def test_screws_that_are_no_units_are_refused(screw: Any) -> None:
    with pytest.raises(da.InvalidMechanism, match="expected a unit"):
        da.Mechanism.from_screws([screw], [Pose()])
