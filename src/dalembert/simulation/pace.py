"""Watches how fast a simulation gets on, and says so when it no longer does."""

from __future__ import annotations

from dalembert.errors import EvaluationError

STEPS_BETWEEN_LOOKS = 1000

SLOW_STEPS = 1e4
"""A run that needs so many more steps is looked at: another method may need fewer."""

HOPELESS_CALLS = 2e7
"""A run that needs so many more calls of the method, half an hour or more, stops with a reason.
Compiled code takes many steps in a call."""

ENDING = 0.98
"""What the second half of the steps covers of the first, where events come ever faster."""

PATIENCE = 4
"""A look that changed nothing is repeated after so many times as many steps, or when steps have
become so many times shorter."""


class Pace:
    """Counts the steps of a run to its end."""

    def __init__(self, t: float, end: float) -> None:
        self.t, self.end, self.count, self.calls = t, end, 0, 0
        # of a step, and of a call
        self.length, self.reach = 0.0, 0.0
        # whether it is time for a look: many more steps are needed
        self.is_slow = False
        # steps that an event cut short, and where half of the steps had led
        self.cuts, self.half = 0, t
        # steps since the last look and until the next, and how long a step was then
        self.since, self.wait, self.seen_length = 0, STEPS_BETWEEN_LOOKS, float("inf")

    def count_steps(self, t: float, number: int = 1, *, is_cut: bool = False) -> None:
        """Take note of one step, or several, that ended at t, the last perhaps at an event."""
        self.count, self.calls = self.count + number, self.calls + 1
        self.cuts += is_cut
        if self.count <= STEPS_BETWEEN_LOOKS // 2:
            self.half = t
        if self.count >= STEPS_BETWEEN_LOOKS:
            passed = abs(t - self.t)
            is_ending = self._is_ending(t)
            self.length, self.reach, self.t = passed / self.count, passed / self.calls, t
            self.since += self.count
            self.count, self.calls, self.cuts = 0, 0, 0
            left = abs(self.end - t)
            is_due = self.since >= self.wait or self.length * PATIENCE < self.seen_length
            is_slow = is_due and left > SLOW_STEPS * self.length
            self.is_slow = (is_slow or left > HOPELESS_CALLS * self.reach) and not is_ending

    def _is_ending(self, t: float) -> bool:
        """Tell whether events follow each other ever faster, as the bounces of a ball before it
        rests: their pace says nothing of what comes then.
        """
        first, second = abs(self.half - self.t), abs(t - self.half)
        return self.cuts > self.count // 2 and second < ENDING * first

    def check(self) -> None:
        """Refuse to go on without hope, else look again later.

        Raises:
            EvaluationError: at the length of the last steps the end is out of reach.
        """
        self.is_slow = False
        self.since, self.wait, self.seen_length = 0, PATIENCE * self.wait, self.length
        left = abs(self.end - self.t)
        if left > HOPELESS_CALLS * self.reach:
            raise EvaluationError(
                f"expected steps that come to the end, got {STEPS_BETWEEN_LOOKS} of "
                f"{self.length:.2g} s where {left:.3g} s are left: the motion is stiff (try "
                "Radau), or a force chatters (write -F sign(u) as DryFriction(u, F): the motion "
                "then slides along u = 0, by Filippov's equivalent control; a surface as Contact), "
                "or events follow each other without end, or the tolerances are below the rounding "
                "of the forces"
            )
