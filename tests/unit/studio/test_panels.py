"""Panels on a server without a browser: what their controls do to the state."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from tests.effort import at_once
from tests.unit.studio.places import pose_in_world
from tests.unit.studio.waiting import until

pytest.importorskip("viser", reason="viser serves the studio")
from dalembert.report.about.units import units_of_joints
from dalembert.studio import view
from dalembert.studio.motion import closed_start
from dalembert.studio.panels.move import NOT_CLOSED, MovePanel
from dalembert.studio.panels.reach import ReachPanel, rotation
from dalembert.studio.player import Player
from dalembert.studio.scene.overlays import Overlays
from dalembert.studio.scene.robot import Robot
from dalembert.studio.server import Server
from dalembert.studio.shown import shown
from dalembert.studio.state import State

START = np.array([0.2, -1.2, 1.5, -1.0, -1.5, 0.3])


@pytest.fixture
def arm() -> Iterator[tuple[Server, State]]:
    server = Server("arm")
    state = State(da.compile(da.textbook.robots.ur5e()), START)
    yield server, state
    state.close()
    server.close()


def test_the_robot_follows_its_target(arm: tuple[Server, State]) -> None:
    server, state = arm
    panel = ReachPanel(server.viser, state, ["flange"], 1.0)
    panel._is_shown.value = True
    until(lambda: panel._gizmo.visible)
    X = state.model.forward_kinematics(START, "flange")
    panel._gizmo.position = X[:3, 3] + [0.05, -0.1, 0.05]
    panel.solve()
    found = state.model.forward_kinematics(state.moment.q, "flange")
    assert np.allclose(found[:3, 3], X[:3, 3] + [0.05, -0.1, 0.05], atol=1e-5)
    # its orientation is kept
    assert np.allclose(found[:3, :3], X[:3, :3], atol=1e-5)
    assert panel._said.content == "converged"
    panel._gizmo.position = np.array([9.0, 0, 0])
    panel.solve()
    assert "out of reach" in panel._said.content


def test_a_motion_is_played_paused_and_sought(arm: tuple[Server, State]) -> None:
    _, state = arm
    motion = da.simulate(state.model, START, None, 0.5)
    player = Player(state)
    player.play(motion)
    until(lambda: state.moment.t > 0.05)
    player.pause(True)
    until(lambda: not player.is_running)
    player.seek(0.25)
    assert state.moment.t == 0.25
    assert np.allclose(state.moment.q, motion.resample([0.25]).q[0], atol=1e-3)
    player.close()


def test_a_live_simulation_that_breaks_down_says_so(arm: tuple[Server, State]) -> None:
    _, state = arm
    player, said = Player(state), list[str]()
    player.on_trouble = said.append
    # a force against the motion, far too stiff for the steps
    player.go_live(lambda t, q, v: -1e9 * v + 1)
    until(lambda: bool(said))
    assert said[0].startswith("stopped: ")
    assert not player.is_running
    assert np.isfinite(state.moment.q).all()
    player.close()


def test_overlays_stand_where_they_belong(arm: tuple[Server, State]) -> None:
    server, state = arm
    model = state.model
    robot = Robot(server.viser.scene, model, START)
    overlays = Overlays(server.viser.scene, robot, "flange")
    overlays.shown |= {"centre of mass", "velocity ellipsoid", "force ellipsoid", "frames"}
    overlays.show(state.moment)
    assert np.allclose(overlays._centre.position, model.center_of_mass(START))
    J = np.asarray(model.jacobian(START, "flange"))[:3]
    for kind, power in (("velocity", 0.5), ("force", -0.5)):
        mesh = overlays._ellipsoids[kind]
        R, half = rotation(mesh.wxyz), np.array(mesh.scale)
        # the half axes are along the eigenvectors of J Jᵀ, as long as powers of its eigenvalues
        values, vectors = np.linalg.eigh(J @ J.T)
        lengths = values**power
        expected = vectors @ np.diag(lengths / lengths.max()) @ vectors.T
        assert np.allclose(R @ np.diag(half / half.max()) @ R.T, expected, atol=1e-6)
        assert np.allclose(mesh.position, model.forward_kinematics(START, "flange")[:3, 3])
    assert all(frame.show_axes for frame in robot._frames)
    overlays.shown.clear()
    overlays.show(state.moment)
    assert not overlays._centre.visible
    assert not any(frame.show_axes for frame in robot._frames)


def test_sixty_pictures_of_thirty_joints_take_less_than_a_second(
    arm: tuple[Server, State],
) -> None:
    server, _ = arm
    builder = da.Builder("chain")
    for k in range(30):
        builder.link(f"l{k}", mass=1, com=(0.1, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
        parent = f"l{k - 1}" if k else "world"
        builder.revolute(f"j{k}", f"l{k}", parent=parent, axis="xyz"[k % 3], origin=(0.2, 0, 0))
    model = da.compile(builder.build())
    state = State(model, model.neutral)
    figure = Robot(server.viser.scene, model, model.neutral, name="/chain")
    state.draw(figure.show)

    def second() -> None:
        for k in range(60):
            state.show(k / 60, np.full(30, 0.01 * k))

    at_once(second, seconds=1.0)
    X = pose_in_world(server.viser.scene, figure._frames[-1].name)
    expected = model.forward_kinematics(np.full(30, 0.59))[-1]
    # viser sends no change of less than 1e-5
    assert pytest.approx(expected, abs=1e-3) == X
    state.close()


def test_units_are_those_of_the_joints() -> None:
    configuration = da.compile(da.textbook.robots.cart_pole_mechanism()).configuration
    assert units_of_joints(configuration) == (("m", "rad"), ("N", "N m"))
    base = da.compile(da.textbook.robots.quadrotor()).configuration
    expected = (("m",) * 3 + ("",) * 4, ("N",) * 3 + ("N m",) * 3)
    assert units_of_joints(base) == expected


def test_parameters_are_asked_for_by_name() -> None:
    bar = da.textbook.robots.four_bar()
    with pytest.raises(da.EvaluationError, match="got none for g, l0"):
        view(bar)
    with pytest.raises(da.EvaluationError, match="got mass: leave them out"):
        view(da.textbook.robots.ur5e(), parameters={"mass": 1})


def test_the_tip_is_the_link_that_most_joints_move() -> None:
    builder = da.Builder("two legs")
    for side in "lr":
        builder.link(f"{side}_thigh", mass=1, inertia=(1, 1, 1))
        builder.link(f"{side}_shank", mass=1, inertia=(1, 1, 1))
        builder.revolute(f"{side}_hip", f"{side}_thigh", parent="world", axis="y")
        builder.revolute(f"{side}_knee", f"{side}_shank", parent=f"{side}_thigh", axis="y")
    builder.link("camera", mass=1, inertia=(1, 1, 1))
    builder.revolute("pan", "camera", parent="world", axis="z")
    assert shown(builder.build(), {}, {}).frames[-1] == "l_shank"


def test_meshes_that_are_not_found_are_said(tmp_path: Path) -> None:
    path = tmp_path / "box.urdf"
    path.write_text(
        "<robot name='box'><link name='a'><visual><geometry><mesh filename='a.stl'/></geometry>"
        "</visual><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0'"
        " iyz='0'/></inertial></link></robot>",
        encoding="utf-8",
    )
    model = da.compile(da.load(path).with_floating_base())
    server = Server("box")
    assert Robot(server.viser.scene, model, model.neutral).num_missing == 1
    server.close()


def test_a_slider_that_no_loop_follows_says_so() -> None:
    bar = da.textbook.robots.four_bar()
    lengths = {"l₀": 4, "l₁": 1.5, "l₂": 3, "l₃": 3.5}
    model = da.compile(bar, parameters={x: lengths.get(str(x), 1) for x in bar.parameters})
    state = State(model, closed_start(model, np.array([0.6, -0.5, 1.0])))
    server = Server("bar")
    panel = MovePanel(server.viser.gui, state, ("rad",) * 3)
    slider, start = panel._sliders[2], state.moment.q.copy()
    # a rocker that lies on the base would need a coupler of 4 + 3.5 - 1.5 m
    slider.value = 0.0
    panel._moved(2, slider, is_by_hand=True)
    assert panel._said.content == NOT_CLOSED
    assert np.array_equal(state.moment.q, start)
    slider.value = float(start[2]) + 0.05
    panel._moved(2, slider, is_by_hand=True)
    assert panel._said.content == ""
    assert np.abs(model.constraint_error(state.moment.q)).max() < 1e-9
    state.close()
    server.close()


def test_a_robot_without_inertias_is_shown() -> None:
    bare = da.Mechanism.from_dh([(1, 0, 0, 0), (1, 0, 0, 0)])
    with view(bare, q=[0.1, 0.2]) as studio:
        assert studio.url.startswith("http://127.0.0.1")
