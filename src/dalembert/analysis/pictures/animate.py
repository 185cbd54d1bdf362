"""Animations of motions: for notebooks, as GIF, film or a page that needs nothing else."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.pictures.page import page
from dalembert.analysis.pictures.scene import End, Place, Scene, scene
from dalembert.analysis.small_motions.linearise import Motion
from dalembert.errors import EvaluationError, FileError, MissingDependency
from dalembert.expr import by_symbol
from dalembert.files import write_whole
from dalembert.model.model import Model

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation
    from matplotlib.figure import Figure

    from dalembert.expr import BySymbol
    from dalembert.types import Array, ArrayLike

ROD, POINT, SPRING, TRAIL = "#444444", "#c0392b", "#2e7d32", "#4878a8"
COILS = 9
MAX_FRAMES = 2000
DPI = 80


@dataclass(frozen=True, eq=False)
class Animation:
    """A motion as pictures; in a notebook it plays.

    Attributes:
        scene: Points and what joins them, a row for each frame.
        title: Above the picture.
        speed: Seconds of motion in a second of film.
    """

    scene: Scene
    title: str = ""
    speed: float = 1.0

    def __len__(self) -> int:
        return len(self.scene.t)

    def __repr__(self) -> str:
        t = self.scene.t
        return f"Animation({self.title}, {len(self)} frames, {t[0]:.4g} to {t[-1]:.4g} s)"

    def figure(self, frame: int = 0) -> Figure:
        """Return one frame as a figure of matplotlib."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.6, 5.2), layout="constrained")
        _Drawing(figure, self).show(frame)
        return figure

    def matplotlib(self) -> FuncAnimation:
        """Return the animation as one of matplotlib's, to be shown or saved by it."""
        from matplotlib.animation import FuncAnimation
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.6, 5.2), layout="constrained")
        FigureCanvasAgg(figure)
        drawing = _Drawing(figure, self)
        return FuncAnimation(figure, drawing.show, frames=len(self), interval=self._interval)

    @property
    def _interval(self) -> float:
        """Milliseconds between frames."""
        t = self.scene.t
        return 1000 * float(t[-1] - t[0]) / max(len(t) - 1, 1) / self.speed

    def html(self) -> str:
        """Return a page that plays the motion without any other file or program."""
        return page(self.scene, self.title, self.speed)

    def _repr_html_(self) -> str:
        inside = escape(self.html(), quote=True)
        return f'<iframe srcdoc="{inside}" width="620" height="680" style="border:0"></iframe>'

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
        drawing = _Drawing(figure, self)
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
    values = by_symbol(model.symbols.parameters, parameters or {})
    shown = scene(
        model, t, q, points=points, rods=rods, springs=springs, ropes=ropes, values=values
    )
    return Animation(shown, model.name, speed)


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


class _Drawing:
    """The artists of a figure, moved from frame to frame."""

    def __init__(self, figure: Figure, animation: Animation) -> None:
        self.scene, self.title = animation.scene, animation.title
        planar = self.scene.is_planar
        self.ax: Any = figure.add_subplot(projection=None if planar else "3d")
        self.dimensions = 2 if planar else 3
        middle, half = self.scene.box
        for k, name in enumerate("xyz"[: self.dimensions]):
            getattr(self.ax, f"set_{name}lim")(middle[k] - half, middle[k] + half)
            getattr(self.ax, f"set_{name}label")(f"{name} in m")
        self.ax.set_aspect("equal")
        self.ax.grid(alpha=0.25)
        self.trails = [self._line(TRAIL, 1.0, alpha=0.5) for _ in self._drawn]
        self.rods = [self._line(ROD, 2.5) for _ in self.scene.rods]
        self.ropes = [self._line(ROD, 1.0) for _ in self.scene.ropes]
        self.springs = [self._line(SPRING, 1.3) for _ in self.scene.springs]
        self.points = self._line(POINT, 0, marker="o", ms=8)

    @property
    def _drawn(self) -> list[int]:
        return [i for i, name in enumerate(self.scene.names) if name]

    def _line(self, color: str, width: float, **style: Any) -> Any:
        empty = [[]] * self.dimensions
        return self.ax.plot(*empty, color=color, lw=width, ls="-" if width else "", **style)[0]

    def _put(self, line: Any, path: Array) -> None:
        line.set_data(path[:, 0], path[:, 1])
        if self.dimensions == 3:
            line.set_3d_properties(path[:, 2])

    def show(self, frame: int) -> list[Any]:
        """Move all artists to a frame."""
        at = self.scene.positions[frame]
        for line, i in zip(self.trails, self._drawn, strict=True):
            self._put(line, self.scene.positions[max(0, frame - 40) : frame + 1, i])
        for lines, pairs in ((self.rods, self.scene.rods), (self.ropes, self.scene.ropes)):
            for line, (i, j) in zip(lines, pairs, strict=True):
                self._put(line, at[[i, j]])
        for line, (i, j) in zip(self.springs, self.scene.springs, strict=True):
            self._put(line, coil(at[i], at[j], 0.05 * self.scene.box[1]))
        self._put(self.points, at[self._drawn])
        self.ax.set_title(f"{self.title}  t = {self.scene.t[frame]:.2f} s")
        return [self.points]


def coil(start: Array, end: Array, width: float) -> Array:
    """Return the zigzag of a spring between two points, ``(k, 3)``."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0:
        return np.stack([start, end])
    # across the spring, in the x-y plane where that is possible
    across = np.array([-along[1], along[0], 0.0])
    if np.linalg.norm(across) < 1e-9 * length:
        across = np.array([1.0, 0.0, 0.0])
    across *= width / np.linalg.norm(across)
    part = np.linspace(0.12, 0.88, 2 * COILS + 1)
    side = np.array([0, *([1, -1] * COILS)])[: len(part)] * np.where(part < 0.87, 1, 0)
    middle = start + part[:, None] * along + side[:, None] * across
    return np.concatenate([start[None], middle, end[None]])
