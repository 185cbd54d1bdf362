"""Motions as files: as many pictures as the motion has, and files that others can read."""

import io

import numpy as np
import pytest

import dalembert as da
from dalembert.studio.record import MAX_PICTURES, RATE, gif, mp4, times


def moved(end: float) -> da.Trajectory:
    (x,) = da.coordinates("x")
    model = da.compile(da.System(kinetic=x.dot**2 / 2, coordinates=[x]))
    return da.simulate(model, [0.0], [1.0], end)


def pictures() -> list[np.ndarray]:
    """Return pictures of a bright square that moves from left to right."""
    frames = []
    for k in range(5):
        frame = np.zeros((48, 64, 3), np.uint8)
        frame[20:28, 10 * k : 10 * k + 8] = 255
        frames.append(frame)
    return frames


def test_pictures_are_even_in_time() -> None:
    found = times(moved(2.0))
    assert len(found) == 2 * RATE + 1
    assert (found[0], found[-1]) == (0.0, 2.0)
    assert np.allclose(np.diff(found), 1 / RATE)


def test_too_many_pictures_are_refused() -> None:
    with pytest.raises(da.EvaluationError, match=f"at most {MAX_PICTURES} pictures"):
        times(moved(1000.0))


def test_gif_has_all_pictures() -> None:
    from PIL import Image

    with Image.open(io.BytesIO(gif(pictures()))) as image:
        assert getattr(image, "n_frames", 1) == 5
        image.seek(4)
        shown = np.asarray(image.convert("RGB"))
    assert shown[24, 44].min() > 200
    assert shown[24, 4].max() < 50


def test_film_is_written_where_ffmpeg_is() -> None:
    from matplotlib.animation import FFMpegWriter

    if not FFMpegWriter.isAvailable():
        with pytest.raises(da.EvaluationError, match="ffmpeg"):
            mp4(pictures())
        pytest.skip("no ffmpeg on this machine")
    # the type of the file stands behind its first four bytes
    assert mp4(pictures())[4:8] == b"ftyp"
