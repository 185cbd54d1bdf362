"""Watches how fast a simulation gets on, and says so when it no longer does."""

from __future__ import annotations

from dalembert.errors import EvaluationError

STEPS_BETWEEN_LOOKS = 1000
MANY = 2e7
"""A run that needs so many more steps, half an hour or more, is stopped with a reason."""


class Pace:
    """Counts the steps of a run to its end."""

    def __init__(self, t: float, end: float) -> None:
        self.t, self.end, self.count = t, end, 0

    def look(self, t: float) -> None:
        """Take note of a step that ended at t.

        Raises:
            EvaluationError: at the length of the last steps the end is out of reach.
        """
        self.count += 1
        if self.count % STEPS_BETWEEN_LOOKS:
            return
        length, self.t = abs(t - self.t) / STEPS_BETWEEN_LOOKS, t
        if abs(self.end - t) <= MANY * length:
            return
        raise EvaluationError(
            f"expected steps that come to the end, got {STEPS_BETWEEN_LOOKS} of {length:.2g} s: "
            f"{abs(self.end - t):.3g} s are left. The motion is stiff (try Radau), or a force "
            "switches to and fro (write dry friction as DryFriction, a surface as Contact, a "
            "relay with a narrow transition), or the tolerances are below its rounding"
        )
