"""Animations of motions: for notebooks, as GIF, film or a page that needs nothing else."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from dalembert.analysis.pictures.axes import AxesDrawing
from dalembert.analysis.small_motions.linearise import Motion
from dalembert.errors import EvaluationError, FileError, MissingDependency, UnknownName, nearest
from dalembert.expr import by_symbol
from dalembert.files import write_whole
from dalembert.model.border import values_of
from dalembert.model.model import Model
from dalembert.model.pictures.place import PictureFunction
from dalembert.picture import Line, Mass, Part, Picture, Placed, Point, Spring
from dalembert.picture.page import STYLE, figure, script
from dalembert.picture.picture import in_space

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation
    from matplotlib.figure import Figure

    from dalembert.expr import BySymbol
    from dalembert.types import Array, ArrayLike

PAST = 40
"""Frames of the path behind a mass."""
MAX_FRAMES = 2000
DPI = 80

Place: TypeAlias = Point
"""Two or three numbers or expressions of the model's symbols, in m."""
End: TypeAlias = "str | int | Place"
"""The name or the number of a point, or a place."""

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px system-ui, sans-serif; margin: 12px auto; max-width: 40rem; }
figure { margin: 0; }
figcaption { text-align: center; opacity: .75; margin-top: .5rem; }
$style</style>
</head>
<body>
$figure
<script>
$script</script>
</body>
</html>
""")


@dataclass(frozen=True, eq=False)
class Animation:
    """A motion as pictures; in a notebook it plays.

    Attributes:
        picture: Points and what joins them, a row for each frame.
        title: Above the picture.
        speed: Seconds of motion in a second of film.
    """

    picture: Placed
    title: str = ""
    speed: float = 1.0

    def __len__(self) -> int:
        return len(self.picture.t)

    def __repr__(self) -> str:
        t = self.picture.t
        return f"Animation({self.title}, {len(self)} frames, {t[0]:.4g} to {t[-1]:.4g} s)"

    def figure(self, frame: int = 0) -> Figure:
        """Return one frame as a figure of matplotlib."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.6, 5.2), layout="constrained")
        _Film(figure, self).show(frame)
        return figure

    def matplotlib(self) -> FuncAnimation:
        """Return the animation as one of matplotlib's, to be shown or saved by it."""
        from matplotlib.animation import FuncAnimation
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.6, 5.2), layout="constrained")
        FigureCanvasAgg(figure)
        drawing = _Film(figure, self)
        return FuncAnimation(figure, drawing.show, frames=len(self), interval=self._interval)

    @property
    def _interval(self) -> float:
        """Milliseconds between frames."""
        t = self.picture.t
        return 1000 * float(t[-1] - t[0]) / max(len(t) - 1, 1) / self.speed

    def html(self) -> str:
        """Return a page that plays the motion without any other file or program."""
        shown = figure(self.picture, self.title, tip=_tip(self.picture), speed=self.speed)
        return _PAGE.substitute(
            title=escape(self.title),
            style=STYLE,
            figure=shown,
            script=script("draw.js") + script("player.js"),
        )

    def _repr_html_(self) -> str:
        inside = escape(self.html(), quote=True)
        return f'<iframe srcdoc="{inside}" width="660" height="680" style="border:0"></iframe>'

    def save(self, path: str | Path) -> None:
        """Write it to a file: .html, .gif, or a film such as .mp4 (which needs ffmpeg).

        Raises:
            FileError: the ending is none of these, or the file cannot be written.
        """
        ending = Path(path).suffix.lower()
        if ending == ".html":
            write_whole(path, self.html().encode())
        elif ending == ".gif":
            write_whole(path, self._gif())
        elif ending in (".mp4", ".mov", ".webm"):
            write_whole(path, self._film(ending))
        else:
            raise FileError(
                22, f"expected a file ending .html, .gif or .mp4 for an animation, got {path}"
            )

    def _film(self, ending: str) -> bytes:
        from matplotlib.animation import writers

        if not writers.is_available("ffmpeg"):
            raise MissingDependency(
                "expected the program ffmpeg for a film, got none: install it (apt install ffmpeg, "
                "brew install ffmpeg), or save .html or .gif"
            )
        with tempfile.TemporaryDirectory() as folder:
            film = Path(folder) / f"film{ending}"
            self.matplotlib().save(
                str(film), writer="ffmpeg", fps=round(1000 / self._interval), dpi=DPI
            )
            return film.read_bytes()

    def _gif(self) -> bytes:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from PIL import Image

        figure = Figure(figsize=(5.6, 5.2), dpi=DPI, layout="constrained")
        canvas = FigureCanvasAgg(figure)
        drawing = _Film(figure, self)
        pictures = []
        for k in range(len(self)):
            drawing.show(k)
            canvas.draw()
            picture = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])
            pictures.append(picture.quantize(32))
        # GIF counts hundredths of a second
        pause = max(20, 10 * round(self._interval / 10))
        out = io.BytesIO()
        first, *others = pictures
        first.save(out, "GIF", save_all=True, append_images=others, duration=pause, loop=0)
        return out.getvalue()


