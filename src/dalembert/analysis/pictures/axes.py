"""A picture on axes of matplotlib, in the plane or in space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.picture import outline
from dalembert.picture.parts import (
    Area,
    Arrow,
    Disc,
    Ground,
    Label,
    Line,
    Mass,
    Part,
    Pin,
    Rail,
    Spring,
    Support,
)

if TYPE_CHECKING:
    from dalembert.picture import Placed
    from dalembert.types import Array

ROD, POINT, SPRING, TRAIL, BLUE = "#444444", "#c4501f", "#1f8a43", "#4878a8", "#1f6fd6"
WIDTHS = {"rod": 2.8, "thin": 1.0, "rope": 1.0, "dashed": 0.9, "edge": 1.4, "trail": 0.9}
MARKS: dict[type[Part], dict[str, Any]] = {
    Mass: {"marker": "o", "ms": 8, "mfc": POINT},
    Pin: {"marker": "o", "ms": 6, "mfc": "white"},
    Support: {"marker": "^", "ms": 10, "mfc": "white"},
}
COIL = 0.035
"""Of a spring to either side, as a share of half the size of the picture."""
MARGIN = 1.16
"""Half the length of an axis as a multiple of half the size of what it shows."""


class AxesDrawing:
    """The artists of a picture; ``show`` moves them to another moment.

    Args:
        ax: Axes of matplotlib, with three dimensions for what is not planar.
        placed: What is drawn.
        is_planar: Whether the axes have two dimensions.
    """

    def __init__(self, ax: Any, placed: Placed, *, is_planar: bool) -> None:
        self.ax, self._placed = ax, placed
        self._dimensions = 2 if is_planar else 3
        self._artists: list[tuple[Part, Any]] = []
        for part in placed.parts:
            if isinstance(part, Label):
                continue
            self._artists.append((part, self._made(part)))
        self.show(0)

    def fit(self) -> None:
        """Give the axes equal scales, names and room for the whole motion."""
        middle, half = self._placed.box
        for k, name in enumerate("xyz"[: self._dimensions]):
            reach = MARGIN * half
            getattr(self.ax, f"set_{name}lim")(middle[k] - reach, middle[k] + reach)
            getattr(self.ax, f"set_{name}label")(f"{name} in m")
        if self._dimensions == 2:
            self.ax.set_aspect("equal")
        else:
            self.ax.set_box_aspect((1, 1, 1))

    def show(self, frame: int) -> None:
        """Move all artists to a moment."""
        for part, artist in self._artists:
            self.put(artist, self._path(part, frame))

    def trail(self) -> Any:
        """Return an artist for a path, which `put` moves."""
        return self._line(TRAIL, 1.0, alpha=0.5)

    def put(self, artist: Any, path: Array) -> None:
        """Move a line to a path ``(k, 3)``."""
        artist.set_data(path[:, 0], path[:, 1])
        if self._dimensions == 3:
            artist.set_3d_properties(path[:, 2])

    def _made(self, part: Part) -> Any:
        if type(part) in MARKS:
            return self._line(ROD, 0.0, **MARKS[type(part)])
        if isinstance(part, Line):
            style = "--" if part.style == "dashed" else "-"
            return self._line(ROD, WIDTHS[part.style], ls=style)
        if isinstance(part, Spring):
            return self._line(SPRING, 1.3)
        if isinstance(part, Arrow):
            return self._line(BLUE, 1.3)
        return self._line(ROD, 1.4)

    def _line(self, color: str, width: float, **style: Any) -> Any:
        options = {"color": color, "lw": width, "ls": "-" if width else "", **style}
        return self.ax.plot(*[[]] * self._dimensions, **options)[0]

    def _path(self, part: Part, frame: int) -> Array:
        """Return the line that shows a part, ``(k, 3)``."""
        at = self._placed.positions[frame][self._placed.ends(part)]
        middle, half = self._placed.box
        if isinstance(part, Spring):
            return outline.coil(at[0], at[1], COIL * half)
        if isinstance(part, Disc):
            return np.concatenate(
                [at[:1], outline.circle(*at)] if part.has_spoke else [outline.circle(*at)]
            )
        if isinstance(part, Area):
            return np.concatenate([at, at[:1]])
        if isinstance(part, Rail):
            way = (at[1] - at[0]) / np.linalg.norm(at[1] - at[0])
            reach = MARGIN * half * np.sqrt(3) * way
            start = at[0] + way * float(way @ (middle - at[0]))
            return np.stack([start - reach, start + reach])
        assert isinstance(part, Line | Mass | Pin | Support | Ground | Arrow)
        return at
