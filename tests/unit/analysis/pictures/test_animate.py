"""What an animation draws: places by hand, rods that are found, files that stand alone."""

import io
import re
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image

import dalembert as da
from dalembert.errors import EvaluationError, FileError, UnknownName
from dalembert.model import Model
from dalembert.picture import Line, Placed, Spring

matplotlib.use("Agg")

VALUES = {"m1": 1, "m2": 1, "l1": 1, "l2": 0.5, "g": 9.81}


def lines(placed: Placed) -> list[tuple[object, object]]:
    """Return the ends of rods: names of bodies, and the places of all else at the start."""
    rods = [x for x in placed.parts if isinstance(x, Line)]

    def end(name: str) -> object:
        at = placed.positions[0, placed.numbers[name]]
        return name if name.startswith("body") else tuple(round(float(x), 12) + 0.0 for x in at)

    return [(end(a), end(b)) for a, b in (rod.ends for rod in rods)]


def pendulums() -> Model:
    return da.compile(da.textbook.double_pendulum(), parameters=VALUES)


def swinging(model: Model, seconds: float = 0.4) -> da.analysis.Animation:
    return da.animate(model, da.simulate(model, [2.0, 1.0], None, seconds))


def test_bodies_are_where_the_angles_put_them() -> None:
    model = pendulums()
    motion = da.simulate(model, [2.0, 1.0], None, 0.4)
    scene = da.animate(model, motion).picture
    a, b = motion.resample(scene.t).q.T
    first = np.stack([np.sin(a), -np.cos(a), 0 * a], axis=-1)
    second = first + 0.5 * np.stack([np.sin(b), -np.cos(b), 0 * b], axis=-1)
    np.testing.assert_allclose(scene.positions[:, 0], first, atol=1e-12)
    np.testing.assert_allclose(scene.positions[:, 1], second, atol=1e-12)
    # the origin carries the first rod, the first bob the second
    assert lines(scene) == [((0, 0, 0), "body 1"), ("body 1", "body 2")]
    assert scene.is_planar


def test_a_cart_has_no_rod_to_the_origin() -> None:
    model = da.compile(da.textbook.cart_pole(), parameters={"m_c": 1, "m_p": 1, "l": 1, "g": 9.81})
    motion = da.simulate(model, [0, 2.0], None, 0.2)
    scene = da.animate(model, motion, springs=[((-2, 0), "body 1")]).picture
    assert lines(scene) == [("body 1", "body 2")]
    (spring,) = (x for x in scene.parts if isinstance(x, Spring))
    anchor, cart = scene.ends(spring)
    np.testing.assert_allclose(scene.positions[:, anchor], np.tile([-2.0, 0, 0], (6, 1)))
    assert cart == 0


def test_a_rod_that_is_a_constraint_is_found() -> None:
    x, y = da.coordinates("x y")
    system = da.System.from_particles(
        [1], [(x, y)], coordinates=[x, y], gravity=(0, -10), constraints=[x**2 + y**2 - 1]
    )
    model = da.compile(system)
    scene = da.animate(model, da.simulate(model, [1.0, 0.0], None, 0.3)).picture
    assert lines(scene) == [((0, 0, 0), "body 1")]


def test_links_of_a_linkage_meet() -> None:
    values = {"g": 9.81, "l0": 1, "l1": 0.4, "l2": 0.9, "l3": 0.7, "m1": 1, "m2": 1, "m3": 1}
    model = da.compile(da.textbook.robots.four_bar(), parameters=values)
    q = da.analysis.equilibria(model)[2].q
    scene = da.animate(model, ([0.0, 1.0], [q, q])).picture
    ends = [i for i, name in enumerate(scene.names) if name.startswith("loop end")]
    np.testing.assert_allclose(scene.positions[0, ends[0]], scene.positions[0, ends[1]], atol=1e-9)
    rods = [scene.ends(x) for x in scene.parts if isinstance(x, Line)]
    lengths = [np.linalg.norm(np.subtract(*scene.positions[0, r])) for r in rods]
    # the ground between the pivots is no rod
    np.testing.assert_allclose(sorted(lengths), [0.4, 0.7, 0.9], atol=1e-12)


def test_a_mode_can_be_animated() -> None:
    model = pendulums()
    modes = da.analysis.modes(model, [0, 0])
    assert len(da.animate(model, modes.motion(1), fps=30)) == round(30 / modes.hertz[1]) + 1


def test_energies_alone_are_drawn_by_gauges_or_by_points() -> None:
    (s,) = da.coordinates("s")
    model = da.compile(da.System(kinetic=s.dot**2 / 2, potential=s**2, coordinates=[s]))
    motion = da.simulate(model, [1.0], None, 0.2)
    gauge = da.animate(model, motion).picture
    at = gauge.positions[:, gauge.numbers["mark 1"], 0]
    np.testing.assert_allclose(at, motion.resample(gauge.t).q[:, 0], atol=1e-12)
    scene = da.animate(model, motion, points={"bead": (s, s**2)}).picture
    bead = scene.positions[:, scene.numbers["bead"]]
    np.testing.assert_allclose(bead[:, 1], bead[:, 0] ** 2)


def test_wrong_names_shapes_and_lengths_are_refused() -> None:
    model = pendulums()
    motion = da.simulate(model, [2.0, 1.0], None, 0.2)
    with pytest.raises(UnknownName, match="body 1"):
        da.animate(model, motion, springs=[("body 7", "body 1")])
    with pytest.raises(UnknownName, match="from 0 to 2"):
        da.animate(model, motion, ropes=[(0, 5)])
    with pytest.raises(EvaluationError, match="shapes"):
        da.animate(model, ([0, 1], [[0.0], [1.0]]))
    with pytest.raises(EvaluationError, match="at most"):
        da.animate(model, motion, speed=1e-6)
    free = da.compile(da.textbook.double_pendulum())
    with pytest.raises(EvaluationError, match="l₁"):
        da.animate(free, ([0, 1], [[0.0, 0.0], [1.0, 0.0]]))


def test_gif_has_all_frames(tmp_path: Path) -> None:
    animation = swinging(pendulums(), 0.16)
    animation.save(tmp_path / "swing.gif")
    picture = Image.open(io.BytesIO((tmp_path / "swing.gif").read_bytes()))
    assert picture.n_frames == len(animation) == 5  # type: ignore[attr-defined]
    with pytest.raises(FileError, match=r"\.gif"):
        animation.save(tmp_path / "swing.bmp")


def test_page_asks_for_nothing_and_names_cannot_leave_it(tmp_path: Path) -> None:
    model = pendulums()
    evil = "</script><script>alert(1)</script>"
    motion = da.simulate(model, [2.0, 1.0], None, 0.2)
    animation = da.animate(model, motion, points={evil: (0, 1)})
    animation.save(tmp_path / "swing.html")
    text = (tmp_path / "swing.html").read_text(encoding="utf-8")
    # one that draws and one with its data
    assert text.count("<script") == text.count("</script>") == 2
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|src=|href=|@import", text)
    assert "srcdoc" in animation._repr_html_()


def test_frame_of_a_spatial_arm_is_drawn() -> None:
    model = da.compile(da.textbook.robots.ur5e())
    q = np.zeros((2, 6))
    q[1] = 0.3
    figure = da.animate(model, ([0.0, 0.1], q)).figure(1)
    (ax,) = figure.axes
    assert ax.name == "3d"
