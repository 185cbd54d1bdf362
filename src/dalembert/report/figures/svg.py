"""Elements of SVG: a canvas with a title, and numbers as short as they need to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from dalembert.typeset.render.names import SUBSCRIPT

COLORS = ("#2f7fc1", "#d1732a", "#2f9e6e", "#b2569d", "#a8860b", "#c0504d", "#7a68c9", "#708090")
"""Readable on white and on black; used in turn."""


def number(x: float) -> str:
    """Return a coordinate with a tenth of a unit.

    >>> number(12.04), number(-0.0)
    ('12', '0')
    """
    text = f"{x:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def canvas(width: float, height: float, caption: str, parts: Iterable[str]) -> str:
    """Return a drawing with its caption as title, which screen readers read."""
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{number(width)}" height="{number(height)}" role="img" '
        'font-family="sans-serif" font-size="12">\n'
        f"<title>{escape(caption)}</title>\n{body}\n</svg>"
    )


def label(x: float, y: float, words: str, anchor: str = "middle", more: str = "") -> str:
    """Return words at a place."""
    return (
        f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" fill="currentColor"{more}>'
        f"{escape(words)}</text>"
    )


def path(points: Sequence[tuple[float, float]], color: str, width: float = 1.6) -> str:
    """Return a line through points."""
    places = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return (
        f'<polyline points="{places}" fill="none" stroke="{color}" stroke-width="{width}" '
        'stroke-linejoin="round"/>'
    )


def joint_name(name: str) -> str:
    """Return q1 as q₁."""
    return name[0] + name[1:].translate(SUBSCRIPT)
