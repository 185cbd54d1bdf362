"""A sketch of lines, rods, masses, springs and labels, written as SVG.

Lengths are in units, y points up, angles are in degrees from the x axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

Point = tuple[float, float]

SCALE = 54.0  # pixels of a unit
MARGIN = 12.0
GREY, BLUE = "#6e7781", "#2f81f7"  # both are readable on white and on black


def polar(origin: Point, length: float, degrees: float) -> Point:
    """Return the point at a distance and an angle from another."""
    a = math.radians(degrees)
    return origin[0] + length * math.cos(a), origin[1] + length * math.sin(a)


def between(a: Point, b: Point, part: float = 0.5) -> Point:
    """Return a point of the line from a to b."""
    return a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])


class Sketch:
    """Elements of a drawing; every method adds one and returns the sketch."""

    def __init__(self) -> None:
        self._elements: list[str] = []
        self._points: list[Point] = []

    def line(self, *points: Point, width: float = 1.2, dashed: bool = False) -> Sketch:
        """Draw a thin line through points."""
        return self._path(points, width, dashed=dashed)

    def rod(self, a: Point, b: Point) -> Sketch:
        """Draw a thick line."""
        return self._path((a, b), 3.2)

    def curve(self, points: Sequence[Point], width: float = 1.6) -> Sketch:
        """Draw a smooth curve given by many points."""
        return self._path(points, width)

    def mass(self, p: Point, label: str = "", side: float = 0) -> Sketch:
        """Draw a particle, its label to the side of an angle."""
        self._circle(p, 0.12, fill=GREY)
        return self.text(polar(p, 0.34, side), label)

    def pin(self, p: Point) -> Sketch:
        """Draw a hinge."""
        return self._circle(p, 0.08, fill="white")

    def disc(self, p: Point, radius: float) -> Sketch:
        """Draw a wheel or a ball."""
        return self._circle(p, radius)

    def block(self, p: Point, w: float, h: float, turn: float = 0, label: str = "") -> Sketch:
        """Draw a block about its centre."""
        corners = [(w / 2, h / 2), (-w / 2, h / 2), (-w / 2, -h / 2), (w / 2, -h / 2)]
        a = math.radians(turn)
        c, s = math.cos(a), math.sin(a)
        turned = [(p[0] + c * x - s * y, p[1] + s * x + c * y) for x, y in corners]
        self._path([*turned, turned[0]], 1.6)
        return self.text(p, label)

    def ground(self, a: Point, b: Point) -> Sketch:
        """Draw a fixed surface; it is hatched on the right of the way from a to b."""
        self._path((a, b), 1.6)
        length = math.dist(a, b)
        ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
        for i in range(int(length / 0.25) + 1):
            x, y = a[0] + 0.25 * i * ux, a[1] + 0.25 * i * uy
            self._path(((x, y), (x + 0.18 * (uy - ux), y + 0.18 * (-ux - uy))), 0.8)
        return self

    def spring(self, a: Point, b: Point, label: str = "") -> Sketch:
        """Draw a zigzag."""
        length = math.dist(a, b)
        ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
        points = [a, between(a, b, 0.15)]
        for i in range(8):
            p, side = between(a, b, 0.15 + 0.7 * (i + 0.5) / 8), 0.1 * (-1) ** i
            points.append((p[0] - side * uy, p[1] + side * ux))
        self._path([*points, between(a, b, 0.85), b], 1.2)
        middle = between(a, b)
        return self.text((middle[0] - 0.34 * uy, middle[1] + 0.34 * ux), label)

    def arrow(self, a: Point, b: Point, label: str = "") -> Sketch:
        """Draw a blue arrow with its label at the tip: a coordinate or a force."""
        self._path((a, b), 1.4, colour=BLUE)
        back = math.degrees(math.atan2(a[1] - b[1], a[0] - b[0]))
        self._head(b, back)
        return self.text(polar(b, 0.22, back + 180), label, BLUE)

    def turn(self, p: Point, radius: float, start: float, end: float, label: str = "") -> Sketch:
        """Draw a blue arc from one angle to another with an arrow head: an angle or a turn."""
        steps = max(4, int(abs(end - start) / 6))
        points = [polar(p, radius, start + (end - start) * i / steps) for i in range(steps + 1)]
        self._path(points, 1.4, colour=BLUE)
        self._head(points[-1], end + (-78 if end > start else 78))
        middle = polar(p, radius + 0.24, (start + end) / 2)
        return self.text(middle, label, BLUE)

    def text(self, p: Point, label: str, colour: str = GREY) -> Sketch:
        """Write a label about a point."""
        if label:
            self._points += [
                (p[0] - 0.1 * len(label), p[1] - 0.15),
                (p[0] + 0.1 * len(label), p[1]),
            ]
            self._elements.append(
                f'<text x="{self._x(p)}" y="{self._y((p[0], p[1] - 0.13))}" fill="{colour}">'
                f"{escape(label)}</text>"
            )
        return self

    def svg(self) -> str:
        """Return the drawing, cut to what is in it."""
        xs, ys = [x * SCALE for x, _ in self._points], [-y * SCALE for _, y in self._points]
        left, top = min(xs) - MARGIN, min(ys) - MARGIN
        w, h = max(xs) - left + MARGIN, max(ys) - top + MARGIN
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{w:.0f}" height="{h:.0f}" '
            f'viewBox="{left:.1f} {top:.1f} {w:.1f} {h:.1f}" '
            'font-family="Latin Modern Math, STIX Two Math, Cambria, serif" font-style="italic" '
            'font-size="15" text-anchor="middle" stroke-linecap="round" stroke-linejoin="round">'
        )
        return "\n".join([head, *self._elements, "</svg>"]) + "\n"

    def _path(
        self,
        points: Sequence[Point],
        width: float,
        *,
        dashed: bool = False,
        colour: str = GREY,
    ) -> Sketch:
        self._points += points
        at = " ".join(f"{self._x(p)},{self._y(p)}" for p in points)
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self._elements.append(
            f'<polyline points="{at}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>'
        )
        return self

    def _circle(self, p: Point, radius: float, fill: str = "none") -> Sketch:
        self._points += [(p[0] - radius, p[1] - radius), (p[0] + radius, p[1] + radius)]
        self._elements.append(
            f'<circle cx="{self._x(p)}" cy="{self._y(p)}" r="{radius * SCALE:.1f}" fill="{fill}" '
            f'stroke="{GREY}" stroke-width="1.6"/>'
        )
        return self

    def _head(self, tip: Point, back: float) -> None:
        ends = [polar(tip, 0.2, back + side) for side in (-22, 22)]
        self._path([ends[0], tip, ends[1]], 1.4, colour=BLUE)

    def _x(self, p: Point) -> str:
        return f"{p[0] * SCALE:.1f}"

    def _y(self, p: Point) -> str:
        return f"{-p[1] * SCALE:.1f}"
