"""Events: what looks at every step of a simulation and may interrupt it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from dalembert.simulation.methods.base import Several, Step
    from dalembert.simulation.problem.problem import Problem

CROWD = 30
"""So many occurrences without a pause are taken for infinitely many."""

PAUSE = 1e-9
"""A pause, as a part of the longest one so far: shorter ones let occurrences pile up."""


SAME = 4
"""Events nearer to each other than so many last places of the time are at the same time."""


class Occurrence(NamedTuple):
    """An event that took place in a step, at the time ``t``.

    A terminal one ends the simulation, and if it has ``failed``, what was asked for is not there. A
    passive one only takes note: the step goes on past it.
    """

    t: float
    name: str
    is_terminal: bool = False
    is_passive: bool = False
    has_failed: bool = False

    def hides(self, other: Occurrence) -> bool:
        """Tell whether another one at the same time is only seen from the state after this one.

        What an impact turns back at zero has not crossed it; what has is found right after it.
        """
        if self.is_passive or self.is_terminal:
            return False
        return other.is_passive and abs(other.t - self.t) <= SAME * math.ulp(self.t)


class Found(NamedTuple):
    """An occurrence, who saw it, and in several steps the number of the step and the state there.

    The state is whole, with the entries behind (q, q̇).
    """

    watcher: Watcher
    occurrence: Occurrence
    step: int
    x: np.ndarray


class ModeChange(NamedTuple):
    """What ended a mode of contacts and dry frictions, arrays with an entry for each of them.

    ``trigger`` is the row whose mode ended, None where a motion begins with an impact. An impact
    has the names of the contacts that were ``hit``, and ``impulses`` by restitutions ``rebounds``.
    """

    trigger: int | None
    hit: Sequence[str] = ()
    impulses: np.ndarray | None = None
    rebounds: np.ndarray | None = None


class Effect(NamedTuple):
    """What an occurrence does: its name in the trajectory, the state after it, the work done.

    ``after`` is None where the state (q, q̇) stays as it is; ``work`` in joules came in with the
    change, as from a moving surface. ``modes`` tells what contacts and dry frictions did.
    """

    name: str
    after: np.ndarray | None = None
    work: float = 0.0
    modes: ModeChange | None = None


class Watcher(ABC):
    """An event during one integration.

    Attributes:
        sees_far: Whether it can look at several steps at once.
    """

    sees_far: bool = False

    @property
    def warnings(self) -> Sequence[str]:
        """Sentences for the trajectory."""
        return ()

    @abstractmethod
    def look(self, t: float, x: np.ndarray, step: Step) -> Sequence[Occurrence]:
        """Return what took place in the step that went from (t, x) to ``step``, in order.

        It reaches as far as the first occurrence that is not passive. ``x`` and ``step.x`` are
        states (q, q̇). The simulation then takes the step again up to the time of the occurrence,
        so that the state there has the accuracy of the method.
        """

    @abstractmethod
    def look_far(self, steps: Several, most: int, size: int) -> tuple[Sequence[Found], int]:
        """Return what takes place in the first ``most`` steps, and how many were looked at.

        It reaches as far as the first occurrence that is not passive; at least one step is looked
        at. States (q, q̇) are the first ``size`` entries. The motion may never come to the later
        steps: what fails there is no error yet.
        """

    @abstractmethod
    def go_to(self, step: int) -> None:
        """Take note that of the steps looked at, those before a number were taken and this one was
        begun.
        """

    def landing(self, t: float, x: np.ndarray) -> float:
        """Return the time of the occurrence as seen from the state ``x`` that the motion has at t.

        The simulation lands there instead; t itself if it is right.
        """
        return t

    def effect(self, t: float, x: np.ndarray, occurrence: Occurrence) -> Effect:
        """Return what the occurrence does to the state ``x`` at which the motion arrived."""
        return Effect(occurrence.name)


class Turn(NamedTuple):
    """An event that took place in a run: when, at which state, who saw it, what it did.

    ``x`` is the whole state on arrival, extra entries included. ``before`` and ``modes`` are those
    of contacts and dry frictions before and after it, None where there are none.
    """

    t: float
    x: np.ndarray
    watcher: Watcher
    effect: Effect
    before: np.ndarray | None
    modes: np.ndarray | None
    is_terminal: bool = False


class Event(ABC):
    """Something to look for; members are frozen dataclasses."""

    @abstractmethod
    def start(self, problem: Problem, t: float, x: np.ndarray) -> Watcher:
        """Begin to watch an integration at a state."""


class Crowd:
    """Counts occurrences that follow each other without a pause."""

    def __init__(self, t: float) -> None:
        self.last, self.count, self.longest = t, 0, 0.0
        # the last occurrence, if there was one
        self.last_event: float | None = None

    def count_at(self, t: float) -> int:
        """Return the count that an occurrence at t would make."""
        is_near = abs(t - self.last) <= max(PAUSE * self.longest, 64 * math.ulp(t))
        return self.count + 1 if is_near else 0

    def add(self, t: float) -> int:
        """Count an occurrence at t."""
        self.count, self.longest = self.count_at(t), max(self.longest, abs(t - self.last))
        self.last = self.last_event = t
        return self.count
