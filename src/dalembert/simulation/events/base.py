"""What an event is to a simulation: something that looks at every step and may interrupt it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from dalembert.simulation.methods.base import Problem, Step


class Occurrence(NamedTuple):
    """An event that took place.

    ``x`` is the state (q, q̇) at the time ``t``, as the motion arrived there; ``after`` the state
    to go on from where the event changes it (an impact), else None. The simulation ends at a
    terminal event.
    """

    t: float
    x: np.ndarray
    name: str
    after: np.ndarray | None = None
    is_terminal: bool = False


class Watcher(ABC):
    """An event during one integration."""

    @property
    def warnings(self) -> Sequence[str]:
        """Sentences for the trajectory."""
        return ()

    @abstractmethod
    def look(self, t: float, x: np.ndarray, step: Step) -> Occurrence | None:
        """Return what took place first in the step that went from (t, x) to ``step``, if anything.

        ``x`` and ``step.x`` are states (q, q̇). The simulation takes the step again up to the time
        of the occurrence, so that its state has the accuracy of the method and ``Occurrence.x`` is
        an estimate; ``after`` is asked for again through `changed`.
        """

    def landing(self, t: float, x: np.ndarray) -> float:
        """Return the time of the occurrence as seen from the state ``x`` that the motion has at t.

        The simulation lands there instead; t itself if it is right.
        """
        return t

    def changed(self, t: float, x: np.ndarray, occurrence: Occurrence) -> np.ndarray | None:
        """Return the state after the occurrence from the exact state ``x`` before it."""
        return occurrence.after

    def work(self, occurrence: Occurrence) -> float:
        """Return the work that came in with the change of state, as that of a moving surface."""
        return 0.0

    def description(self, occurrence: Occurrence) -> str:
        """Return what an occurrence is called in the trajectory, once it has taken place."""
        return occurrence.name


class Event(ABC):
    """Something to look for; members are frozen dataclasses."""

    @abstractmethod
    def start(self, problem: Problem, t: float, x: np.ndarray) -> Watcher:
        """Begin to watch an integration at a state."""
