"""Animations, reports, the studio and plots draw one machine: the picture of its description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pytest

import dalembert as da
from dalembert.model.pictures.place import PictureFunction
from dalembert.picture import Area, Disc, Line, Part, Picture, Rail, Sketch, Spring, Support
from dalembert.report.content import Animation
from tests.unit.studio.recorded import Recorded

matplotlib.use("Agg")

a, b, r, x, y, t, u = da.coordinates("a b r x y t u")
FIRST = (da.sin(a), -da.cos(a))
SECOND = (FIRST[0] + r * da.sin(b), FIRST[1] - r * da.cos(b))
Q = [[0.1, 0.2, 1.0], [0.3, 0.1, 1.3], [0.5, -0.2, 0.8]]


def two_particles(potential: da.Expr | int = 0) -> da.System:
    return da.System.from_particles(
        [1, 1], [FIRST, SECOND], coordinates=[a, b, r], gravity=(0, -9.81), potential=potential
    )


def ends(picture: Picture, kind: type[Part]) -> list[tuple[str, ...]]:
    return [part.ends for part in picture.parts if isinstance(part, kind)]


def faces(system: da.System) -> Iterator[tuple[str, list[tuple[str, tuple[str, ...]]]]]:
    """Yield what each face draws: kinds of parts with their points."""
    model = da.compile(system)
    animation = da.animate(model, (np.arange(3.0), np.array(Q)))
    yield "animation", [(part.kind, part.ends) for part in animation.picture.parts]
    report = da.report.build(system, q=Q[0], duration=0.1)
    (motion,) = (s for s in report.sections if s.title == "Simulation")
    (moving,) = (block for block in motion.blocks if isinstance(block, Animation))
    yield "report", [(part.kind, part.ends) for part in moving.placed.parts]
    pytest.importorskip("viser", reason="viser serves the studio")
    from dalembert.studio.shown import shown

    figure: Any = shown(system, {}, {}).figure(Recorded(), np.array(Q[0]))  # type: ignore[arg-type]
    parts = figure._shown.picture.parts
    # each part but a label is a thing in the scene
    assert len(figure._pieces) == sum(part.kind != "label" for part in parts)
    yield "studio", [(part.kind, part.ends) for part in parts]


@pytest.mark.parametrize("potential", [0, 50 * (r - 1) ** 2])
def test_three_faces_draw_one_machine(potential: da.Expr | int) -> None:
    drawn = dict(faces(two_particles(potential)))
    assert drawn["animation"] == drawn["report"] == drawn["studio"]
    lines = [part for part in drawn["report"] if part[0] in ("line", "spring")]
    between = ("line" if potential == 0 else "spring", ("body 1", "body 2"))
    assert sorted(lines) == sorted([("line", ("pivot 1", "body 1")), between])


def test_what_slides_freely_is_no_rod() -> None:
    picture = da.compile(two_particles()).description.picture()
    styles = {p.ends: p.style for p in picture.parts if isinstance(p, Line)}
    assert styles == {("pivot 1", "body 1"): "rod", ("body 1", "body 2"): "edge"}
    assert ends(picture, Support) == [("pivot 1",)]


def test_a_cart_stands_on_its_rail_and_carries_the_pole() -> None:
    values = {"m_c": 1, "m_p": 1, "l": 0.7, "g": 9.81}
    model = da.compile(da.textbook.cart_pole(), parameters=values)
    picture = model.description.picture()
    assert ends(picture, Line) == [("body 1", "body 2")]
    assert len(ends(picture, Rail)) == len(ends(picture, Area)) == 1
    placed = PictureFunction(model, picture).placed(np.zeros(2), np.array([[0, 0.3], [2.0, 1.0]]))
    (block,) = (part for part in placed.parts if isinstance(part, Area))
    moved = placed.positions[1] - placed.positions[0]
    np.testing.assert_allclose(moved[placed.ends(block)], np.tile([2.0, 0, 0], (4, 1)), atol=1e-12)
    # the rail is below the cart, and level
    track, ahead = placed.positions[
        0, placed.ends(next(p for p in placed.parts if p.kind == "rail"))
    ]
    assert track[1] < placed.positions[0, placed.ends(block), 1].min()
    assert track[1] == ahead[1]


def test_a_wheel_has_the_radius_on_which_it_rolls_and_a_flywheel_that_of_its_inertia() -> None:
    wheel = da.System.from_bodies(
        [da.Body(1, (0.5 * t, 0.5), 0.125, -t)], coordinates=[t], gravity=(0, -9.81)
    )
    flywheel = da.System.from_bodies(
        [da.Body(2, (da.sin(t), -da.cos(t)), 0.04, u)], coordinates=[t, u], gravity=(0, -9.81)
    )
    for system, q, radius in ((wheel, [0.8], 0.5), (flywheel, [0.8, 0.1], 0.2)):
        model = da.compile(system)
        placed = PictureFunction(model, model.description.picture()).placed(
            np.zeros(1), np.array([q])
        )
        (disc,) = (part for part in placed.parts if isinstance(part, Disc))
        centre, rim, side = placed.positions[0, placed.ends(disc)]
        assert np.linalg.norm(rim - centre) == pytest.approx(radius)
        assert np.linalg.norm(side - centre) == pytest.approx(radius)
        # the spoke turns with the body
        turn = {1: -0.8, 2: 0.1}[len(q)]
        np.testing.assert_allclose(rim - centre, radius * np.array([np.cos(turn), np.sin(turn), 0]))


def test_springs_end_at_walls_and_at_each_other() -> None:
    system = da.System.from_particles(
        [1, 1],
        [(x, 0), (2 + y, 0)],
        coordinates=[x, y],
        potential=3 * x**2 + 5 * (x - y) ** 2,
    )
    picture = da.compile(system).description.picture()
    assert ends(picture, Spring) == [("wall 1", "body 1"), ("body 1", "body 2")]
    # a wall does not move
    assert all(not p.symbols for p in picture.points["wall 1"])  # type: ignore[union-attr]


def test_rods_go_from_joint_to_joint_whatever_the_angles_are_measured_from() -> None:
    l = da.parameters("l1 l2")
    for second in (b, a + b):
        elbow = (l[0] * da.sin(a), -l[0] * da.cos(a))
        half = (
            elbow[0] + l[1] / 2 * da.sin(second),
            elbow[1] - l[1] / 2 * da.cos(second),
        )
        middle = (l[0] / 2 * da.sin(a), -l[0] / 2 * da.cos(a))
        bodies = [da.Body(1, middle, 0.1, a), da.Body(1, half, 0.1, second)]
        system = da.System.from_bodies(bodies, coordinates=[a, b], gravity=(0, -9.81))
        model = da.compile(system, parameters={"l1": 1, "l2": 0.6})
        placed = PictureFunction(model, model.description.picture()).placed(
            np.zeros(1), np.array([[0.4, -0.3]])
        )
        found = {
            tuple(np.round(placed.positions[0, placed.ends(part)], 9).ravel().tolist())
            for part in placed.parts
            if isinstance(part, Line)
        }
        joint = np.array([np.sin(0.4), -np.cos(0.4), 0])
        angle = -0.3 if second is b else 0.1
        centre = joint + 0.3 * np.array([np.sin(angle), -np.cos(angle), 0])
        expected = {
            tuple(np.round(np.concatenate(pair), 9).tolist())
            for pair in ((0 * joint, joint / 2), (0 * joint, joint), (joint, centre))
        }
        assert found == expected


def test_a_drawing_of_ones_own_is_drawn_by_all() -> None:
    (z,), (k,) = da.coordinates("z"), da.parameters("k")
    drawing = Sketch().ground((1, 0), (-1, 0)).spring((0, 0), (0, z), "k").mass((0, z)).picture()
    system = da.System(
        kinetic=z.dot**2 / 2, potential=k * z**2 / 2, coordinates=[z], drawing=drawing
    )
    # it stays with the system when numbers are put in, and when it is copied
    import pickle

    for again in (system.bind({"k": 2}), pickle.loads(pickle.dumps(system))):
        assert again.drawing is not None
        assert again.drawing.parts == drawing.parts
    picture = da.compile(system.bind({"k": 2})).description.picture()
    assert picture.parts == drawing.parts


def test_a_plot_of_an_arm_has_the_same_rods() -> None:
    model = da.compile(da.textbook.robots.ur5e())
    q = np.array([0.1, -1.0, 1.2, 0.3, 0.5, 0.2])
    ax: Any = da.analysis.plot_arm(model, q, "flange", ellipsoids=())
    placed = PictureFunction(model, model.description.picture()).placed(np.zeros(1), q[None])
    drawn = {tuple(np.round(np.stack(line.get_data_3d()).T, 9).ravel()) for line in ax.lines}
    for part in placed.parts:
        if isinstance(part, Line):
            at = placed.positions[0, placed.ends(part)]
            assert tuple(np.round(at, 9).ravel()) in drawn
