"""Compute what a study lacks and write it down: the loop around engine and folder."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.errors import EvaluationError, FileError
from dalembert.studies import folder as files
from dalembert.studies.lock import owned
from dalembert.studies.manifest import agree, manifest_of
from dalembert.studies.parquet import outline_of, pyarrow
from dalembert.studies.progress import Report
from dalembert.studies.results import check_same

if TYPE_CHECKING:
    from dalembert.studies.engines.base import Engine
    from dalembert.studies.task import Chunk, Task

MOST_WAITING = 2
"""Chunks that may wait for the disk: more would fill the memory when it is slow."""


def compute(task: Task, folder: Path, engine: Engine, chunk: int, report: Report) -> None:
    """Compute the rows that a folder lacks; one that is complete is left as it is.

    Raises:
        FileError: the folder cannot be written, another process writes into it, or another study
            is in it; what is there is kept.
        EvaluationError: the function returned something else than columns of results, or the engine
            left rows out.
    """
    pyarrow()
    _make(folder / files.DATA)
    with owned(folder):
        agree(folder, manifest_of(task))
        files.remove_unfinished(folder)
        done = _whole_ranges(folder, task)
        report(sum(one.last - one.first for one in done), 0)
        ranges = files.missing_ranges(done, task.points.num_rows, chunk)
        first = next(ranges, None)
        if first is None:
            return
        outline = next(filter(None, (outline_of(one.path) for one in done)), None)
        chunks = engine.run(task, chain([first], ranges))
        with closing(chunks):  # type: ignore[type-var]
            _write(folder, chunks, outline, report)
        done = files.done_ranges(folder, task.points.num_rows, task.block)
        lost = next(files.missing_ranges(done, task.points.num_rows, chunk), None)
        if lost is not None:
            raise EvaluationError(
                f"expected every row from {type(engine).__name__}, got none for rows "
                f"{lost.start} to {lost.stop - 1}: a fault of this engine"
            )


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            error.errno or 0,
            f"expected a place for a folder, got {str(folder)[:200]!r}: {error.strerror}",
        ) from None


def _whole_ranges(folder: Path, task: Task) -> tuple[files.DoneRange, ...]:
    """Return the files that are as they were written; remove the others."""
    whole, damaged = files.whole_and_damaged(folder, task.points.num_rows, task.block)
    for one in damaged:
        one.path.unlink()
    if damaged:
        warnings.warn(
            f"expected files as they were written in {str(folder / files.DATA)!r}, got "
            f"{len(damaged)} damaged: {files.listed(damaged)}: these rows are computed again",
            stacklevel=4,
        )
    return whole


def _write(
    folder: Path, chunks: Iterator[Chunk], outline: dict[str, list[object]] | None, report: Report
) -> None:
    """Write chunks while the next ones are computed; report each when it is on the disk."""
    waiting: deque[tuple[Chunk, Future[None]]] = deque()

    def settle() -> None:
        chunk, written = waiting.popleft()
        try:
            written.result()
        except FileError as error:
            raise FileError(
                error.errno,
                f"{error}: the study keeps the rows that are done; make room and call it again",
            ) from None
        report(chunk.last - chunk.first, chunk.num_failed)

    with ThreadPoolExecutor(1, "dalembert-sweep") as disk:
        for chunk in chunks:
            outline = outline or chunk.outline
            if chunk.outline:
                check_same(outline, chunk.outline, chunk.first)
            written = disk.submit(files.write_range, folder, chunk.first, chunk.last, chunk.data)
            waiting.append((chunk, written))
            while waiting and (len(waiting) > MOST_WAITING or waiting[0][1].done()):
                settle()
        while waiting:
            settle()
