"""Controllers on a computer: asked at a fixed rate, their answers held in between."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.model.border import all_of_kind, finite_array
from dalembert.simulation.problem.callbacks import call_for_numbers
from dalembert.simulation.problem.first_order import FirstOrder
from dalembert.simulation.sensors import Moments, Sensor, rounded

if TYPE_CHECKING:
    from dalembert.types import ArrayLike


MAX_SAMPLES = 10_000_000
"""Of one simulation: a step ends at each, which costs about 100 bytes before the first is taken."""


@dataclass(frozen=True)
class Sampled:
    """A controller that samples the state at a fixed rate and holds its forces in between.

    At the start of the motion, and then every ``period``, ``law`` is called once, in the order of
    time: so it may remember what it saw, as filters and observers do. It sees what encoders see,
    positions and velocities rounded to whole quanta.

    Args:
        law: A function of (t, q, qd), or with sensors of t and their readings, that returns one
            force for each input (N or N m).
        period: Seconds from sample to sample.
        delay: Seconds from a sample to the moment at which its forces act; zeros act before.
        position_quantum: Resolution of positions (rad or m), one or one for each entry of q; 0
            leaves them as they are.
        velocity_quantum: The same for velocities (rad/s or m/s).
        force_quantum: The same for the forces that act (N m or N).
        sensors: `Encoder`, `IMU`, `ForceSensor`: what the law sees in the place of q and qd, an
            array for each. Accelerations and forces are those just before the sample acts.
        into: A `FirstOrder` between the law and the forces, as motors with currents: the law then
            returns its commands, which are held.

    Raises:
        EvaluationError: a number is negative or not finite, or the period is zero.

    >>> import dalembert as da
    >>> (x,), (u,) = da.coordinates("x"), da.inputs("u")
    >>> cart = da.compile(da.System(kinetic=x.dot**2 / 2, forces=[u], coordinates=[x]))
    >>> law = da.simulation.Sampled(lambda t, q, qd: -q, period=1.0)
    >>> motion = da.simulate(cart, [1.0], [0.0], 3.0, law)
    >>> motion["x"][-1].item()
    -1.875
    """

    law: Callable[..., ArrayLike]
    period: float
    delay: float = 0.0
    position_quantum: float | tuple[float, ...] = 0.0
    velocity_quantum: float | tuple[float, ...] = 0.0
    force_quantum: float | tuple[float, ...] = 0.0
    sensors: tuple[Sensor, ...] = ()
    into: FirstOrder | None = None

    def __post_init__(self) -> None:
        if not callable(self.law):
            raise EvaluationError(
                f"expected a function of (t, q, qd) to sample, got {self.law!r:.60}"
            )
        for name in ("period", "delay", "position_quantum", "velocity_quantum", "force_quantum"):
            shape = () if name in ("period", "delay") else None
            value = finite_array(getattr(self, name), f"{name}= of Sampled", shape)
            if not (value >= 0).all():
                raise EvaluationError(f"expected {name} from 0 of a sampled law, got {value}")
        all_of_kind(self.sensors, Sensor, "sensors=", "Encoder, IMU or ForceSensor")
        if self.period == 0:
            raise EvaluationError("expected a positive period of a sampled law, got 0")


class Held:
    """The forces of a `Sampled` law during one simulation.

    Attributes:
        now: The forces that act, an array that changes in place.
        breaks: The times at which something happens: samples, and moments at which forces change.
    """

    def __init__(self, sampled: Sampled, num_inputs: int, start: float, end: float) -> None:
        if end < start:
            raise EvaluationError(
                "expected times that increase for a sampled law, got others: it has no way back"
            )
        self.sampled, self.now = sampled, np.zeros(num_inputs)
        if (end - start) / sampled.period > MAX_SAMPLES:
            raise EvaluationError(
                f"expected at most {MAX_SAMPLES:,} samples in a simulation, got a period of "
                f"{sampled.period:.3g} s in {end - start:.3g} s: sample more slowly, or give the "
                "law itself"
            )
        count = math.floor((end - start) / sampled.period) + 1
        samples = start + sampled.period * np.arange(count)
        self._samples = deque(samples[samples <= end].tolist())
        self._waiting: deque[tuple[float, np.ndarray]] = deque()
        self.breaks = np.union1d(samples, samples + sampled.delay)
        # when which forces began to act
        self._times, self._values = [-math.inf], [self.now.copy()]

    def reach(self, t: float, q: np.ndarray, v: np.ndarray, look: Callable[[], Moments]) -> bool:
        """Sample and let forces act that are due at t; tell whether anything was.

        ``look`` gives what sensors need.
        """
        is_due = False
        if self._samples and self._samples[0] == t:
            when = self._samples.popleft()
            self._waiting.append((when + self.sampled.delay, self._answer(t, q, v, look)))
            is_due = True
        while self._waiting and self._waiting[0][0] <= t:
            self.now[:] = self._waiting.popleft()[1]
            self._times.append(t)
            self._values.append(self.now.copy())
            is_due = True
        return is_due

    def at(self, t: float, q: np.ndarray, v: np.ndarray, state: np.ndarray | None) -> np.ndarray:
        """Return the forces that act at a time so far; the state has no say in them."""
        return self.commanded(t)

    def commanded(self, t: float) -> np.ndarray:
        """Return what the law has answered for a time so far."""
        return self._values[bisect_right(self._times, t) - 1]

    def history(self, t: np.ndarray) -> np.ndarray:
        """Return the forces at stored times; of two rows of one time the first is before it."""
        behind = np.searchsorted(self._times, t, side="right") - 1
        before = np.searchsorted(self._times, t, side="left") - 1
        is_first = np.append(t[1:] == t[:-1], False)
        return np.array(self._values)[np.where(is_first, before, behind)]

    def _answer(
        self, t: float, q: np.ndarray, v: np.ndarray, look: Callable[[], Moments]
    ) -> np.ndarray:
        law, what = self.sampled, "the sampled law"
        seen = [rounded(q, law.position_quantum), rounded(v, law.velocity_quantum)]
        if law.sensors:
            at = look()
            seen = [sensor.read(at) for sensor in law.sensors]
        found = call_for_numbers(law.law, what, self.now.shape, t, *seen)
        return rounded(found, law.force_quantum)
