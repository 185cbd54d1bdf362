"""Trajectories as tables, one row for each time: .csv and .parquet."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from dalembert.files import parse_json
from dalembert.optional import require
from dalembert.simulation.trajectory.layout import BLOCKS

MAX_COLUMNS = 100_000
MAX_CELLS = 1 << 25
"""Numbers in a table: 256 MiB of doubles."""

Arrays = dict[str, np.ndarray]


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


def _blocks(columns: dict[str, np.ndarray], text: str) -> Arrays:
    """Return the arrays of a table, whose text says how wide they are."""
    meta = parse_json(text, MAX_COLUMNS * 10)
    if not isinstance(meta, dict) or "t" not in columns:
        raise ValueError("there is no description, or no column 't'")
    count, left = len(columns["t"]), dict(columns)
    arrays = {}
    for name, names in BLOCKS.items():
        labels = () if names is None else meta[names]
        if names is not None and (
            not isinstance(labels, list) or len(set(map(str, labels))) < len(labels)
        ):
            raise ValueError(f"{names} is no list of distinct names")
        parts = [left.pop(f"{name}:{label}") for label in labels]
        if names is not None:
            arrays[name] = np.stack(parts, axis=1) if parts else np.empty((count, 0))
    return {**left, **arrays}


# ---- csv


def write_csv(arrays: Arrays, meta: dict[str, Any], text: str) -> bytes:
    """Return a table as text: a comment with JSON, the names of the columns, the rows."""
    columns = _columns(arrays, meta)
    file = io.StringIO(newline="")
    file.write(f"# {text}\n")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    # repr gives back the same bits
    writer.writerows(zip(*([repr(float(x)) for x in c] for c in columns.values()), strict=True))
    return file.getvalue().encode()


def read_csv(data: bytes) -> tuple[Arrays, str]:
    """Return the arrays and the text of a file.

    Raises:
        ValueError: damaged, or not of our making.
    """
    file = io.StringIO(data.decode("utf-8-sig"), newline="")
    first = file.readline()
    if not first.startswith("# {"):
        raise ValueError("its first line is not '# {…}'")
    try:
        rows = csv.reader(file, strict=True)
        names = next(rows, [])
        # a number and its comma take two bytes: what would be longer is no table
        num_lines = data.count(b"\n") + data.count(b"\r")
        if len(names) > MAX_COLUMNS or num_lines * len(names) > min(len(data), MAX_CELLS):
            raise ValueError("more cells than the file can hold")
        if len(set(names)) < len(names):
            raise ValueError("a column is there twice")
        table = np.empty((num_lines, len(names)))
        count = 0
        for row in rows:
            if len(row) != len(names):
                raise ValueError(f"row {count + 1} has {len(row)} cells, not {len(names)}")
            table[count] = [float(x) for x in row]
            count += 1
    except csv.Error as error:
        raise ValueError(str(error)) from None
    columns = {name: table[:count, k].copy() for k, name in enumerate(names)}
    return _blocks(columns, first[2:]), first[2:]


# ---- parquet


def write_parquet(arrays: Arrays, meta: dict[str, Any], text: str) -> bytes:
    """Return a table with its text in the metadata."""
    pa, parquet = _pyarrow()
    table = pa.table(_columns(arrays, meta)).replace_schema_metadata({"dalembert": text})
    file = io.BytesIO()
    parquet.write_table(table, file)
    return file.getvalue()


def read_parquet(data: bytes) -> tuple[Arrays, str]:
    """Return the arrays and the text of a file.

    Raises:
        ValueError: damaged, too large, or not of our making.
    """
    pa, parquet = _pyarrow()
    try:
        file = parquet.ParquetFile(io.BytesIO(data))
        sizes = file.metadata
        if sizes.num_rows * sizes.num_columns > MAX_CELLS or sizes.num_columns > MAX_COLUMNS:
            raise ValueError("more cells than a table may have")
        if any(kind != pa.float64() for kind in file.schema_arrow.types):
            raise ValueError("a column that does not hold doubles")
        table = file.read()
        text = (table.schema.metadata or {})[b"dalembert"].decode()
        columns = {n: np.array(table[n].to_numpy(), float) for n in table.column_names}
    except (pa.ArrowException, OSError, IndexError, OverflowError) as error:
        raise ValueError(str(error)[:80]) from None
    return _blocks(columns, text), text


def _pyarrow() -> tuple[Any, Any]:
    what = "files ending .parquet"
    return require("pyarrow", what), require("pyarrow.parquet", what)
