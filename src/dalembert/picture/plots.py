"""Plots by matplotlib in one style, and as SVG that takes its colours from the page."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INK = "#000000"
_DOTS_PER_INCH = 160
"""Of clouds of points, which are pictures inside the drawing."""


@contextmanager
def styled() -> Iterator[None]:
    """Draw in the style of this package inside a ``with`` block."""
    from matplotlib import style

    with (
        as_file(files("dalembert.picture").joinpath("plots.mplstyle")) as path,
        style.context(str(path)),
    ):
        yield


def plot_svg(figure: Figure, title: str) -> str:
    """Return a figure as an element of a page: ink in the colour of its text, no background.

    Args:
        figure: Made inside `styled`.
        title: What screen readers read.
    """
    out = io.StringIO()
    with styled():
        figure.savefig(out, format="svg", dpi=_DOTS_PER_INCH, metadata={"Date": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    # the drawing says nothing about itself but its title
    text = re.sub(r"(?s)<metadata>.*?</metadata>\s*", "", text)
    text = re.sub(r"(?s)<!--.*?-->\s*", "", text)
    text = text.replace(_INK, "currentColor").replace("xlink:href=", "href=")
    text = re.sub(r' xmlns:xlink="[^"]*"', "", text)
    size = r'(<svg\b[^>]*?) width="([0-9.]+)pt" height="([0-9.]+)pt"'
    text = re.sub(size, _in_pixels, text, count=1)
    text = re.sub(r"(<svg\b[^>]*?>)", rf"\1<title>{escape(title)}</title>", text, count=1)
    text = text.replace("<svg ", '<svg role="img" fill="currentColor" ', 1)
    return _with_own_names(text)


def _in_pixels(match: re.Match[str]) -> str:
    width, height = (round(float(x) * 4 / 3) for x in match.group(2, 3))
    return f'{match[1]} width="{width}" height="{height}"'


def _with_own_names(text: str) -> str:
    """Return a drawing whose names occur in no other drawing of a page, those in use alone."""
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', text))
    prefix = "p" + hashlib.sha256(text.encode()).hexdigest()[:8]

    def named(match: re.Match[str]) -> str:
        return f' id="{prefix}{match[1]}"' if match[1] in used else ""

    text = re.sub(r' id="([^"]+)"', named, text)
    return re.sub(r'(url\(#|href="#)', rf"\g<1>{prefix}", text)
