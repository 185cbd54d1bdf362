"""Trajectories in files: arrays with JSON beside them, never code."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError, MissingDependency
from dalembert.simulation.problem.energy import Energy

if TYPE_CHECKING:
    from dalembert.simulation.trajectory.trajectory import Trajectory

FORMAT = "dalembert trajectory 2"

# columns of each block of a table, and the names of its entries
BLOCKS = {
    "t": None,
    "q": "q_names",
    "qd": "v_names",
    "qdd": "v_names",
    "tau": "input_names",
    "lam": "constraint_names",
    "controller_state": "state_names",
    "position_error": None,
    "velocity_error": None,
}
ENERGIES = ("total", "work", "dissipated", "kinetic", "potential")
TEXTS = (
    "name",
    "method",
    "q_names",
    "v_names",
    "input_names",
    "constraint_names",
    "events",
    "warnings",
    "ok",
    "status",
)

Arrays = dict[str, np.ndarray]


def save(motion: Trajectory, path: Path) -> None:
    """Write a trajectory in the format of the path's ending.

    The file appears whole or not at all.
    """
    write = _format(path)[0]
    arrays, meta = _taken_apart(motion)
    rest = path.with_name(f".{path.name}.part")
    try:
        write(rest, arrays, meta)
        os.replace(rest, path)
    finally:
        rest.unlink(missing_ok=True)


def load(path: Path) -> dict[str, Any]:
    """Read a trajectory: its fields but the model, by name.

    Raises:
        EvaluationError: the file is none, or not one of ours.
    """
    try:
        arrays, meta = _format(path)[1](path)
        return _put_together(arrays, meta)
    except (KeyError, ValueError, TypeError, OSError, EOFError) as error:
        if isinstance(error, EvaluationError | FileNotFoundError | MissingDependency):
            raise
        raise EvaluationError(
            f"expected a trajectory in {path}, got something else ({error}): write it with "
            "Trajectory.save"
        ) from None


def _taken_apart(motion: Trajectory) -> tuple[Arrays, dict[str, Any]]:
    arrays = {name: getattr(motion, name) for name in BLOCKS}
    energies = {name: getattr(motion.energy, name) for name in ENERGIES}
    arrays |= {f"energy_{name}": e for name, e in energies.items() if e is not None}
    texts = {name: getattr(motion, name) for name in TEXTS}
    count = motion.controller_state.shape[1]
    return arrays, {"format": FORMAT, **texts, "state_names": [str(k) for k in range(count)]}


def _put_together(arrays: Arrays, meta: dict[str, Any]) -> dict[str, Any]:
    if meta.get("format") == "dalembert trajectory 1":
        meta = {**meta, "format": FORMAT, "ok": meta["is_complete"]}
    if meta.get("format") != FORMAT:
        raise ValueError(f"its format is {meta.get('format')!r}, not {FORMAT!r}")
    texts = {name: meta[name] for name in TEXTS}
    for name in ("q_names", "v_names", "input_names", "constraint_names", "warnings"):
        texts[name] = tuple(map(str, texts[name]))
    texts["events"] = tuple((float(t), str(name)) for t, name in texts["events"])
    count = len(arrays["t"])
    for name, names in BLOCKS.items():
        shape = (count,) if names is None else (count, len(meta[names]))
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has the shape {arrays[name].shape}, not {shape}")
    found = {n: arrays[f"energy_{n}"] for n in ENERGIES if f"energy_{n}" in arrays}
    if any(e.shape != (count,) for e in found.values()):
        raise ValueError("energies do not have one number for each time")
    blocks = {name: arrays[name] for name in BLOCKS}
    return {**blocks, **texts, "energy": Energy(**found)}


def _write_npz(path: Path, arrays: Arrays, meta: dict[str, Any]) -> None:
    with open(path, "wb") as file:
        np.savez(file, allow_pickle=False, meta=np.array(json.dumps(meta)), **arrays)


def _read_npz(path: Path) -> tuple[Arrays, dict[str, Any]]:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    meta = json.loads(str(arrays.pop("meta")))
    return {name: np.array(a, float) for name, a in arrays.items()}, meta


def _columns(arrays: Arrays, meta: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return one column for each number of a row, as tables have them."""
    columns: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        if array.ndim == 1:
            columns[name] = array
        else:
            labels = meta[BLOCKS[name]]
            columns |= {f"{name}:{label}": array[:, k] for k, label in enumerate(labels)}
    return columns


def _blocks(columns: dict[str, np.ndarray], meta: dict[str, Any]) -> Arrays:
    count = len(columns["t"])
    arrays = {name: column for name, column in columns.items() if ":" not in name}
    for name, names in BLOCKS.items():
        if names is not None:
            parts = [columns[f"{name}:{label}"] for label in meta[names]]
            arrays[name] = np.stack(parts, axis=1) if parts else np.empty((count, 0))
    return arrays


def _write_csv(path: Path, arrays: Arrays, meta: dict[str, Any]) -> None:
    columns = _columns(arrays, meta)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(f"# {json.dumps(meta)}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        # repr gives back the same bits
        writer.writerows(zip(*([repr(float(x)) for x in c] for c in columns.values()), strict=True))


def _read_csv(path: Path) -> tuple[Arrays, dict[str, Any]]:
    with open(path, encoding="utf-8", newline="") as file:
        first = file.readline()
        if not first.startswith("# {"):
            raise ValueError("its first line is not '# {…}'")
        meta = json.loads(first[2:])
        rows = list(csv.reader(file))
    values = [[_number(x) for x in row] for row in rows[1:]]
    table = np.array(values, float).reshape(len(values), len(rows[0]))
    return _blocks({name: table[:, k].copy() for k, name in enumerate(rows[0])}, meta), meta


def _number(text: str) -> float:
    return math.nan if text == "nan" else float(text)


def _write_parquet(path: Path, arrays: Arrays, meta: dict[str, Any]) -> None:
    pa, parquet = _pyarrow()
    table = pa.table(_columns(arrays, meta))
    parquet.write_table(table.replace_schema_metadata({"dalembert": json.dumps(meta)}), path)


def _read_parquet(path: Path) -> tuple[Arrays, dict[str, Any]]:
    _, parquet = _pyarrow()
    table = parquet.read_table(path)
    meta = json.loads((table.schema.metadata or {})[b"dalembert"])
    columns = {n: np.array(table[n].to_numpy(), float) for n in table.column_names}
    return _blocks(columns, meta), meta


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow  # type: ignore[import-not-found]
        import pyarrow.parquet  # type: ignore[import-not-found]
    except ImportError:
        raise MissingDependency(
            'expected pyarrow for .parquet files, got none: pip install "pyarrow"'
        ) from None
    return pyarrow, pyarrow.parquet


FORMATS: dict[str, tuple[Callable[..., None], Callable[..., Any]]] = {
    ".npz": (_write_npz, _read_npz),
    ".csv": (_write_csv, _read_csv),
    ".parquet": (_write_parquet, _read_parquet),
}


def _format(path: Path) -> tuple[Callable[..., None], Callable[..., Any]]:
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        raise EvaluationError(
            f"expected a file ending {', '.join(FORMATS)} for a trajectory, got {str(path)!r}"
        )
    return found
