"""What is sent for a picture: one message with the parts that moved, at once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import dalembert as da

pytest.importorskip("viser", reason="viser serves the studio")
msgspec = pytest.importorskip("msgspec", reason="viser brings msgspec")
zstandard = pytest.importorskip("zstandard", reason="viser brings zstandard")

from benchmarks.robots import humanoid  # noqa: E402
from benchmarks.studio import connected  # noqa: E402
from dalembert.studio import Studio, view  # noqa: E402
from dalembert.studio.scene.robot import Robot  # noqa: E402
from tests.unit.studio.places import pose_in_world  # noqa: E402

WAIT = 30.0  # seconds until a message counts as lost, on a loaded machine
MOVES = ("SetPositionMessage", "SetOrientationMessage")

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    with view(humanoid()) as opened:
        # tables and sliders come when they like
        opened.state._readouts.clear()
        yield opened


def moves(data: bytes) -> list[str]:
    """Return the kinds of the moves of parts in a message."""
    size = int.from_bytes(data[8:16], "little")
    content = msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(data[16 : 16 + size]))
    return [x["type"] for x in content["messages"] if x["type"] in MOVES]


def next_moves(client: Any) -> list[str]:
    while not (found := moves(client.recv(timeout=WAIT))):
        pass
    return found


def settled(client: Any) -> None:
    """Take what a new client is told."""
    while True:
        try:
            client.recv(timeout=0.5)
        except TimeoutError:
            return


def test_a_picture_is_one_message_with_what_a_joint_moves(studio: Studio) -> None:
    model, state = studio.state.model, studio.state
    with connected(studio) as client:
        settled(client)
        # one joint of the trunk turns the whole upper body, and is one part
        q = model.neutral
        q[list(model.configuration.q_names).index("waist_joint")] = 0.5
        state.show(0.0, q)
        assert next_moves(client) == ["SetOrientationMessage"]
        # every joint turns one part; the floating base also moves it
        rng = np.random.default_rng(3)
        for k in range(5):
            q = model.configuration.normalized(
                model.neutral + rng.uniform(0.1, 0.5, model.nq) * (k + 1)
            )
            state.show(0.0, q)
            assert Counter(next_moves(client)) == {MOVES[0]: 1, MOVES[1]: 25}
        # nothing moves: what is sent are numbers beside the picture
        state.show(0.0, q)
        with suppress(TimeoutError):
            while True:
                assert not moves(client.recv(timeout=0.3))


def test_poses_below_parents_give_poses_in_the_world(studio: Studio, rng) -> None:
    model, scene = studio.state.model, studio._server.viser.scene
    robot = Robot(scene, model, model.neutral, name="/other")
    q = model.configuration.normalized(model.neutral + rng.uniform(-0.9, 0.9, model.nq))
    robot.show(studio.state.moment._replace(q=q))
    expected = model.forward_kinematics(q)
    for frame, X in zip(robot._frames, expected, strict=True):
        assert pose_in_world(scene, frame.name) == pytest.approx(X, abs=1e-9)
    robot.remove()


def test_a_robot_with_slashes_in_its_names_is_drawn() -> None:
    builder = da.Builder("a/b")
    builder.link("x/y", mass=1, com=(0.1, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    builder.revolute("../j", "x/y", axis="y", origin=(0.2, 0, 0))
    with view(builder.build()) as opened:
        opened.state.show(0.0, np.array([0.7]))
        assert opened.state.moment.q[0] == 0.7
