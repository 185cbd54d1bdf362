"""Drawings in SVG: labels apart, tracks as long as the drawing, names in no other drawing."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidSystem, UnknownName
from dalembert.picture import Label, Line, Picture, Placed, Sketch, Spring
from dalembert.picture.labels import spread
from dalembert.picture.outline import circle, coil, hatching
from dalembert.picture.plots import plot_svg, styled
from dalembert.picture.svg import svg


def drawn(sketch: Sketch) -> str:
    return svg(Placed.at_rest(sketch.picture()), "drawing")


def test_labels_do_not_stand_over_each_other(rng) -> None:
    at = np.cumsum(rng.uniform(-25, 25, size=(9, 2)), axis=0)
    labels = [Label((f"p{i}",), text=f"q{i}") for i in range(9)]
    words = spread(labels, [p[None] for p in at], [tuple(p) for p in at])
    # labels of one place are one text; no two texts overlap
    assert sorted(name for w in words for name in w.text.split(", ")) == [f"q{i}" for i in range(9)]
    for i, a in enumerate(words):
        assert all(a.overlap(b) == 0 for b in words[:i])


def test_a_rail_is_as_long_as_the_drawing_and_hatched_below() -> None:
    (s,) = da.coordinates("s")
    system = da.System.from_particles([1], [(s, 0)], coordinates=[s], gravity=(0, -9.81))
    picture = da.compile(system).description.picture().subs({s: 0})
    text = svg(Placed.at_rest(picture), "cart")
    left, _, width, _ = map(float, re.search(r'viewBox="([^"]+)"', text)[1].split())  # type: ignore[index]
    lines = [
        np.array([[float(v) for v in p.split(",")] for p in match.split()])
        for match in re.findall(r'polyline points="([^"]+)"', text)
    ]
    rail = max(lines, key=lambda line: float(np.ptp(line[:, 0])))
    assert np.ptp(rail[:, 0]) == pytest.approx(width - 44, abs=15)
    assert rail[0, 0] > left
    strokes = [x for x in lines if len(x) == 2 and abs(x[0, 1] - rail[0, 1]) < 0.2]
    # y points down
    assert all(stroke[1, 1] >= stroke[0, 1] for stroke in strokes)
    assert len(strokes) > 5


def test_outlines_end_where_they_should() -> None:
    spring = coil(np.array([0.0, 0.0]), np.array([3.0, 4.0]), 0.2)
    np.testing.assert_allclose(spring[[0, -1]], [[0, 0], [3, 4]])
    # no coil is farther from the axis than it was told
    away = np.abs(spring @ np.array([-0.8, 0.6]))
    assert away.max() == pytest.approx(0.2)
    rim = circle(np.zeros(3), np.array([0, 2.0, 0]), np.array([0, 0, 2.0]))
    np.testing.assert_allclose(np.linalg.norm(rim, axis=1), 2.0)
    strokes = hatching(np.zeros(2), np.array([1.0, 0.0]), 0.1)
    assert len(strokes) == 11
    assert strokes[:, 1, 1].max() < 0


def test_drawings_are_cut_to_what_is_in_them_at_any_scale() -> None:
    sizes = []
    for scale in (1e-9, 1.0, 1e9):
        text = drawn(Sketch().rod((0, 0), (scale, 0)).spring((scale, 0), (scale, scale)))
        sizes.append(re.search(r'viewBox="([^"]+)"', text)[1])  # type: ignore[index]
    assert len(set(sizes)) == 1


def test_what_a_person_writes_is_text() -> None:
    text = drawn(Sketch().mass((0, 0), "<script>&"))
    assert "<script>" not in text
    assert "&lt;script&gt;&amp;" in text


def test_wrong_pictures_are_refused() -> None:
    with pytest.raises(UnknownName, match="'bob'"):
        Picture({"pivot": (0, 0)}, (Line(("pivot", "bob")),))
    with pytest.raises(InvalidSystem, match="two or three numbers"):
        Picture({"pivot": (0,)})
    with pytest.raises(InvalidSystem, match="expected 2 points for a spring, got 1"):
        Spring(("pivot",))
    with pytest.raises(InvalidSystem, match="style"):
        Line(("a", "b"), style="wavy")  # type: ignore[arg-type]


def test_plots_take_the_ink_of_the_page_and_share_no_names() -> None:
    from matplotlib.figure import Figure

    found = []
    for k in (1, 2):
        with styled():
            figure = Figure()
            figure.subplots().plot([0, 1], [0, k], label="a < b")
            figure.axes[0].legend()
            found.append(plot_svg(figure, "curves <of> x"))
    for text in found:
        assert "#000000" not in text
        assert "<title>curves &lt;of&gt; x</title>" in text
        assert set(re.findall(r'https?://[^"]*', text)) <= {"http://www.w3.org/2000/svg"}
    names = [set(re.findall(r' id="([^"]+)"', text)) for text in found]
    assert names[0]
    assert not names[0] & names[1]
