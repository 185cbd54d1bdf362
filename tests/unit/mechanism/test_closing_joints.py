"""Loops closed by joints of every kind: a free body tied to the ground moves as on that joint."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism

BODY = {"mass": 2, "com": (0.3, 0.1, 0.2), "inertia": (0.4, 0.5, 0.3)}
KINDS = {
    "revolute": ({"axis": "y"}, [0.3], [1.0]),
    "prismatic": ({"axis": "x", "stiffness": 30}, [0.2], [0.5]),
    "helical": ({"axis": "y", "pitch": 0.2}, [0.3], [1.0]),
    "universal": ({}, [0.3, -0.2], [1.0, 0.7]),
    "cylindrical": ({"axis": "x"}, [0.1, 0.3], [0.4, 1.0]),
    "planar": ({"axis": "y"}, [0.1, 0.2, 0.3], [0.5, -0.2, 1.0]),
}


def on_a_joint(kind, options):
    builder = da.Builder("tree").link("body", **BODY)
    if kind == "cylindrical":
        builder.link("slider").prismatic("joint_1", "slider", **options)
        return builder.revolute("joint_2", "body", **options).build()
    if kind in ("universal", "planar"):
        return getattr(builder, kind)("joint", "body", **options).build()
    return builder.joint(kind, "joint", "body", **options).build()


def tied(kind, options):
    free = da.Builder("tied").link("body", **BODY).floating("free", "body")
    return free.close(kind, "joint", ("world", (0, 0, 0)), ("body", (0, 0, 0)), **options).build()


@pytest.mark.parametrize("kind", KINDS)
def test_a_free_body_on_a_closing_joint_moves_as_on_that_joint(kind):
    options, q0, v0 = KINDS[kind]
    tree, loop = da.compile(on_a_joint(kind, options)), da.compile(tied(kind, options))
    times = np.linspace(0, 0.8, 5)
    motion = da.simulate(tree, q0, v0, times)
    start = motion.frames()["body"][0]
    # the free body where the joint has it, the closing joint at the same place
    turn = da.spatial.rotation.quaternion.from_matrix(start[:3, :3])
    twist = tree.jacobian(q0, "body", reference="body") @ v0
    q, v = np.concatenate([start[:3, 3], turn, q0]), np.concatenate([twist, v0])
    other = da.simulate(loop, q, v, times, initial="project")
    assert motion.ok
    assert other.ok
    np.testing.assert_allclose(other.frames()["body"], motion.frames()["body"], atol=1e-9)
    np.testing.assert_allclose(other.q[:, 7:], motion.q, atol=1e-9)
    assert other.energy_error < 1e-10


def test_spherical_and_fixed_ones_are_loops():
    """A ball joint needs no coordinates: the body swings about its point, as a pendulum does."""
    ball = tied("spherical", {})
    assert ball.loops[0].kind == "point"
    assert ball.degrees_of_freedom == 3
    assert tied("fixed", {}).degrees_of_freedom == 0
    with pytest.raises(InvalidMechanism, match="expected no options of the fixed joint"):
        tied("fixed", {"axis": "x"})
    with pytest.raises(InvalidMechanism, match="expected a kind of joint"):
        tied("magnetic", {})


def test_the_tree_goes_on_where_it_was():
    builder = da.Builder("b").link("a", mass=1).revolute("j", "a")
    builder.close("revolute", "pin", ("a", (1, 0, 0)), ("world", (1, 0, 0)))
    mechanism = builder.link("c", mass=1).revolute("k", "c").build()
    assert mechanism["k"].parent == "a"
