"""Motions as files: a page that plays by itself, or pictures in a row."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.studio.sample import sample

if TYPE_CHECKING:
    import viser

    from dalembert.simulation import Trajectory
    from dalembert.studio.state import State
    from dalembert.types import Array

RATE = 30
"""Pictures in a second."""
MAX_PICTURES = 3000
WIDTH, HEIGHT = 960, 640


def times(motion: Trajectory, rate: int = RATE) -> Array:
    """Return the times of the pictures, in seconds.

    Raises:
        EvaluationError: there would be too many.
    """
    count = int(abs(motion.t[-1] - motion.t[0]) * rate) + 1
    if count > MAX_PICTURES:
        raise EvaluationError(
            f"expected at most {MAX_PICTURES} pictures, got {count}: record a shorter motion"
        )
    return np.linspace(motion.t[0], motion.t[-1], max(count, 2))


def page(server: viser.ViserServer, state: State, motion: Trajectory) -> str:
    """Return a page that needs nothing else and plays a motion: no server, no network."""
    shown = times(motion)
    recorder = server.get_scene_serializer()
    for t in shown:
        state.replay(float(t), sample(motion, float(t)))
        recorder.insert_sleep(1 / RATE)
    return recorder.as_html()


def pictures(client: viser.ClientHandle, state: State, motion: Trajectory) -> Iterator[Array]:
    """Yield a picture ``(height, width, 3)`` for each time, as a browser draws it."""
    for t in times(motion):
        state.replay(float(t), sample(motion, float(t)))
        yield np.asarray(client.get_render(height=HEIGHT, width=WIDTH))


def gif(frames: Sequence[Array]) -> bytes:
    """Return pictures as a GIF that plays over and over again."""
    from PIL import Image

    images = [Image.fromarray(x).quantize(colors=64) for x in frames]
    out = io.BytesIO()
    options: dict[str, Any] = {"save_all": True, "loop": 0, "duration": round(1000 / RATE)}
    images[0].save(out, "GIF", append_images=images[1:], **options)
    return out.getvalue()


def mp4(frames: Sequence[Array]) -> bytes:
    """Return pictures as a film, written by ffmpeg through matplotlib.

    Raises:
        EvaluationError: ffmpeg is not installed.
    """
    import tempfile
    from pathlib import Path

    from matplotlib.animation import FFMpegWriter
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not FFMpegWriter.isAvailable():
        raise EvaluationError("expected the program ffmpeg for a film, got none: record a GIF")
    height, width = frames[0].shape[:2]
    figure = Figure(figsize=(width / 100, height / 100), dpi=100)
    FigureCanvasAgg(figure)
    image = figure.figimage(frames[0])
    writer = FFMpegWriter(fps=RATE)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.mp4"
        with writer.saving(figure, str(path), dpi=100):
            for frame in frames:
                image.set_data(frame)
                writer.grab_frame()
        return path.read_bytes()
