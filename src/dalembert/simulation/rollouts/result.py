"""The result of many simulations at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dalembert.display import Printed
from dalembert.model.border import to_numpy


@dataclass(frozen=True, eq=False)
class Rollouts(Printed):
    """Motions of a batch at common times; batch axes come first.

    Attributes:
        name: Of the mechanism or system.
        method: The integrator with its options.
        step: The length of a step in seconds.
        t: Times, ``(rows,)``; the first is the start, the last the end.
        q, qd: States, ``(..., rows, nq)`` and ``(..., rows, nv)``.
        q_names, v_names: What their columns are.
        num_steps: How many steps each rollout took.
        seconds: How long the call took, without compiling.

    On a GPU, q and qd are arrays of the package whose arrays were given.
    """

    name: str
    method: str
    step: float
    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    q_names: tuple[str, ...]
    v_names: tuple[str, ...]
    num_steps: int
    seconds: float

    def __post_init__(self) -> None:
        self.t.flags.writeable = False

    @property
    def batch(self) -> tuple[int, ...]:
        """The shape of the batch."""
        return tuple(self.q.shape[:-2])

    @property
    def steps_per_second(self) -> float:
        """Steps of all rollouts in a second."""
        return math.prod(self.batch) * self.num_steps / max(self.seconds, 1e-12)

    @property
    def ok(self) -> np.ndarray:
        """Whether a rollout reached its end with finite numbers, for each."""
        # what is not finite never becomes a number again
        q, v = to_numpy(self.q[..., -1, :]), to_numpy(self.qd[..., -1, :])
        return np.asarray(np.isfinite(q).all(-1) & np.isfinite(v).all(-1))

    @property
    def end_times(self) -> np.ndarray:
        """The last stored time with finite numbers, for each rollout, in seconds."""
        q, v = to_numpy(self.q), to_numpy(self.qd)
        good = np.isfinite(q).all(-1) & np.isfinite(v).all(-1)
        count = np.logical_and.accumulate(good, axis=-1).sum(-1)
        return self.t[np.maximum(count, 1) - 1]

    @property
    def status(self) -> str:
        """One sentence: finished, or which rollouts failed."""
        failed = np.argwhere(~self.ok)
        if not len(failed):
            return f"finished at t = {self.t[-1]:.9g}"
        first = tuple(int(k) for k in failed[0])
        which = f", the first {first}" if first else ""
        return (
            f"{len(failed)} of {int(np.prod(self.batch))} rollouts are not finite{which} after "
            f"t = {self.end_times[first]:.9g}: a singular configuration, a step too long, or an "
            "angle beyond 1.6e6 rad"
        )

    def __repr__(self) -> str:
        return f"Rollouts({self.name}, batch {self.batch}, {len(self.t)} times, {self.status})"

    def __str__(self) -> str:
        return (
            f"{self.name}, {self.method}: {self.status}\n"
            f"  batch {self.batch}, {self.num_steps} steps of {self.step:.6g} s, "
            f"{self.steps_per_second:.3g} steps a second"
        )
