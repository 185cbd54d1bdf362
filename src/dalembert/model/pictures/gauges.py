"""Coordinates as gauges: what a system without bodies or points is drawn by.

A coordinate inside a sine or cosine is an angle and turns a hand; any other moves a mark on a rail.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr import cos, sin
from dalembert.mechanics import System
from dalembert.model.pictures.samples import angles
from dalembert.picture.parts import Label, Line, Mass, Part, Pin
from dalembert.picture.picture import Picture, Point

APART = 2.6
"""From the middle of a gauge to the next; a hand has length 1."""
ACROSS = 4
"""Gauges in a row."""
SOURCE = "its coordinates, angles as hands and others as marks on rails"


def gauges(system: System, largest: Sequence[float] | None = None) -> Picture:
    """Return gauges of the coordinates of a system.

    Args:
        system: What is drawn.
        largest: For each coordinate the value at the end of its rail; 1 unless given.
    """
    turned = angles(system)
    points: dict[str, Point] = {}
    parts: list[Part] = []
    for k, q in enumerate(system.coordinates):
        x, y = k % ACROSS * APART, -(k // ACROSS) * APART
        if q in turned:
            hub, hand = f"hub {k + 1}", f"hand {k + 1}"
            points |= {hub: (x, y), hand: (x + cos(q), y + sin(q))}
            parts += [Line((hub, hand)), Pin((hub,))]
        else:
            hand = f"mark {k + 1}"
            rail = (f"rail {k + 1} start", f"rail {k + 1} end")
            size = 1.0 if largest is None or not largest[k] else largest[k]
            points |= {rail[0]: (x - 1, y), rail[1]: (x + 1, y), hand: (x + q / size, y)}
            parts.append(Line(rail))
        parts += [Mass((hand,)), Label((hand,), text=str(q))]
    return Picture(points, tuple(parts), SOURCE)
