"""The events in several steps at once, as far as the first that changes the motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from dalembert.simulation.events.base import Occurrence, Watcher
    from dalembert.simulation.methods.base import Several


class Seen(NamedTuple):
    """An occurrence, the watcher that saw it, the number of the step, and the whole state there."""

    watcher: Watcher
    occurrence: Occurrence
    step: int
    x: np.ndarray


class Ahead(NamedTuple):
    """How far a motion goes on undisturbed.

    Args:
        num_steps: Steps that it takes in full.
        passed: Events on the way, which leave it as it is.
        cut: The event that ends the next step, if any.
    """

    num_steps: int
    passed: Sequence[Seen]
    cut: Seen | None = None

    def as_far_as(self, num_steps: int) -> Ahead:
        """Return the part with fewer steps."""
        return Ahead(num_steps, [each for each in self.passed if each.step < num_steps])


def look_ahead(watchers: Sequence[Watcher], steps: Several, size: int) -> Ahead:
    """Return what takes place in several steps; watchers see the first ``size`` entries of x."""
    most = len(steps.series)
    seen: list[Seen] = []
    for watcher in watchers:
        # others need not look any further
        found, most = watcher.look_far(steps, most, size)
        seen += [Seen(watcher, occurrence, step, x) for step, x, occurrence in found]
    if len(watchers) > 1:
        start = float(steps.t[0])
        seen.sort(key=lambda each: (each.step, abs(each.occurrence.t - start)))
    for k, each in enumerate(seen):
        if not each.occurrence.is_passive:
            passed = [e for e in seen[:k] if not each.occurrence.hides(e.occurrence)]
            return Ahead(each.step, passed, each)
    return Ahead(most, seen).as_far_as(most)
