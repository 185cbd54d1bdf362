"""Shadows: another motion, or another model in the same configuration."""

import numpy as np
import pytest

import dalembert as da
from dalembert.studio.ghost import matched
from tests.unit.studio.places import pose_in_world

pytest.importorskip("viser", reason="viser serves the studio")
pytest.importorskip("trimesh", reason="trimesh draws the shapes of the studio")
from dalembert.studio import view


def arm(length: float, joints: int = 2) -> da.Mechanism:
    builder = da.Builder("arm")
    for k in range(joints):
        builder.link(f"l{k}", mass=1, com=(length / 2, 0, 0), inertia=(0.1, 0.1, 0.1))
        place = (length, 0, 0) if k else (0, 0, 0)
        parent = f"l{k - 1}" if k else "world"
        builder.revolute(f"j{k}", f"l{k}", parent=parent, axis="y", origin=place)
    return builder.frame("tip", f"l{joints - 1}", origin=(length, 0, 0)).build()


def test_joints_of_the_same_name_stand_alike() -> None:
    short, long = da.compile(arm(1.0)), da.compile(arm(2.0, joints=3))
    assert matched(short, long, np.array([0.3, -0.7])) == pytest.approx([0.3, -0.7, 0.0])


def forearm_of_the_ghost(studio) -> np.ndarray:
    return pose_in_world(studio._server.viser.scene, "/ghost/0/1/2")[:3, 3]


def test_another_robot_stands_beside_in_the_same_configuration() -> None:
    with view(arm(1.0), beside=arm(2.0)) as studio:
        studio.state.show(0.0, np.array([np.pi / 2, 0.0]))
        # a turn about y brings x to -z
        assert forearm_of_the_ghost(studio) == pytest.approx(np.array([0, 0, -2]), abs=1e-9)


def test_another_robot_moves_as_its_own_motion() -> None:
    long = arm(2.0)
    motion = da.simulate(da.compile(long), [0.5, 0.0], None, 0.5)
    with view(arm(1.0), beside=long, ghost=motion) as studio:
        studio.state.show(0.5, np.zeros(2))
        q = float(motion.q[-1, 0])
        expected = [2 * np.cos(q), 0, -2 * np.sin(q)]
        assert forearm_of_the_ghost(studio) == pytest.approx(np.array(expected), abs=1e-9)


def test_a_motion_of_another_robot_is_refused() -> None:
    motion = da.simulate(da.compile(arm(1.0, joints=3)), [0.0] * 3, None, 0.01)
    with pytest.raises(da.EvaluationError, match="expected a motion of 2 coordinates"):
        view(arm(1.0), ghost=motion)
