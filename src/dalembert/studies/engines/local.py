"""The cores of this machine: kernels on all of them, or processes side by side."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import EvaluationError
from dalembert.studies.engines.base import MOST_TRIES, Engine, Raised, computed, lost

if TYPE_CHECKING:
    from dalembert.studies.rows import Rows
    from dalembert.studies.task import Chunk, Task


@dataclass(frozen=True)
class Local(Engine):
    """Compute on this machine.

    Args:
        processes: 0 computes in this process: kernels of dalembert use all cores by themselves.
            More start so many others, for functions in plain Python; the function must be one that
            they can import, and a script needs ``if __name__ == "__main__":``.
    """

    processes: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.processes, int) or not 0 <= self.processes <= 1024:
            raise EvaluationError(f"expected 0 to 1024 processes, got {self.processes!r}")

    @property
    def num_files(self) -> int:
        """In this process fewer and longer files, which cost less: none waits for another."""
        return super().num_files if self.processes else 16

    def run(self, task: Task, ranges: Iterable[range]) -> Iterator[Chunk]:
        """Yield each range computed, as they become ready."""
        if not self.processes:
            return _run_here(task, iter(ranges))
        return _run(task, iter(ranges), self.processes)


def _run_here(task: Task, ranges: Iterator[range]) -> Iterator[Chunk]:
    """Yield each range computed in this thread; another one draws and encodes meanwhile."""
    written: Future[Chunk] | None = None
    with ThreadPoolExecutor(1, "dalembert-rows") as aside:

        def drawn() -> Future[Rows] | None:
            more = next(ranges, None)
            return None if more is None else aside.submit(task.rows, more.start, more.stop)

        waiting = drawn()
        while waiting is not None:
            try:
                rows = waiting.result()
                waiting = drawn()
                found = task.computed(rows)
            except BaseException:
                # rows that are computed are kept
                if written is not None:
                    yield written.result()
                raise
            if written is not None:
                yield written.result()
            written = aside.submit(task.chunk, rows, found)
        if written is not None:
            yield written.result()


class _Worker(NamedTuple):
    """Another process and the rows that it computes."""

    process: BaseProcess
    rows: range
    tries: int


def _run(task: Task, ranges: Iterator[range], count: int) -> Iterator[Chunk]:
    busy: dict[Connection, _Worker] = {}
    try:
        for rows in islice(ranges, count):
            _start(busy, task, rows, tries=1)
        while busy:
            for ready in wait(list(busy)):
                yield from _answer(busy, ready, ranges, task)  # type: ignore[arg-type]
    finally:
        for connection, worker in busy.items():
            worker.process.kill()
            worker.process.join()
            connection.close()


def _start(busy: dict[Connection, _Worker], task: Task, rows: range, tries: int) -> None:
    """Start a process; it ends by itself when this one does."""
    # a forked child would hold the ends of all pipes, and locks that nobody opens
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, task), daemon=True)
    try:
        process.start()
    except OSError:
        raise
    # what cannot be sent says so in many ways
    except Exception as error:
        raise EvaluationError(
            "expected a function that other processes can import, got one that cannot be sent "
            f"({error}): define it at the top of a module, or take engine=Local()"
        ) from None
    finally:
        theirs.close()
    busy[ours] = _Worker(process, rows, tries)
    ours.send(rows)


def _answer(
    busy: dict[Connection, _Worker], connection: Connection, ranges: Iterator[range], task: Task
) -> Iterator[Chunk]:
    """Take what a worker has computed and give it more; start another in place of a dead one."""
    process, rows, tries = busy.pop(connection)
    try:
        found = connection.recv()
    except (EOFError, OSError):
        connection.close()
        process.join()
        if tries == MOST_TRIES:
            raise lost(rows, _ending(process.exitcode)) from None
        _start(busy, task, rows, tries + 1)
        return
    # back among the workers before anything can go wrong, so that it is ended in any case
    busy[connection] = _Worker(process, rows, 1)
    if isinstance(found, Raised):
        raise found.error
    more = next(ranges, None)
    if more is None:
        del busy[connection]
        connection.close()
        process.join()
    else:
        busy[connection] = _Worker(process, more, 1)
        connection.send(more)
    yield found


def _ending(code: int | None) -> str:
    """Return how a process ended; one that was not killed could not begin."""
    hint = (
        ""
        if code is None or code <= 0
        else (
            ", see its error above; it must be able to import the function, and a script needs "
            'if __name__ == "__main__":'
        )
    )
    return f"exit code {code}{hint}"


def _serve(connection: Connection, task: Task) -> None:
    """Compute ranges until nobody asks any more."""
    try:
        while True:
            connection.send(computed(task, connection.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
