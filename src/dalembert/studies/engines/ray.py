"""A cluster of machines, by Ray; nothing else knows that package."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.errors import EvaluationError
from dalembert.optional import require
from dalembert.studies.engines.base import MOST_TRIES, Engine, Raised, computed, lost

if TYPE_CHECKING:
    from dalembert.studies.task import Chunk, Task


LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Ray(Engine):
    """Compute on a cluster of Ray; needs ``pip install pyarrow ray``.

    Args:
        address: Of the cluster: "auto" for the one that this machine belongs to, "ray://…" for
            another, None to start one on this machine, which other machines cannot reach, and to
            end it afterwards.
        workers: How many at a time; None for as many as the cluster has room for at the start.
        cpus: Cores of a worker, which its kernels use.
        gpus: GPUs of a worker; 0.5 lets two workers share one.
    """

    address: str | None = "auto"
    workers: int | None = None
    cpus: float = 1
    gpus: float = 0

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise EvaluationError(f"expected one worker or more, got {self.workers!r}")
        if self.cpus < 0 or self.gpus < 0 or self.cpus + self.gpus == 0:
            raise EvaluationError(
                f"expected workers with cores or GPUs, got {self.cpus} cores and {self.gpus} GPUs"
            )
        if self.gpus > 1 and self.gpus != int(self.gpus):
            raise EvaluationError(
                f"expected a part of one GPU or whole GPUs for a worker, got {self.gpus}"
            )

    def run(self, task: Task, ranges: Iterable[range]) -> Iterator[Chunk]:
        """Yield each range computed, as they become ready."""
        ray = _ray()
        is_ours = not ray.is_initialized()
        if is_ours:
            self._connect(ray)
        try:
            yield from self._run(ray, task, iter(ranges))
        finally:
            if is_ours:
                ray.shutdown()

    def _connect(self, ray: Any) -> None:
        if self.address is None:
            _start_here(ray)
            return
        try:
            ray.init(address=self.address, log_to_driver=False)
        except ConnectionError as error:
            raise EvaluationError(
                f"expected a cluster of Ray at {self.address!r}, got none ({str(error)[:200]}): "
                "start it with `ray start --head`, or take Ray(address=None)"
            ) from None

    def _run(self, ray: Any, task: Task, ranges: Iterator[range]) -> Iterator[Chunk]:
        work = ray.put(task)
        kind = ray.remote(_Worker).options(num_cpus=self.cpus, num_gpus=self.gpus)
        busy: dict[Any, _Asked] = {}
        for place, rows in enumerate(islice(ranges, self._count(ray))):
            _ask(busy, _Asked(kind.remote(work, self.cpus, place), place, rows, tries=1))
        while busy:
            (ready,), _ = ray.wait(list(busy), num_returns=1)
            asked = busy.pop(ready)
            try:
                found = ray.get(ready)
            except ray.exceptions.RayError as error:
                # the worker or its machine is gone: another one takes its rows
                if asked.tries == MOST_TRIES:
                    raise lost(asked.rows, type(error).__name__) from error
                other = kind.remote(work, self.cpus, asked.place)
                _ask(busy, asked._replace(worker=other, tries=asked.tries + 1))
                continue
            del ready
            if isinstance(found, Raised):
                raise found.error
            if (more := next(ranges, None)) is not None:
                _ask(busy, asked._replace(rows=more, tries=1))
            yield found

    def _count(self, ray: Any) -> int:
        """Return how many workers there shall be."""
        if self.workers is not None:
            return self.workers
        machines = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        count = sum(room(x.get("CPU", 0), x.get("GPU", 0), self.cpus, self.gpus) for x in machines)
        if not count:
            has = ray.cluster_resources()
            raise EvaluationError(
                f"expected a machine with room for a worker of {self.cpus} cores and {self.gpus} "
                f"GPUs, got a cluster of {has.get('CPU', 0):g} cores and {has.get('GPU', 0):g} GPUs"
            )
        return count


def _start_here(ray: Any) -> None:
    """Start a cluster whose ports are open on the loopback interface only.

    Raises:
        EvaluationError: Ray opened them to other machines; the cluster is ended then.
    """
    # what Ray does on macOS and Windows; on Linux it takes the address that other machines see,
    # whatever address it is given
    constants = ray._private.ray_constants
    before = constants.ENABLE_RAY_CLUSTER
    constants.ENABLE_RAY_CLUSTER = False
    try:
        # a cluster of our own needs no page in the browser
        ray.init(_node_ip_address=LOOPBACK, include_dashboard=False, log_to_driver=False)
    finally:
        constants.ENABLE_RAY_CLUSTER = before
    address = ray.nodes()[0]["NodeManagerAddress"]
    if address != LOOPBACK:
        ray.shutdown()
        raise EvaluationError(
            f"expected a cluster that only this machine can reach, got one at {address} from Ray "
            f"{ray.__version__}: take da.sweep.Local(), or start a cluster by `ray start --head` "
            "where no stranger reaches it"
        )


def room(has_cpus: float, has_gpus: float, cpus: float, gpus: float) -> int:
    """Return how many workers of so many cores and GPUs a machine has room for.

    A worker is on one machine, and a part of a GPU is a part of one GPU.

    >>> room(8, 2, 1, 0), room(8, 2, 3, 1), room(8, 2, 0, 0.6), room(8, 3, 1, 2)
    (8, 2, 2, 1)
    """

    def whole(has: float, wanted: float) -> int:
        # ten tenths are one
        return int(has / wanted + 1e-9)

    rooms = [whole(has_cpus, cpus)] if cpus else []
    if gpus:
        rooms.append(int(has_gpus) * whole(1, gpus) if gpus < 1 else whole(has_gpus, gpus))
    return min(rooms)


class _Asked(NamedTuple):
    """A worker, its place among the workers, and the rows that it computes."""

    worker: Any
    place: int
    rows: range
    tries: int


def _ask(busy: dict[Any, _Asked], asked: _Asked) -> None:
    busy[asked.worker.run.remote(asked.rows)] = asked


class _Worker:
    """A process of the cluster that computes ranges of rows."""

    def __init__(self, task: Task, cpus: float, place: int) -> None:
        self._task = task
        _stay_on(max(1, int(cpus)), place)

    def run(self, rows: range) -> Chunk | Raised:
        return computed(self._task, rows)


def _stay_on(count: int, place: int) -> None:
    """Let kernels use so many cores: they use those that their process may run on."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        start = place * count
        os.sched_setaffinity(0, {cores[(start + k) % len(cores)] for k in range(count)})


def _ray() -> Any:
    require("ray.exceptions", "engine=Ray(...)")
    return require("ray", "engine=Ray(...)")
