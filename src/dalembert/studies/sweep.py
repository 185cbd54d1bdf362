"""`da.sweep`: compute a function over the rows of a study."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.files import path_text
from dalembert.studies.each import Each
from dalembert.studies.engines.base import Engine
from dalembert.studies.engines.local import Local
from dalembert.studies.engines.ray import Ray
from dalembert.studies.points.base import Points
from dalembert.studies.points.grid import Grid
from dalembert.studies.points.latin_hypercube import LatinHypercube
from dalembert.studies.points.random import Random
from dalembert.studies.points.sobol import Sobol
from dalembert.studies.points.table import Table
from dalembert.studies.progress import progress_bar
from dalembert.studies.run import compute
from dalembert.studies.study import Study
from dalembert.studies.task import Task

if TYPE_CHECKING:
    from dalembert.studies.task import Function

BLOCK = 1024
"""Rows that a function gets at once: enough for the kernels, little enough for the memory."""
LONGEST = 1 << 16
"""Rows of a file by default, at most."""


class Sweep:
    """Compute a function over many rows: ``da.sweep(function, points, folder)``.

    The parts of a call are here too: sets of points, engines, and `Each` for a function of one row.
    """

    Grid = Grid
    Random = Random
    LatinHypercube = LatinHypercube
    Sobol = Sobol
    Table = Table
    Each = Each
    Local = Local
    Ray = Ray

    def __call__(
        self,
        function: Function,
        points: Points,
        folder: str | Path,
        *,
        seed: int = 0,
        engine: Engine = Local(),  # noqa: B008, a frozen value
        block: int | None = None,
        chunk: int | None = None,
        progress: bool = False,
    ) -> Study:
        """Compute a function for every row of a study, and return the study.

        Results go into the folder as Parquet files. A call on a folder with a part of the same
        study computes what is missing: after a kill, a full disk or a loss of power call again.
        Results are the same bits for any engine, number of workers and size of chunks, on machines
        of one kind.

        Args:
            function: Takes `Rows`, with ``rows["mass"]`` an array of one value for each row, and
                returns ``{name: values}``, values ``(rows,)`` or ``(rows, …)``. A row for which it
                raises an error, or whose results are not finite, is a row with a reason in the
                column ``failure``; a column of that name that it returns gives reasons too.
                ``da.sweep.Each(f)`` makes one of a function of one row.
            points: ``da.sweep.Grid``, ``Random``, ``LatinHypercube``, ``Sobol`` or ``Table``.
            folder: Where the study is kept; made if there is none.
            seed: Of all random numbers, from 0 to 2⁶⁴ − 1: those of the points, of `Rows.random`
                and of `Row.rng`. Every row has its own, whoever computes it.
            engine: ``da.sweep.Local()``, or ``da.sweep.Ray(address="auto")`` for a cluster.
            block: Neighbouring rows that the function gets at once, 1024 unless given; 1 for
                ``Each``. Part of the study, as the last bits may depend on it.
            chunk: Rows of a file, a multiple of the block; by default so many that there are 16
                files, 64 for several workers, if none is longer than 65,536.
            progress: Whether to show a bar with rate and time left, on standard error.

        Raises:
            EvaluationError: an argument or what the function returned has no meaning.
            FileError: the disk is full or cannot be written, another process computes the study,
                or the folder has another study in it; the message says what differs. What was
                written is kept.
            MissingDependency: pyarrow or ray is not installed.

        >>> import dalembert as da, tempfile
        >>> def square(rows):
        ...     return {"square": rows["x"] ** 2}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     study = da.sweep(square, da.sweep.Grid({"x": [1.0, 2.0, 3.0]}), folder)
        ...     print(study, study["square"])
        3 of 3 rows, 0 failed [1. 4. 9.]
        """
        _check(function, points, seed, engine)
        block = _counted("block", block, 1 if isinstance(function, Each) else BLOCK)
        chunk = _counted("chunk", chunk, default_chunk(points.num_rows, block, engine.num_files))
        if chunk % block:
            raise EvaluationError(
                f"expected chunk as a multiple of block, {block}, got {chunk}: a block is computed "
                "at once"
            )
        place = Path(path_text(folder))
        task = Task(function, points, int(seed), block)
        bar = progress_bar(points.num_rows) if progress else nullcontext(lambda rows, bad: None)
        with bar as report:
            compute(task, place, engine, chunk, report)
        return Study.open(place)


sweep = Sweep()


def default_chunk(num_rows: int, block: int, num_files: int) -> int:
    """Return the rows of a file when nobody says.

    >>> default_chunk(100, 1, 64), default_chunk(10**6, 1, 64), default_chunk(10**7, 1024, 16)
    (2, 15625, 65536)
    """
    wanted = min(-(-num_rows // num_files), LONGEST)
    return -(-wanted // block) * block


def _check(function: object, points: object, seed: object, engine: object) -> None:
    if not callable(function):
        raise EvaluationError(f"expected a function of rows, got {type(function).__name__}")
    if not isinstance(points, Points):
        raise EvaluationError(
            "expected points as da.sweep.Grid, Random, LatinHypercube, Sobol or Table, got "
            f"{type(points).__name__}"
        )
    if not isinstance(engine, Engine):
        raise EvaluationError(
            f"expected engine=da.sweep.Local() or da.sweep.Ray(...), got {engine!r}"
        )
    is_number = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not is_number or not 0 <= int(seed) < 2**64:  # type: ignore[call-overload]
        raise EvaluationError(f"expected a seed from 0 to 2**64 - 1, got {seed!r}")


def _counted(name: str, given: int | None, default: int) -> int:
    if given is None:
        return default
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
        raise EvaluationError(f"expected {name} as a whole number from 1 on, got {given!r}")
    return int(given)
