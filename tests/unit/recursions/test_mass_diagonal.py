"""The diagonal of M by itself is that of the matrix."""

import numpy as np
import pytest

import dalembert as da
from dalembert.recursions.dynamics.composite import mass_diagonal, mass_matrix
from dalembert.recursions.tree import Tree


def gripper():
    return (
        da.Builder("gripper")
        .link("a", mass=1, com=(0.1, 0, 0), inertia=(1, 1, 1))
        .revolute("j", "a", armature=0.3)
        .link("b", mass=2, com=(0.2, 0, 0), inertia=(1, 1, 1))
        .revolute("k", "b", origin=(1, 0, 0), mimic=("j", 2, 0.1))
        .build()
    )


ROBOTS = {
    "arm": da.textbook.robots.ur5e,
    "free base": lambda: da.textbook.robots.ur5e().with_floating_base(),
    "mimic": gripper,
}


@pytest.mark.parametrize("name", ROBOTS)
def test_diagonal(name, rng):
    tree = Tree.of(ROBOTS[name]()).map(float)
    q = rng.normal(size=tree.nq).tolist()
    M = np.array(mass_matrix(tree, q), float)
    np.testing.assert_allclose(np.array(mass_diagonal(tree, q), float), np.diag(M), rtol=1e-13)


def test_the_metric_of_a_system_and_of_a_mechanism(rng):
    """Both give the diagonal of M and q̇ᵀ M q̇, M from the exact equations."""
    arm = da.textbook.robots.planar_arm_nr(2)
    arm = arm.bind(dict.fromkeys(arm.parameters, 1.5))
    q, v = rng.normal(size=2), rng.normal(size=2)
    system = arm.system()
    at = dict(zip(system.coordinates, q, strict=True))
    M = arm.equations().M
    M = np.array([[float(M[i, j].evaluate(at)) for j in range(2)] for i in range(2)])
    for description in (arm, system):
        model = da.compile(description)
        ports = {"q": model.symbols.q, "qd": model.symbols.qd}
        diagonal, square = model.expressions("metric", *ports.values())
        kernel = model.compile({"diagonal": diagonal, "square": square}, ports)
        np.testing.assert_allclose(kernel(q, v)[0], np.diag(M), rtol=1e-13)
        np.testing.assert_allclose(kernel(q, v)[1], v @ M @ v, rtol=1e-12)
