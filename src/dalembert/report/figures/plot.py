"""Curves over time and clouds of points, as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.report.content import Figure
from dalembert.report.figures.svg import COLORS, canvas, label, number, path

if TYPE_CHECKING:
    from dalembert.types import Array

WIDTH, HEIGHT = 640.0, 260.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 14.0, 30.0, 40.0
# from dark to bright, evenly in what the eye sees
SCALE = ("#3b4f8a", "#2f7f8e", "#3fa873", "#a5bf3b", "#f0b429")


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers from low to high.

    >>> ticks(0.0, 3.0)
    [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
    """
    span = high - low
    step = 10.0 ** math.floor(math.log10(span / most))
    step = next(step * k for k in (1, 2, 5, 10) if span / (step * k) <= most)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def curves(t: Array, series: Mapping[str, Array], unit: str, caption: str) -> Figure:
    """Return curves over the time in seconds, each with its name above."""
    values = np.concatenate([np.asarray(y, float).ravel() for y in series.values()])
    low, high = _range(values)
    x_of, y_of = _axis(t[0], t[-1], LEFT, WIDTH - RIGHT), _axis(low, high, HEIGHT - BOTTOM, TOP)
    parts = _frame(_range(t), (low, high), x_of, y_of)
    for i, (name, y) in enumerate(series.items()):
        points = [(x_of(a), y_of(b)) for a, b in zip(t, y, strict=True)]
        parts.append(path(points, COLORS[i % len(COLORS)]))
        x = LEFT + 8 + i * (WIDTH - LEFT - RIGHT) / max(len(series), 5)
        parts.append(path([(x, TOP - 14), (x + 16, TOP - 14)], COLORS[i % len(COLORS)], 3))
        parts.append(label(x + 20, TOP - 10, name, "start"))
    parts.append(label((LEFT + WIDTH) / 2, HEIGHT - 6, "t in s"))
    parts.append(_sideways(unit))
    return Figure(canvas(WIDTH, HEIGHT, caption, parts), caption)


def cloud(points: Array, values: Array, names: Sequence[str], measure: str, caption: str) -> Figure:
    """Return points ``(N, 2)`` coloured by a value each, with the scale of colours."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = max(float((high - low).max()), 1e-9)
    k = (2 * HEIGHT - TOP - BOTTOM) / size
    width, height = (high - low) * k
    right, bottom = LEFT + width, TOP + height
    x_of = _axis(low[0], high[0], LEFT, right)
    y_of = _axis(low[1], high[1], bottom, TOP)
    bounds = float(values.min()), float(values.max())
    parts = _frame((low[0], high[0]), (low[1], high[1]), x_of, y_of, right, bottom)
    for (x, y), value in sorted(zip(points, values, strict=True), key=lambda item: item[1]):
        color = _color(value, *bounds)
        parts.append(
            f'<circle cx="{number(x_of(x))}" cy="{number(y_of(y))}" r="2" fill="{color}"/>'
        )
    parts += _scale(right + 24, TOP, bottom, bounds, measure)
    parts.append(label((LEFT + right) / 2, bottom + 34, f"{names[0]} in m"))
    parts.append(_sideways(f"{names[1]} in m", (TOP + bottom) / 2))
    return Figure(canvas(right + 130, bottom + BOTTOM, caption, parts), caption)


def _range(values: Array) -> tuple[float, float]:
    low, high = float(np.min(values)), float(np.max(values))
    return (low, high) if high - low > 1e-12 * max(abs(high), 1e-12) else (low - 0.5, high + 0.5)


class _axis:
    """The place of a value along an axis of the drawing."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.start = float(low), start
        self.k = (end - start) / ((float(high) - self.low) or 1.0)

    def __call__(self, value: float) -> float:
        return self.start + (float(value) - self.low) * self.k


def _frame(
    x: tuple[float, float],
    y: tuple[float, float],
    x_of: _axis,
    y_of: _axis,
    right: float = WIDTH - RIGHT,
    bottom: float = HEIGHT - BOTTOM,
) -> list[str]:
    """Return the lines of a grid with their numbers."""
    faint = 'stroke="currentColor" stroke-opacity="0.2"'
    parts = []
    for value in ticks(*x) if x[1] > x[0] else []:
        at = number(x_of(value))
        parts.append(f'<line x1="{at}" x2="{at}" y1="{TOP}" y2="{number(bottom)}" {faint}/>')
        parts.append(label(x_of(value), bottom + 16, f"{value:.4g}"))
    for value in ticks(*y) if y[1] > y[0] else []:
        at = number(y_of(value))
        parts.append(f'<line x1="{LEFT}" x2="{number(right)}" y1="{at}" y2="{at}" {faint}/>')
        parts.append(label(LEFT - 6, y_of(value) + 4, f"{value:.4g}", "end"))
    return parts


def _sideways(words: str, y: float = HEIGHT / 2) -> str:
    return label(14, y, words, more=f' transform="rotate(-90 14 {number(y)})"')


def _color(value: float, low: float, high: float) -> str:
    part = (value - low) / (high - low) if high > low else 0.5
    return SCALE[min(int(part * len(SCALE)), len(SCALE) - 1)]


def _scale(
    x: float, top: float, bottom: float, bounds: tuple[float, float], measure: str
) -> list[str]:
    """Return the scale of colours with the values between them."""
    low, high = bounds
    step = (bottom - top) / len(SCALE)
    parts = [label(x, top - 8, measure, "start")]
    for i, color in enumerate(SCALE):
        y = bottom - (i + 1) * step
        parts.append(
            f'<rect x="{number(x)}" y="{number(y)}" width="14" height="{number(step)}" '
            f'fill="{color}"/>'
        )
        value = low + (high - low) * (i + 0.5) / len(SCALE)
        parts.append(label(x + 20, y + step / 2 + 4, f"{value:.3g}", "start"))
    return parts
