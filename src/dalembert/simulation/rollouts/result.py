"""The result of many simulations at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.display import Printed
from dalembert.model.border import to_numpy
from dalembert.simulation.limits import passed_limits

if TYPE_CHECKING:
    from dalembert.model.configuration import Configuration


@dataclass(frozen=True, eq=False)
class Residuals:
    """How well time steps have solved their contacts, for each rollout.

    Attributes:
        worst: The largest residual of a step: how far an impulse is from its law, in m/s or rad/s.
        unsolved: How many steps were above the tolerance.
        depth: The deepest penetration at the begin of a step, in m or rad.
        sweeps: How many a step took, on average.
        tolerance: Of the method, in m/s or rad/s.
    """

    worst: np.ndarray
    unsolved: np.ndarray
    depth: np.ndarray
    sweeps: np.ndarray
    tolerance: float

    def __str__(self) -> str:
        size = max(self.unsolved.size, 1)
        return (
            f"{int(self.unsolved.sum())} steps of {int((self.unsolved > 0).sum())} of {size} "
            f"rollouts have residuals above {self.tolerance:.3g}, the worst "
            f"{np.max(self.worst, initial=0.0):.3g}: take more sweeps= or shorter steps"
        )


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
        configuration: Of the model, with the limits of its joints; None if they do not matter.
        residuals: How well `TimeStepping` has solved the contacts; None of other methods.

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
    configuration: Configuration | None = None
    residuals: Residuals | None = None

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

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences on joints beyond their limits at stored times, and on unsolved steps."""
        found = []
        if self.configuration is not None:
            found.append(passed_limits(self.configuration, self.t, to_numpy(self.q)))
        if self.residuals is not None and self.residuals.unsolved.any():
            found.append(str(self.residuals))
        return tuple(text for text in found if text)

    def __repr__(self) -> str:
        return f"Rollouts({self.name}, batch {self.batch}, {len(self.t)} times, {self.status})"

    def __str__(self) -> str:
        taken = f"{self.num_steps} steps of {self.step:.6g} s"
        lines = [
            f"{self.name}, {self.method}: {self.status}",
            f"  batch {self.batch}, {taken}, {self.steps_per_second:.3g} steps a second",
            *(f"  {text}" for text in self.warnings),
        ]
        return "\n".join(lines)
