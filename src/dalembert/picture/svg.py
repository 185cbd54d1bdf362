"""A picture as a drawing in SVG that can be read on light and on dark pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from dalembert.picture import outline
from dalembert.picture.labels import FONT_SIZE, Words, spread
from dalembert.picture.parts import Disc, Label, Line, Part, Rail
from dalembert.picture.placed import Placed

if TYPE_CHECKING:
    from dalembert.types import Array

GREY, BLUE, GREEN, RED = "#6e7781", "#2f81f7", "#2da44e", "#d1572a"
"""Of rods, of coordinates, of springs, of masses; readable on white and on black."""
SIZE = 440.0
"""The longer side of a drawing in pixels."""
MARGIN = 22.0
HATCH, HEAD, COIL = 11.0, 10.0, 7.0
"""Between strokes of the ground, of an arrow head, of a coil to either side, in pixels."""
MASS, PIN, PIVOT = 6.0, 4.5, 13.0
"""Radius of a mass and of a joint, and half the width of a support, in pixels."""
WIDTHS = {"rod": 4.0, "thin": 1.3, "rope": 1.3, "dashed": 1.2, "edge": 1.7, "trail": 1.0}
LEAST = 60.0
"""The shorter side of a drawing in pixels at least."""


def number(x: float) -> str:
    """Return a coordinate with a tenth of a unit.

    >>> number(12.04), number(-0.0)
    ('12', '0')
    """
    text = f"{x:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def svg(placed: Placed, title: str, *, scale: float | None = None, frame: int = 0) -> str:
    """Return a drawing of one moment.

    Args:
        placed: The picture in numbers.
        title: What screen readers read.
        scale: Pixels of a metre; the drawing is as large as is usual unless given.
        frame: The number of the moment.
    """
    flat = placed.positions[frame] @ placed.view.T
    used = [i for part in placed.parts for i in placed.ends(part)]
    low, high = flat[used].min(axis=0), flat[used].max(axis=0)
    extent = high - low
    k = scale or (SIZE - 2 * MARGIN) / max(float(extent.max()), 1e-9)
    # y is down on a page
    at = (flat - low) * [k, -k]
    drawing = _Drawing(placed, at)
    rails = [part for part in placed.parts if isinstance(part, Rail)]
    for part in placed.parts:
        if not isinstance(part, Label | Rail):
            drawing.add(part)
    drawing.lay(rails)
    drawing.write_labels([part for part in placed.parts if isinstance(part, Label)])
    return drawing.svg(title)


class _Drawing:
    """Elements of a drawing, and the box around them; y is down."""

    def __init__(self, placed: Placed, at: Array) -> None:
        self._placed, self._at = placed, at
        self._elements: list[str] = []
        self._seen: list[Array] = []
        self._marks: list[tuple[float, float]] = []

    def add(self, part: Part) -> None:
        """Draw a part that is no label."""
        at = self._at[self._placed.ends(part)]
        _DRAWN[type(part).__name__](self, part, at)

    def svg(self, title: str) -> str:
        """Return the drawing, cut to what is in it."""
        low, high = _corners(self._seen)
        low, high = low - MARGIN, high + MARGIN
        short = np.maximum(LEAST - (high - low), 0) / 2
        (left, top), (width, height) = low - short, high - low + 2 * short
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" '
            f'height="{number(height)}" viewBox="{number(left)} {number(top)} {number(width)} '
            f'{number(height)}" role="img" font-family="STIX Two Math, Latin Modern Math, '
            'Cambria Math, serif" stroke-linecap="round" stroke-linejoin="round">\n'
            + "\n".join([f"<title>{escape(title)}</title>", *self._elements])
            + "\n</svg>\n"
        )

    def lay(self, rails: Sequence[Rail]) -> None:
        """Draw tracks behind all else, from side to side of what was drawn."""
        in_front, self._elements = self._elements, []
        low, high = _corners(self._seen)
        for rail in rails:
            start, ahead = self._at[self._placed.ends(rail)]
            way = (ahead - start) / max(float(np.linalg.norm(ahead - start)), 1e-12)
            k = int(np.argmax(np.abs(way)))
            ends = np.array([low[k] - MARGIN, high[k] + MARGIN]) - start[k]
            at = start + np.sort(ends / way[k])[:, None] * way
            # hatched below
            _hatched(self, at if way[0] > 0 else at[::-1])
        self._elements += in_front

    def write_labels(self, labels: Sequence[Label]) -> None:
        """Write labels, those without a place of their own where nothing else stands."""
        ends = [self._at[self._placed.ends(label)] for label in labels]
        for words in spread(labels, ends, self._marks):
            self._seen.append(words.corners)
            self._elements.append(_text(words))

    def line(self, at: Array, width: float, colour: str = GREY, more: str = "") -> None:
        """Draw a line through points."""
        self._seen.append(at)
        places = " ".join(f"{number(x)},{number(y)}" for x, y in at)
        self._elements.append(
            f'<polyline points="{places}" fill="none" stroke="{colour}" '
            f'stroke-width="{number(width)}"{more}/>'
        )

    def area(self, at: Array) -> None:
        """Draw a filled outline."""
        self._seen.append(at)
        places = " ".join(f"{number(x)},{number(y)}" for x, y in at)
        self._elements.append(
            f'<polygon points="{places}" fill="{GREY}" fill-opacity="0.22" stroke="{GREY}" '
            'stroke-width="1.6"/>'
        )

    def dot(self, at: Array, radius: float, fill: str) -> None:
        """Draw a mark."""
        x, y = (float(v) for v in at)
        self._seen += [np.array([[x - radius, y - radius], [x + radius, y + radius]])]
        self._marks.append((x, y))
        self._elements.append(
            f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}" '
            f'stroke="{GREY}" stroke-width="1.6"/>'
        )


def _corners(seen: Sequence[Array]) -> tuple[Array, Array]:
    places = np.concatenate(seen) if seen else np.zeros((1, 2))
    return places.min(axis=0), places.max(axis=0)


def _line(drawing: _Drawing, part: Part, at: Array) -> None:
    assert isinstance(part, Line)
    dash = ' stroke-dasharray="4 3"' if part.style == "dashed" else ""
    drawing.line(at, WIDTHS[part.style], BLUE if part.style == "trail" else GREY, dash)


def _spring(drawing: _Drawing, part: Part, at: Array) -> None:
    drawing.line(outline.coil(at[0], at[1], COIL), 1.5, GREEN)


def _disc(drawing: _Drawing, part: Part, at: Array) -> None:
    assert isinstance(part, Disc)
    drawing.area(outline.circle(*at)[:-1])
    if part.has_spoke:
        drawing.line(at[:2], 1.6)


def _area(drawing: _Drawing, part: Part, at: Array) -> None:
    drawing.area(at)


def _mass(drawing: _Drawing, part: Part, at: Array) -> None:
    drawing.dot(at[0], MASS, RED)


def _pin(drawing: _Drawing, part: Part, at: Array) -> None:
    drawing.dot(at[0], PIN, "#ffffff")


def _support(drawing: _Drawing, part: Part, at: Array) -> None:
    x, y = at[0]
    foot = np.array([[x - PIVOT, y + PIVOT], [x, y], [x + PIVOT, y + PIVOT]])
    drawing.line(foot, 1.6)
    _hatched(drawing, foot[[0, 2]] + [[-6, 0], [6, 0]])
    drawing.dot(at[0], PIN, "#ffffff")


def _ground(drawing: _Drawing, part: Part, at: Array) -> None:
    _hatched(drawing, at)


def _hatched(drawing: _Drawing, at: Array) -> None:
    drawing.line(at, 1.6)
    up = [1.0, -1.0]
    for stroke in outline.hatching(at[0] * up, at[1] * up, HATCH) * up:
        drawing.line(stroke, 0.8)


def _arrow(drawing: _Drawing, part: Part, at: Array) -> None:
    drawing.line(at, 1.5, BLUE)
    # from the point a head's length before the tip, so that heads of arcs follow them
    lengths = np.linalg.norm(at - at[-1], axis=1)
    before = at[max(int(np.flatnonzero(lengths >= min(HEAD, lengths.max()))[-1]), 0)]
    drawing.line(outline.arrow_head(at[-1], before, HEAD), 1.5, BLUE)


_DRAWN: dict[str, Callable[[_Drawing, Part, Array], None]] = {
    "Line": _line,
    "Spring": _spring,
    "Disc": _disc,
    "Area": _area,
    "Mass": _mass,
    "Pin": _pin,
    "Support": _support,
    "Ground": _ground,
    "Arrow": _arrow,
}


def _text(words: Words) -> str:
    x, y = words.middle
    return (
        f'<text x="{number(x)}" y="{number(y + 0.34 * FONT_SIZE)}" text-anchor="middle" '
        f'font-size="{FONT_SIZE:g}" font-style="italic" fill="{BLUE}">{escape(words.text)}</text>'
    )
