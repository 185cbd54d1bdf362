"""A picture in a page: its data, and the scripts that draw and play it. Nothing else is needed."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.picture.labels import FONT_SIZE, spread
from dalembert.picture.parts import Disc, Label, Line
from dalembert.picture.placed import Placed
from dalembert.picture.svg import SIZE, svg

if TYPE_CHECKING:
    from dalembert.types import Array

DIGITS = 5
"""Of coordinates, beside the size of the picture."""
WIDEST, HIGHEST = 2.4, 1.0
"""Largest and smallest ratio of width to height of a drawing."""

STYLE = """
figure.motion canvas { display: block; width: 100%; max-width: 40rem; margin: 0 auto; }
.player { display: flex; gap: .8rem; align-items: center; margin: .6rem auto 0; max-width: 30rem; }
.player input { flex: 1; min-width: 0; }
.player output { min-width: 4.5em; text-align: right; font-variant-numeric: tabular-nums; }
figure.motion > svg { display: none; }
@media print { figure.motion canvas, .player { display: none; } figure.motion > svg {
  display: block; } }
"""


@cache
def script(name: str) -> str:
    """Return one of the scripts of a page: "draw.js" or "player.js"."""
    return files("dalembert.picture").joinpath(name).read_text(encoding="utf-8")


def described(placed: Placed) -> dict[str, Any]:
    """Return what the script needs to draw a picture, apart from where its points are."""
    middle, half = _fitted(placed)
    return {
        "parts": [
            [type(x).__name__, placed.ends(x), _more(x)]
            for x in placed.parts
            if not isinstance(x, Label)
        ]
        + _labels(placed),
        "view": placed.view.round(6).tolist(),
        "middle": middle.tolist(),
        "half": half,
        "planar": _is_flat(placed),
    }


def figure(placed: Placed, title: str, *, tip: int = -1, speed: float = 1.0) -> str:
    """Return a figure of HTML that plays a motion, with a drawing of its start for paper.

    Args:
        placed: The picture along the motion.
        title: In words.
        tip: The number of the point whose path is shown; none if negative.
        speed: Seconds of the motion in a second.
    """
    data = described(placed)
    width, height = data["half"]
    size = max(abs(float(np.abs(placed.positions).max(initial=0.0))), 1e-300)
    digits = max(0, DIGITS - int(np.floor(np.log10(size))))
    frames = placed.positions.reshape(len(placed), -1)
    data |= {
        "t": [round(float(t), 6) for t in placed.t],
        "frames": [[round(x, digits) for x in frame] for frame in frames.tolist()],
        "tip": tip,
        "speed": speed,
    }
    name = escape(title)
    start, end = f"{placed.t[0]:.6g}", f"{placed.t[-1]:.6g}"
    hint = "" if data["planar"] else ' tabindex="0"'
    turn = "" if data["planar"] else ". Drag it, or use the arrow keys, to turn it"
    return (
        f'<figure class="motion">{svg(placed.cut(0, 1), title)}'
        f'<canvas role="img" aria-label="{name}{turn}"{hint} '
        f'style="aspect-ratio: {width / height:.3f}"></canvas>'
        '<div class="player"><button type="button">Play</button>'
        f'<input type="range" min="{start}" max="{end}" step="any" value="{start}" '
        f'aria-label="Time"><output>{start} s</output></div>'
        f"<figcaption>{name}</figcaption>"
        f'<script type="application/json">{embedded(data)}</script></figure>'
    )


def embedded(data: object) -> str:
    """Return data as JSON that no name can end as a script."""
    return json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _more(part: object) -> dict[str, Any]:
    if isinstance(part, Line):
        return {"style": part.style}
    if isinstance(part, Disc):
        return {"spoke": part.has_spoke}
    return {}


def _labels(placed: Placed) -> list[Any]:
    """Return labels with their places beside their points, chosen where nothing else stands."""
    labels = [x for x in placed.parts if isinstance(x, Label)]
    found: list[Any] = []
    free = []
    for x in labels:
        if len(x.ends) == 2:
            more = {"text": x.text, "beyond": x.shift[0] if x.shift else 0}
            found.append(["Label", placed.ends(x), more])
        elif x.shift is not None:
            found.append(["Label", placed.ends(x), {"text": x.text, "shift": x.shift}])
        else:
            free.append(x)
    flat = placed.positions[0] @ placed.view.T
    k = SIZE / max(float(np.ptp(flat, axis=0).max()), 1e-9)
    at = flat * [k, -k]
    ends = [at[placed.ends(x)] for x in free]
    for words in spread(free, ends, []):
        # the point that it names is the nearest one
        numbers = [placed.ends(x)[0] for x in free]
        i = min(numbers, key=lambda j: float(np.linalg.norm(at[j] - words.middle)))
        x, y = (np.array(words.middle) - at[i]) / FONT_SIZE
        shift = [round(float(x), 2), round(-float(y), 2)]
        found.append(["Label", [i], {"text": words.text, "shift": shift}])
    return found


def _is_flat(placed: Placed) -> bool:
    """Tell whether all points stay in a plane that is seen from the front."""
    return bool(np.isin(placed.view, (0.0, 1.0)).all())


def _fitted(placed: Placed) -> tuple[Array, list[float]]:
    """Return the middle of a drawing in space, and half its width and height in m."""
    places = placed.shown.reshape(-1, 3)
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    if not _is_flat(placed):
        # it may be turned about the vertical
        radius = max(float(np.linalg.norm((places - middle)[:, :2], axis=1).max()), 1e-9)
        up = max(float(np.ptp(places[:, 2])) / 2, 1e-9)
        half = [radius, max(up, 0.5 * radius)]
    else:
        flat = (places - middle) @ placed.view.T
        half = np.abs(flat).max(axis=0).tolist()
    largest = max(*half, 1e-9)
    half = [max(x, largest / WIDEST) for x in half]
    return middle, [max(half[0], HIGHEST * half[1] * 0.8), half[1]]
