"""Trajectories in files: arrays with JSON beside them, never code.

What a file may take in memory is bounded before anything is allocated: see the limits here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.files import parse_json, read_regular, write_whole
from dalembert.simulation.problem.energy import Energy
from dalembert.simulation.trajectory.layout import BLOCKS, ENERGIES, NAMES, TEXTS
from dalembert.simulation.trajectory.npz import read_npz, write_npz
from dalembert.simulation.trajectory.tables import (
    read_csv,
    read_parquet,
    write_csv,
    write_parquet,
)

if TYPE_CHECKING:
    from dalembert.simulation.trajectory.trajectory import Trajectory

FORMAT = "dalembert trajectory 2"
MAX_META = 2_000_000
"""Commas, brackets and braces of the JSON beside the arrays: names, events, warnings."""

Arrays = dict[str, np.ndarray]


class Format(NamedTuple):
    """How trajectories are written to files with one ending, and read.

    ``max_bytes`` bounds both the file and the numbers in it.
    """

    write: Callable[[Arrays, dict[str, Any], str], bytes]
    read: Callable[[bytes], tuple[Arrays, str]]
    max_bytes: int


FORMATS = {
    # stored as they are in memory
    ".npz": Format(write_npz, read_npz, 1 << 30),
    # text takes more memory while it is read, compressed columns more than they do on the disk
    ".csv": Format(write_csv, read_csv, 1 << 28),
    ".parquet": Format(write_parquet, read_parquet, 1 << 28),
}


def save(motion: Trajectory, path: Path) -> None:
    """Write a trajectory in the format of the path's ending.

    The file appears whole or not at all: whatever goes wrong, an old one is unchanged.

    Raises:
        EvaluationError: an unknown ending, or more numbers than a file of that format may hold.
        FileError: the file cannot be written.
    """
    form = _format(path)
    data, arrays = _written(motion, form)
    # what could not be read again is not written
    size = max(len(data), sum(a.nbytes for a in arrays.values()))
    if size > form.max_bytes:
        raise EvaluationError(
            f"expected at most {form.max_bytes >> 20} MiB in a {path.suffix} file, got "
            f"{size >> 20} MiB: resample the trajectory{_roomier(form)}"
        )
    write_whole(path, data)


def load(path: Path) -> dict[str, Any]:
    """Read a trajectory: its fields but the model, by name.

    Raises:
        EvaluationError: the file is not one of ours, or damaged.
        FileError: there is none, it cannot be read, or it is larger than its format allows.
    """
    form = _format(path)
    return _read(read_regular(path, form.max_bytes), form, str(path))


def to_bytes(motion: Trajectory) -> bytes:
    """Return the content of an .npz file: what is pickled, of any size."""
    return bytes(_written(motion, FORMATS[".npz"])[0])


def from_bytes(data: bytes) -> dict[str, Any]:
    """Read what `to_bytes` wrote: all fields but the model, by name.

    Raises:
        EvaluationError: the data are damaged, or not of our making.
    """
    if not isinstance(data, bytes):
        raise EvaluationError(f"expected bytes of a trajectory, got {type(data).__name__}")
    return _read(data, FORMATS[".npz"], "a pickle")


def _written(motion: Trajectory, form: Format) -> tuple[bytes, Arrays]:
    arrays, meta = _taken_apart(motion)
    return form.write(arrays, meta, json.dumps(meta, allow_nan=False)), arrays


def _read(data: bytes, form: Format, where: str) -> dict[str, Any]:
    try:
        arrays, text = form.read(data)
        meta = parse_json(text, MAX_META)
        return _put_together(arrays, meta)
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        if isinstance(error, EvaluationError):
            raise
        raise EvaluationError(
            f"expected a trajectory in {where}, got something else ({error}): write it with "
            "Trajectory.save"
        ) from None


def _taken_apart(motion: Trajectory) -> tuple[Arrays, dict[str, Any]]:
    arrays = {name: getattr(motion, name) for name in BLOCKS}
    energies = {name: getattr(motion.energy, name) for name in ENERGIES}
    arrays |= {f"energy_{name}": e for name, e in energies.items() if e is not None}
    texts = {name: getattr(motion, name) for name in TEXTS}
    count = motion.controller_state.shape[1]
    return arrays, {"format": FORMAT, **texts, "state_names": [str(k) for k in range(count)]}


def _put_together(arrays: Arrays, meta: Any) -> dict[str, Any]:
    if not isinstance(meta, dict):
        raise ValueError("its description is no JSON object")
    if meta.get("format") == "dalembert trajectory 1":
        meta = {**meta, "format": FORMAT, "ok": meta["is_complete"]}
    if meta.get("format") != FORMAT:
        raise ValueError(f"its format is {str(meta.get('format'))[:40]!r}, not {FORMAT!r}")
    texts = {name: meta[name] for name in TEXTS}
    for name in NAMES:
        texts[name] = _texts(name, meta[name])
    texts["events"] = tuple(_event(event) for event in meta["events"])
    _texts("state_names", meta["state_names"])
    known = {*BLOCKS, *(f"energy_{name}" for name in ENERGIES)}
    if unknown := sorted(set(arrays) - known):
        raise ValueError(f"it holds {unknown[0][:40]!r}, which trajectories do not have")
    found = {n: arrays[f"energy_{n}"] for n in ENERGIES if f"energy_{n}" in arrays}
    blocks = {name: arrays[name] for name in BLOCKS}
    return {**blocks, **texts, "energy": Energy(**found)}


def _texts(name: str, values: object) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(x, str) for x in values):
        raise ValueError(f"{name} is no list of texts")
    return tuple(values)


def _event(event: object) -> tuple[float, str]:
    match event:
        case [int() | float() as t, str() as name] if not isinstance(t, bool):
            return float(t), name
    raise ValueError("an event is no pair of a time and a name")


def _roomier(form: Format) -> str:
    return " or save it as .npz" if form.max_bytes < FORMATS[".npz"].max_bytes else ""


def _format(path: Path) -> Format:
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        raise EvaluationError(
            f"expected a file ending {', '.join(FORMATS)} for a trajectory, got {str(path)!r}"
        )
    return found
