"""Loop closures and momenta over floats against Lagrange's exact equations and by differences."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.recursions.constraints.loops import loop_bias, loop_error, loop_jacobian
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.momentum import (
    centroidal_momentum,
    momentum,
    operational_inertia,
)
from dalembert.recursions.energies import kinetic_energy
from dalembert.recursions.kinematics import center_of_mass, jacobian
from dalembert.recursions.tree import Tree
from dalembert.spatial.exact import exact
from dalembert.spatial.pose import Pose


def four_bar() -> da.Mechanism:
    builder = da.Builder("four-bar", gravity=(0, -9.81, 0))
    for i, length in enumerate((0.4, 1.0, 0.7), 1):
        inertia = (0, length**2 / 12, length**2 / 12)
        builder.link(f"rod{i}", mass=1, com=(length / 2, 0, 0), inertia=inertia)
    builder.revolute("a", "rod1")
    builder.revolute("b", "rod2", parent="rod1", origin=(0.4, 0, 0))
    builder.revolute("c", "rod3", parent="rod2", origin=(1.0, 0, 0))
    builder.loop("close", ("rod3", (0.7, 0, 0)), ("world", (0.9, 0, 0)))
    return builder.couple("gear", "c", "a", -0.5, 0.1).build()


def test_jacobian_and_bias_are_those_of_the_exact_constraints(rng: np.random.Generator) -> None:
    mechanism = four_bar()
    tree = Tree.of(mechanism).map(float)
    q, v = rng.normal(size=3), rng.normal(size=3)
    A = np.array(loop_jacobian(tree, q), dtype=float)
    bias = np.array(loop_bias(tree, q, v), dtype=float)
    error = np.array(loop_error(tree, q), dtype=float)
    eq = mechanism.equations()
    values = dict(zip((*eq.coordinates, *eq.velocities), (*q, *v), strict=True))
    # the z row of the planar loop vanishes identically: both leave it out
    assert [row.name for row in tree.constraint_rows] == [
        "loop close x",
        "loop close y",
        "coupling gear",
    ]
    assert pytest.approx(eq.A.evaluate(values), abs=1e-13) == A
    assert bias == pytest.approx(eq.Ad.evaluate(values) @ v, abs=1e-12)
    assert error == pytest.approx(eq.a.evaluate(values)[:, 0], abs=1e-13)


def test_welded_frames_have_angular_rows(rng: np.random.Generator) -> None:
    builder = da.Builder("weld").link("a", mass=1, inertia=(1, 1, 1)).revolute("j", "a", axis="x")
    builder.link("b", mass=1, inertia=(1, 1, 1)).revolute("k", "b", axis="y", origin=(1, 0, 0))
    mechanism = builder.loop("weld", ("b", (0, 1, 0)), ("world", (1, 1, 0)), kind="frame").build()
    tree = Tree.of(mechanism).map(float)
    q, v, h = rng.normal(size=2), rng.normal(size=2), 1e-6
    A = np.array(loop_jacobian(tree, q), dtype=float)
    # x₁ = x₂ whatever q is
    assert A.shape == (5, 2)
    assert [row.unit for row in tree.constraint_rows] == ["m", "m", "rad", "rad", "rad"]
    # Ȧ v by central differences along the motion
    ahead, behind = (np.array(loop_jacobian(tree, q + s * h * v)) for s in (1, -1))
    difference = (ahead - behind) @ v / (2 * h)
    assert np.array(loop_bias(tree, q, v)) == pytest.approx(difference, abs=1e-8)


def spatial_arm(rng: np.random.Generator) -> Tree:
    builder = da.Builder("arm")
    for i, axis in enumerate("xyzxyzx"):
        builder.link(f"l{i}", mass=1 + i, com=tuple(rng.normal(size=3) / 5), inertia=(1, 1.5, 2))
        builder.revolute(f"j{i}", f"l{i}", axis=axis, origin=tuple(rng.normal(size=3)))
    return Tree.of(builder.build()).map(float)


def test_linear_momentum_is_that_of_the_centre_of_mass(rng: np.random.Generator) -> None:
    tree = spatial_arm(rng)
    q, v, h = rng.normal(size=7), rng.normal(size=7), 1e-6
    P, _ = momentum(tree, q, v)
    ahead, behind = (np.array(center_of_mass(tree, q + s * h * v)[1]) for s in (1, -1))
    assert np.array(P) == pytest.approx((ahead - behind) / (2 * h), rel=1e-6, abs=1e-6)


def test_angular_momentum_about_the_centre_is_the_least(rng: np.random.Generator) -> None:
    """König: L about the origin = L about the centre + c × P."""
    tree = spatial_arm(rng)
    q, v = rng.normal(size=7), rng.normal(size=7)
    P, L = (np.array(x) for x in momentum(tree, q, v))
    P_c, L_c = (np.array(x) for x in centroidal_momentum(tree, q, v))
    m, h = center_of_mass(tree, q)
    assert np.allclose(P_c, P)
    assert pytest.approx(L_c + np.cross(np.array(h) / m, P)) == L


def test_operational_inertia_gives_the_least_energy_of_a_task_velocity(
    rng: np.random.Generator,
) -> None:
    """½ ẋᵀ Λ ẋ is the smallest kinetic energy with which the frame moves at ẋ."""
    tree = spatial_arm(rng)
    q = rng.normal(size=7)
    Lambda = np.array(operational_inertia(tree, q, "l6"), dtype=float)
    J = np.array([[*u, *w] for u, w in jacobian(tree, q, "l6")], dtype=float).T
    M = np.array(mass_matrix(tree, q), dtype=float)
    x = rng.normal(size=6)
    v = np.linalg.solve(M, J.T @ (Lambda @ x))
    assert J @ v == pytest.approx(x, rel=1e-9, abs=1e-9)
    assert kinetic_energy(tree, q, v) == pytest.approx(x @ Lambda @ x / 2, rel=1e-9)


@pytest.mark.parametrize("kind", ["point", "frame"])
def test_a_loop_across_a_fixed_joint_has_no_rows(kind: str) -> None:
    """Its ends are at one place of one body, up to the rounding of their numbers."""
    body = {"mass": 1, "inertia": (1, 1, 1)}
    builder = da.Builder("pair").link("a", **body).spherical("ball", "a", origin=(0.1, 0.2, 0.3))
    builder.link("b", **body).fixed("weld", "b", origin=(0.7, 0.3, 0.2), rpy=(0.3, 0.2, 0.1))
    mechanism = builder.build()
    X = mechanism.joint("weld").placement.inverse()
    point = X.map(float).point((0.1, 0.5, 0.9))
    tied = mechanism.add_frame("end", "b", placement=Pose(X.R, tuple(map(exact, point))))
    tied = tied.add_loop("ring", ("a", (0.1, 0.5, 0.9)), "end", kind=kind)
    tree = Tree.of(tied)
    assert tree.constraint_rows == ()
    # and so the motion is that of the ball
    q, v = [0.5, 0.5, -0.5, 0.5], [1.0, -2.0, 0.5]
    found = da.simulate(da.compile(tied), q, v, 0.3)
    assert found.ok
    alone = da.simulate(da.compile(mechanism), q, v, 0.3)
    np.testing.assert_allclose(found.q[-1], alone.q[-1], atol=1e-12)
    # ends that are apart stay, since nothing closes them
    apart = mechanism.add_loop("ring", "a", "b", kind=kind)
    assert len(Tree.of(apart).constraint_rows) == (3 if kind == "point" else 6)
