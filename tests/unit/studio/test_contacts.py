"""Forces of contacts: where they act, as large as statics says, and said where not known."""

from collections.abc import Iterator

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import Contact
from dalembert.studio.sample import contact_names, sample
from dalembert.studio.terms import Terms

pytest.importorskip("viser", reason="viser serves the studio")
pytest.importorskip("trimesh", reason="trimesh draws the shapes of the studio")
from dalembert.model.pictures.place import PictureFunction
from dalembert.studio import view
from dalembert.studio.scene.contacts import ELSEWHERE, NOT_UNIQUE, ContactArrows, contact_forces
from dalembert.studio.scene.drawn import Drawn
from dalembert.studio.scene.robot import Robot
from dalembert.studio.server import Server
from dalembert.studio.state import State

G = 9.81


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server("contacts")
    yield server
    server.close()


def slab() -> da.Mechanism:
    """Return a slab of 6 kg in the x-z plane with feet 1 m left and 2 m right of its middle."""
    builder = (
        da.Builder("slab").link("slab", mass=6, inertia=(1, 1, 1)).planar("p", "slab", axis="y")
    )
    return (
        builder.frame("left", "slab", origin=(-1, 0, 0))
        .frame("right", "slab", origin=(2, 0, 0))
        .build()
    )


def standing(model: da.Model) -> da.Trajectory:
    gaps = [
        Contact(
            model.expressions("forward_kinematics", model.symbols.q, frame=name)[2][3], name=name
        )
        for name in ("left", "right")
    ]
    return da.simulate(model, model.neutral, None, 0.1, events=gaps)


def test_feet_carry_their_share_of_the_weight(server: Server) -> None:
    model = da.compile(slab())
    motion = standing(model)
    assert contact_names(motion) == ("left", "right")
    state = State(model, model.neutral)
    state.replay(0.05, sample(motion, 0.05))
    figure = Robot(server.viser.scene, model, model.neutral)
    places, forces, said = contact_forces(figure, state.moment, ("left", "right"))
    assert places == pytest.approx(np.array([[-1, 0, 0], [2, 0, 0]]), abs=1e-9)
    # levers of 1 and 2 m: two thirds and one third of the weight
    expected = [[0, 0, 6 * G * 2 / 3], [0, 0, 6 * G / 3]]
    assert forces == pytest.approx(np.array(expected), abs=1e-6)
    # a squeeze between the feet would move nothing
    assert said == NOT_UNIQUE
    arrows = ContactArrows(server.viser.scene, figure)
    arrows.show(state.moment)
    assert arrows._arrows.visible
    lengths = np.linalg.norm(np.diff(arrows._arrows.points, axis=1)[:, 0], axis=-1)
    assert lengths[0] == pytest.approx(2 * lengths[1], rel=1e-5)
    assert arrows.said == NOT_UNIQUE
    # in the air nothing is said
    arrows.show(state.moment._replace(contacts=()))
    assert not arrows._arrows.visible
    assert arrows.said == ""
    # what a place cannot explain is not drawn
    assert contact_forces(figure, state.moment, ("left",))[2] == ELSEWHERE
    state.close()


def test_both_sides_of_the_equation_agree_where_a_contact_pushes() -> None:
    model = da.compile(slab())
    state = State(model, model.neutral)
    state.replay(0.05, sample(standing(model), 0.05))
    for i in range(3):
        row = Terms(model).row(i, state.moment)
        left, right = (sum(x.value for x in row if x.is_left is side) for side in (True, False))
        assert left == pytest.approx(right, abs=1e-9)
    state.close()


def test_a_point_of_a_system_is_pushed_and_flies(server: Server) -> None:
    (y,) = da.coordinates("y")
    model = da.compile(da.System(kinetic=y.dot**2, potential=2 * G * y, coordinates=[y]))
    motion = da.simulate(model, [1.0], None, 2.0, events=[Contact(y, name="ball")])
    picture = model.description.picture({"ball": (0, y)})
    shown = PictureFunction(model, picture)
    figure = Drawn(server.viser.scene, model, shown, np.array([1.0]))
    state = State(model, np.array([1.0]))
    arrows = ContactArrows(server.viser.scene, figure)
    state.draw(arrows.show)
    state.replay(0.1, sample(motion, 0.1))
    assert not arrows._arrows.visible
    state.replay(1.9, sample(motion, 1.9))
    assert arrows._arrows.visible
    _, forces, said = contact_forces(figure, state.moment, ("ball",))
    assert forces == pytest.approx(np.array([[0, 2 * G, 0]]))
    assert said == ""
    state.close()


def test_the_studio_draws_them() -> None:
    robot = slab()
    with view(robot, motion=standing(da.compile(robot))) as studio:
        names = studio._server.viser.scene._handle_from_node_name
        assert any("contacts" in name for name in names)
