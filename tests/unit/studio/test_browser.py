"""The studio in a headless browser: controls act on the robot."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.studio.scene.robot import Robot
from tests.unit.studio.waiting import until
from tools.browser import WAIT, started, why_not

pytest.importorskip("viser", reason="viser serves the studio")
from dalembert.studio import Studio, view

# threads of viser end after the test that started them
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def arm() -> Iterator[Studio]:
    with view(da.textbook.robots.ur5e()) as studio:
        yield studio


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if missing := why_not():
        pytest.skip(missing)
    with started() as running:
        yield running


def opened(browser: Any, url: str, faults: list[str]) -> Any:
    page = browser.new_page(viewport={"width": 820, "height": 300})
    page.set_default_timeout(WAIT)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    outside = lambda r: not r.url.startswith(("http://127.0.0.1", "data:", "blob:", "ws://127"))  # noqa: E731
    page.on("request", lambda r: faults.append(r.url) if outside(r) else None)
    page.goto(url)
    page.get_by_role("tab", name="Move").wait_for()
    return page


def test_controls_act_in_two_browsers(arm: Studio, browser: Any) -> None:
    faults: list[str] = []
    first = opened(browser, arm.url, faults)
    second = opened(browser, arm.url, faults)
    # a slider moves the robot
    box = first.get_by_role("textbox").nth(1)
    box.fill("-1")
    box.press("Enter")
    until(lambda: abs(arm.state.moment.q[1] + 1) < 1e-3)
    # the other browser sees it
    shown = second.get_by_role("textbox").nth(1)
    until(lambda: abs(float(shown.input_value()) + 1) < 1e-2)
    # it falls, and a controller that is chosen while it falls stops it
    second.get_by_role("tab", name="Control").click()
    second.get_by_label("Simulate live").check(force=True)
    until(lambda: bool(np.abs(arm.state.moment.qd).max() > 0.05))
    second.get_by_label("Driven by").click()
    second.get_by_role("option", name="PD + gravity").click()
    until(lambda: bool(np.abs(arm.state.moment.u).max() > 1))
    until(lambda: bool(np.abs(arm.state.moment.qd).max() < 0.02))
    # the equations are there, with numbers
    first.get_by_role("tab", name="Equations").click()
    first.get_by_text("M q̈ + C q̇ + N").wait_for(timeout=20_000)
    assert faults == []


def test_a_target_is_reached_and_a_motion_becomes_a_page(tmp_path, browser: Any) -> None:
    robot = da.textbook.robots.ur5e()
    model = da.compile(robot)
    start = np.array([0, -1.2, 1.5, -1.0, -1.5, 0])
    motion = da.simulate(model, start, None, 0.3)
    with view(robot, q=start, motion=motion, ghost=motion) as studio:
        # it plays: some moment of the motion is shown
        assert np.abs(motion.q - studio.state.moment.q).max(axis=1).min() < 0.05
        path = tmp_path / "motion.html"
        path.write_text(studio.page(motion), encoding="utf-8")
    faults: list[str] = []
    page = browser.new_page(viewport={"width": 600, "height": 400})
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda r: faults.append(r.url) if r.url.startswith("http") else None)
    page.goto(path.as_uri())
    page.locator("canvas").first.wait_for(timeout=60_000)
    assert faults == []


def on_screen(camera: Any, p: np.ndarray, width: float, height: float) -> np.ndarray:
    """Return the pixel at which a camera sees a point in space."""
    forward = np.subtract(camera.look_at, camera.position)
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, camera.up_direction)
    right = right / np.linalg.norm(right)
    away = p - camera.position
    k = height / 2 / np.tan(camera.fov / 2) / (away @ forward)
    return np.array(
        [width / 2 + k * away @ right, height / 2 - k * away @ np.cross(right, forward)]
    )


def test_the_robot_follows_a_target_that_the_mouse_drags(browser: Any) -> None:
    start = np.array([0, -1.2, 1.5, -1.0, -1.5, 0])
    faults: list[str] = []
    with view(da.textbook.robots.ur5e(), q=start) as studio:
        page = opened(browser, studio.url, faults)
        page.get_by_role("tab", name="Reach").click(force=True)
        server = studio._server.viser
        target: Any = server.scene._handle_from_node_name["/target"]
        page.get_by_label("Drag a target").click(force=True)
        until(lambda: bool(target.visible))
        canvas = page.locator("canvas").first.bounding_box()
        until(lambda: bool(abs(camera(server).aspect - canvas["width"] / canvas["height"]) < 1e-2))
        # by the blue arrow: along the third axis of the flange
        X = studio.state.model.forward_kinematics(start, "flange")
        size = (canvas["width"], canvas["height"])
        at, end = (
            on_screen(camera(server), X[:3, 3] + X[:3, 2] * k * target.scale, *size)
            for k in (0.0, 0.8)
        )

        def is_dragged() -> bool:
            # the arrow is caught when the page has drawn it
            page.mouse.move(*end)
            page.mouse.down()
            for k in range(1, 6):
                page.mouse.move(*(end + 0.1 * k * (end - at)))
                page.wait_for_timeout(100)
            page.mouse.up()
            return bool(np.linalg.norm(target.position - X[:3, 3]) > 1e-3)

        until(is_dragged)

        def tip() -> np.ndarray:
            return studio.state.model.forward_kinematics(studio.state.moment.q, "flange")

        until(lambda: bool(np.allclose(tip()[:3, 3], target.position, atol=1e-5)))
        moved = (tip()[:3, 3] - X[:3, 3]) @ X[:3, :3]
        assert moved[:2] == pytest.approx([0, 0], abs=1e-5)
        assert 0.02 < moved[2] < 0.2
        assert tip()[:3, :3] == pytest.approx(X[:3, :3], abs=1e-5)
    assert faults == []


def camera(server: Any) -> Any:
    return next(iter(server.get_clients().values())).camera


def test_a_motion_plays_and_is_saved_in_every_format(browser: Any, tmp_path: Path) -> None:
    robot = da.textbook.robots.rp_mechanism().bind({"m": 1, "l": 0.5, "g": 9.81})
    motion = da.simulate(da.compile(robot), [0.3, 0.1], None, 0.05)
    starts = {"HTML": b"<!DOCTYPE html>", "GIF": b"GIF89a", "MP4": b"ftyp"}
    with view(robot, motion=motion) as studio:
        page = opened(browser, studio.url, [])
        until(lambda: studio.state.moment.t > 0)
        page.get_by_role("tab", name="Motion").click(force=True)
        for kind in starts if shutil.which("ffmpeg") else ("HTML", "GIF"):
            with page.expect_download() as found:
                page.get_by_role("button", name=f"Save as {kind}").dispatch_event("click")
            path = tmp_path / f"motion.{kind}"
            found.value.save_as(path)
            assert starts[kind].lower() in path.read_bytes()[:40].lower()


def test_links_without_shapes_are_drawn_from_joint_to_joint() -> None:
    with view(da.textbook.robots.panda()) as studio:
        scene = studio._server.viser.scene
        model = studio.state.model
        robot = Robot(scene, model, model.neutral, name="/again")
        assert robot.size == pytest.approx(1.0, abs=0.3)
        robot.show(studio.state.moment)
        X = model.forward_kinematics(studio.state.moment.q)
        # frames are below their parents
        assert np.allclose(robot._frames[3].position, (np.linalg.inv(X[2]) @ X[3])[:3, 3])
        robot.remove()
