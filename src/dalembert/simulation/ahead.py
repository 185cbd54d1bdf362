"""The events in one step or in several at once, as far as the first that changes the motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dalembert.simulation.events.base import Found

if TYPE_CHECKING:
    import numpy as np

    from dalembert.simulation.events.base import Watcher
    from dalembert.simulation.methods.base import Several, Step


class Ahead(NamedTuple):
    """How far a motion goes on undisturbed.

    Args:
        num_steps: Steps that it takes in full.
        passed: Events on the way, which leave it as it is.
        cut: The event that ends the next step, if any.
    """

    num_steps: int
    passed: Sequence[Found]
    cut: Found | None = None

    def as_far_as(self, num_steps: int) -> Ahead:
        """Return the part with fewer steps."""
        return Ahead(num_steps, [each for each in self.passed if each.step < num_steps])


def look_at_step(
    watchers: Sequence[Watcher], t0: float, x0: np.ndarray, step: Step, size: int
) -> Ahead:
    """Return what takes place in a step from (t0, x0); see `look_ahead`."""
    if not watchers:
        return Ahead(1, ())
    state = step._replace(x=step.x[:size], dense=lambda t: step.dense(t)[:size])
    seen = [
        Found(watcher, occurrence, 0, step.x)
        for watcher in watchers
        for occurrence in watcher.look(t0, x0[:size], state)
    ]
    return _in_order(seen, t0, 1)


def look_ahead(watchers: Sequence[Watcher], steps: Several, size: int) -> Ahead:
    """Return what takes place in several steps; watchers see the first ``size`` entries of x."""
    most, seen = len(steps.series), list[Found]()
    for watcher in watchers:
        # others need not look any further
        found, most = watcher.look_far(steps, most, size)
        seen += found
    return _in_order(seen, float(steps.t[0]), most)


def _in_order(seen: list[Found], start: float, num_steps: int) -> Ahead:
    seen.sort(key=lambda each: (each.step, abs(each.occurrence.t - start)))
    for k, each in enumerate(seen):
        if not each.occurrence.is_passive:
            passed = [e for e in seen[:k] if not each.occurrence.hides(e.occurrence)]
            return Ahead(each.step, passed, each)
    return Ahead(num_steps, seen).as_far_as(num_steps)