def animate(
    model: Model,
    motion: Motion | tuple[ArrayLike, ArrayLike],
    *,
    points: Mapping[str, Place] | None = None,
    rods: Sequence[tuple[End, End]] | None = None,
    springs: Sequence[tuple[End, End]] = (),
    ropes: Sequence[tuple[End, End]] = (),
    parameters: BySymbol[float] | None = None,
    fps: float = 25.0,
    speed: float = 1.0,
) -> Animation:
    """Return an animation of a motion: particles, bodies or links, and what joins them.

    Bodies of a system and links of a mechanism are drawn by themselves, with rods between those
    that keep their distance.

    Args:
        model: What `da.compile` gave.
        motion: What `da.simulate` gave, or a pair (times, configurations).
        points: Further points by name, expressions of the model's symbols: ``{"bob": (x, y)}``.
        rods, springs, ropes: Pairs of points, each by name, number or place, such as
            ``[((0, 0), "body 1")]``. ``rods`` replace those that would be found.
        parameters: Values of open parameters.
        fps: Frames in a second of film.
        speed: Seconds of motion in a second of film.

    >>> import dalembert as da
    >>> values = {"m1": 1, "m2": 1, "l1": 1, "l2": 1, "g": 9.81}
    >>> model = da.compile(da.textbook.double_pendulum(), parameters=values)
    >>> motion = da.simulate(model, [2.0, 1.0], None, 1.0)
    >>> da.animate(model, motion)
    Animation(system, 26 frames, 0 to 1 s)
    """
    t, q = _frames(model, motion, fps, speed)
    picture = model.description.picture()
    own = tuple(picture.points)
    if rods is not None:
        picture = picture.without(Line)
    sketch = _Joined(picture.points, points or {})
    parts: list[Part] = [Line(sketch.pair(x)) for x in rods or ()]
    parts += [Spring(sketch.pair(x)) for x in springs]
    parts += [Line(sketch.pair(x), style="rope") for x in ropes]
    joined = {frozenset(x.ends) for x in parts}
    # what a person joins is not joined twice
    kept = [x for x in picture.parts if not (isinstance(x, Line) and frozenset(x.ends) in joined)]
    parts += [Mass((name,)) for name in points or {}]
    further = {name: place for name, place in sketch.points.items() if name not in own}
    drawn = Picture(picture.points, tuple(kept), picture.source).with_parts(further, parts)
    values = by_symbol(model.symbols.parameters, values_of(parameters))
    return Animation(PictureFunction(model, drawn, values).placed(t, q), model.name, speed)


class _Joined:
    """Points by name, and those that a person names, numbers or gives as places."""

    def __init__(self, own: Mapping[str, Place], given: Mapping[str, Place]) -> None:
        self.points: dict[str, Place] = {**own, **given}

    def pair(self, ends: tuple[End, End]) -> tuple[str, str]:
        """Return the names of two points."""
        return self._name(ends[0]), self._name(ends[1])

    def _name(self, end: End) -> str:
        names = list(self.points)
        if isinstance(end, str):
            if end not in names:
                raise UnknownName(f"expected a point, got {end!r} ({nearest(end, names)})")
            return end
        if isinstance(end, int):
            if not 0 <= end < len(names):
                raise UnknownName(
                    f"expected a point from 0 to {len(names) - 1}, got {end}: {', '.join(names)}"
                )
            return names[end]
        name = f"place {len(names) + 1}"
        self.points[name] = in_space(end, name)
        return name


def _tip(placed: Placed) -> int:
    """Return the last mass, whose path is shown; -1 where there is none."""
    masses = [placed.ends(part)[0] for part in placed.parts if isinstance(part, Mass)]
    return masses[-1] if masses else -1


def _frames(
    model: Model, motion: Motion | tuple[ArrayLike, ArrayLike], fps: float, speed: float
) -> tuple[Array, Array]:
    """Return even times and the configurations there."""
    if not (fps > 0 and speed > 0):
        raise EvaluationError(f"expected positive fps and speed, got {fps} and {speed}")
    given = motion if isinstance(motion, tuple) else (motion.t, motion.q)
    t, q = (np.asarray(x, float) for x in given)
    if q.ndim != 2 or q.shape != (len(t), model.nq) or len(t) < 2:
        raise EvaluationError(
            f"expected times (k,) and configurations (k, {model.nq}) with k ≥ 2, got shapes "
            f"{t.shape} and {q.shape}"
        )
    count = max(2, round(abs(t[-1] - t[0]) * fps / speed) + 1)
    if count > MAX_FRAMES:
        raise EvaluationError(
            f"expected at most {MAX_FRAMES} frames, got {count}: raise speed= or lower fps="
        )
    times = np.linspace(t[0], t[-1], count)
    if not isinstance(motion, tuple):
        return times, motion.resample(times).q
    order = np.argsort(t, kind="stable")
    columns = [np.interp(times, t[order], column[order]) for column in q.T]
    return times, model.configuration.normalized(np.stack(columns, axis=-1))


class _Film:
    """The artists of a figure with the paths of masses, moved from frame to frame."""

    def __init__(self, figure: Figure, animation: Animation) -> None:
        self._placed, self._title = animation.picture, animation.title
        planar = self._placed.is_planar
        self._ax: Any = figure.add_subplot(projection=None if planar else "3d")
        self._drawing = AxesDrawing(self._ax, self._placed, is_planar=planar)
        self._drawing.fit()
        self._ax.grid(alpha=0.25)
        masses = [part for part in self._placed.parts if isinstance(part, Mass)]
        self._trails = [(self._placed.ends(x)[0], self._drawing.trail()) for x in masses]

    def show(self, frame: int) -> list[Any]:
        """Move all artists to a frame."""
        self._drawing.show(frame)
        for i, trail in self._trails:
            past = self._placed.positions[max(0, frame - PAST) : frame + 1, i]
            self._drawing.put(trail, past)
        self._ax.set_title(f"{self._title}  t = {self._placed.t[frame]:.2f} s")
        return [trail for _, trail in self._trails]
