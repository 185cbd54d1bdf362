"""What an engine is: it computes ranges of rows, each once, in whatever order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import DalembertError

if TYPE_CHECKING:
    from dalembert.studies.task import Chunk, Task

MOST_TRIES = 3
"""How many workers may die over the same rows."""


class WorkerLost(DalembertError, RuntimeError):
    """Workers that died over the same rows, one after the other."""


class Engine(ABC):
    """Where the rows of a study are computed.

    An engine takes the next range when a worker is free, so that at most as many chunks as workers
    are in memory.
    """

    @property
    def num_files(self) -> int:
        """Files that a study is divided into by default: enough for workers to share the rows."""
        return 64

    @abstractmethod
    def run(self, task: Task, ranges: Iterable[range]) -> Iterator[Chunk]:
        """Yield each range computed, as they become ready."""


class Raised(NamedTuple):
    """An error of a worker, as a value: it is raised where the study was started."""

    error: Exception


def computed(task: Task, rows: range) -> Chunk | Raised:
    """Return a chunk, or the error that ends the study."""
    try:
        return task.run(rows.start, rows.stop)
    except Exception as error:
        return Raised(error)


def lost(rows: range, what: str) -> WorkerLost:
    """Return the error of rows over which workers died."""
    return WorkerLost(
        f"expected a worker to compute rows {rows.start} to {rows.stop - 1}, got {MOST_TRIES} that "
        f"died over them ({what}): does the function exhaust the memory or crash there?"
    )
