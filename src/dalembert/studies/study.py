"""A study that is done, or done in part: its rows for analysis."""

from __future__ import annotations

import errno
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.display import Printed
from dalembert.errors import EvaluationError, FileError, UnknownName, nearest
from dalembert.files import path_text
from dalembert.optional import require
from dalembert.studies import parquet
from dalembert.studies.folder import DATA, DoneRange, listed, whole_and_damaged
from dalembert.studies.manifest import read_manifest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.types import Array

PLACE = re.compile(r"(.+)\[([\d,]+)\]")


@dataclass(frozen=True)
class Study(Printed):
    """Rows of a study with their results, read from its folder when they are asked for.

    ``study["mass"]`` is a column as an array, `to_arrow`, `to_pandas` and `to_polars` give tables
    of some columns, `batches` goes through a study that is larger than the memory.
    """

    folder: Path
    """Where it is kept; every reader of Parquet can read ``folder/data``."""
    manifest: dict[str, object]
    """What it computes: rows, seed, function, points."""
    files: tuple[DoneRange, ...]
    """Its files, in the order of their rows: those that are as they were written."""
    damaged: tuple[DoneRange, ...] = ()
    """Files that are not, whose rows are left out; `da.sweep` computes them again."""

    @classmethod
    def open(cls, folder: str | Path) -> Study:
        """Return the study in a folder, complete or not.

        Every file is compared with the digest that it was written with. The rows of damaged files
        are left out, with a warning that names the files; see `damaged`.

        Raises:
            FileError: there is none, or what it computes cannot be read.
        """
        place = Path(path_text(folder))
        manifest = read_manifest(place)
        rows, block = int(str(manifest["rows"])), int(str(manifest["block"]))
        whole, damaged = whole_and_damaged(place, rows, block)
        if damaged:
            warnings.warn(
                f"expected files as they were written in {str(place / DATA)!r}, got {len(damaged)} "
                f"damaged: {listed(damaged)}: their rows are left out, call da.sweep again to "
                "compute them",
                stacklevel=2,
            )
        return cls(place, manifest, whole, damaged)

    def __reduce__(self) -> tuple[Callable[[str], Study], tuple[str]]:
        """A study in another process is the folder, read again."""
        return _opened, (str(self.folder),)

    @property
    def num_rows(self) -> int:
        """How many rows it shall have."""
        return int(str(self.manifest["rows"]))

    @property
    def num_done(self) -> int:
        """How many rows are computed, with or without success, and can be read."""
        return sum(one.last - one.first for one in self.files)

    @property
    def is_complete(self) -> bool:
        """Whether all rows are computed."""
        return self.num_done == self.num_rows

    @cached_property
    def num_failed(self) -> int:
        """How many rows have a reason why they have no results, or not all."""
        if not self.files:
            return 0
        return sum(
            len(batch) - batch.column("failure").null_count for batch in self._read("failure")
        )

    def __str__(self) -> str:
        damaged = f", {len(self.damaged):,} damaged files" if self.damaged else ""
        return f"{self.num_done:,} of {self.num_rows:,} rows, {self.num_failed:,} failed{damaged}"

    def failures(self, limit: int = 20) -> dict[str, int]:
        """Return the most frequent reasons of failures, with the number of rows of each."""
        counts: dict[str, int] = {}
        for batch in self._read("failure"):
            for one in batch.column("failure").drop_null().value_counts():
                reason = one["values"].as_py()
                counts[reason] = counts.get(reason, 0) + one["counts"].as_py()
        return dict(sorted(counts.items(), key=lambda item: -item[1])[:limit])

    @cached_property
    def dataset(self) -> Any:
        """All files as a dataset of Arrow, whose scans need little memory."""
        if not self.files:
            raise EvaluationError(f"expected rows in {str(self.folder)!r}, got none yet")
        with self._faults_named():
            return parquet.dataset([one.path for one in self.files])

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns; an array of a row is several, ``q[0]``, ``q[1]``, …."""
        return tuple(self.dataset.schema.names)

    def names_of(self, name: str) -> list[str]:
        """Return the columns that a name stands for: itself, or the parts of an array.

        Raises:
            UnknownName: there is no such column.
        """
        parts = [c for c in self.columns if (m := PLACE.fullmatch(c)) and m[1] == name]
        if name in self.columns or parts:
            return [name] if name in self.columns else parts
        reason = next(iter(self.failures()), None) if self.num_failed == self.num_done else None
        said = nearest(name, self.columns) if reason is None else f"all rows failed, {reason}"
        raise UnknownName(f"expected a column of the study, got {name!r}: {said}")

    def __getitem__(self, name: str) -> Array:
        """Return a column in the order of the rows, ``(rows,)`` or ``(rows, …)`` for arrays.

        Numbers that failed rows do not have are NaN, texts None.

        Raises:
            UnknownName: there is no such column.
        """
        names = self.names_of(name)
        if names == [name]:
            return _array(self.to_arrow([name]).column(name))
        table = self.to_arrow(names)
        flat = np.stack([_array(table.column(n)) for n in names], axis=-1)
        last = PLACE.fullmatch(names[-1])
        assert last is not None
        return flat.reshape(len(flat), *(int(k) + 1 for k in last[2].split(",")))

    def batches(self, *names: str) -> Iterator[dict[str, Array]]:
        """Yield some columns piece by piece, in the order of the rows: memory of a piece only."""
        for batch in self._read(*names):
            yield {name: _array(batch.column(name)) for name in batch.schema.names}

    def to_arrow(self, names: Sequence[str] | None = None) -> Any:
        """Return some columns, or all, as a table of Arrow."""
        wanted = None if names is None else [c for name in names for c in self.names_of(name)]
        dataset = self.dataset
        with self._faults_named():
            return dataset.to_table(columns=wanted)

    def to_pandas(self, names: Sequence[str] | None = None) -> Any:
        """Return some columns, or all, as a data frame of pandas."""
        require("pandas", "a data frame")
        return self.to_arrow(names).to_pandas()

    def to_polars(self, names: Sequence[str] | None = None) -> Any:
        """Return some columns, or all, as a data frame of polars."""
        polars = require("polars", "a data frame")
        return polars.from_arrow(self.to_arrow(names))

    def plot_histogram(self, name: str, *, bins: int = 60, ax: Axes | None = None) -> Axes:
        """Draw how often a column has which values."""
        from dalembert.studies.plots import plot_histogram

        return plot_histogram(self, name, bins, ax)

    def plot_heat_map(
        self, x: str, y: str, value: str | None = None, *, cells: int = 60, ax: Axes | None = None
    ) -> Axes:
        """Draw the mean of a column, or the number of rows, over two others."""
        from dalembert.studies.plots import plot_heat_map

        return plot_heat_map(self, x, y, value, cells, ax)

    def plot_parallel(
        self, names: Sequence[str], *, lines: int = 1000, ax: Axes | None = None
    ) -> Axes:
        """Draw rows as lines over parallel axes, coloured by the last column.

        Args:
            names: Columns of numbers, two or more.
            lines: How many rows are drawn, evenly chosen.
            ax: Where to draw; a new figure by default.
        """
        from dalembert.studies.plots import plot_parallel

        return plot_parallel(self, names, lines, ax)

    def _read(self, *names: str) -> Iterator[Any]:
        wanted = [c for name in names for c in self.names_of(name)]
        dataset = self.dataset
        with self._faults_named():
            # one file after the other: reading ahead would fill the memory
            yield from dataset.to_batches(columns=wanted, batch_readahead=1, fragment_readahead=1)

    @contextmanager
    def _faults_named(self) -> Iterator[None]:
        """Name the files that were damaged since the study was opened."""
        try:
            yield
        except (OSError, ValueError) as error:
            damaged = [one for one in self.files if not one.is_whole()]
            if not damaged:
                raise
            raise FileError(
                errno.EIO,
                f"expected files as they were when {str(self.folder)!r} was opened, got "
                f"{len(damaged)} damaged since: {listed(damaged)}: open it again for the others",
            ) from error


def _opened(folder: str) -> Study:
    return Study.open(folder)


def _array(column: Any) -> Array:
    """Return a column of Arrow as an array, with NaN where a number is missing."""
    return (
        column.to_numpy(zero_copy_only=False) if hasattr(column, "buffers") else column.to_numpy()
    )
