"""Stiff motion by evidence: a trial step of the implicit method, for less work than explicit ones.

Damping that is fast beside the motion keeps the steps of an explicit method short, however smooth
the motion is. An implicit method may then be better, and that is tried: one step of it, as long as
many explicit ones, from the same state. Eigenvalues are not asked: each saddle has a negative one.
Work is counted and not timed, so that the same input gives the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import as_expr
from dalembert.simulation.methods.radau import Radau, attempted_step, expected_work

if TYPE_CHECKING:
    from dalembert.simulation.methods.base import Stepper
    from dalembert.simulation.problem.problem import Problem

MIN_EXPLICIT_STEPS = 20
"""The implicit step of a trial is as long as at least so many explicit ones."""

MIN_GAIN = 2.0
"""Explicit steps take at least so many times the work of the implicit one that replaces them."""

MAX_DISTANCE = 10.0
"""Of both ends of a trial, in tolerances of the implicit method."""

KEEP_GAIN = 1.5
"""A gain below this, once measured, does not keep the implicit method."""

MEASURED_STEPS = 100
"""Implicit steps after which the gain is measured."""

MAX_TRIAL_STEPS = 20_000
"""Explicit steps of a trial."""


class Trial(NamedTuple):
    """An implicit step beside explicit ones to the same time.

    Args:
        method: The implicit one.
        length: Of the implicit step, in seconds.
        num_steps: Explicit steps on the way.
        distance: Of both ends, in tolerances of the implicit method.
        gain: Work of the explicit steps over that of the implicit one.
        speed: Seconds of motion for a unit of work of the explicit method.
    """

    method: Radau
    length: float
    num_steps: int
    distance: float
    gain: float
    speed: float

    def __str__(self) -> str:
        return (
            f"stiff, damping keeps explicit steps at {self.length / self.num_steps:.2g} s; an "
            f"implicit step of {self.length:.2g} s ended within {self.distance:.2g} tolerances of "
            f"where {self.num_steps} of them did, for {self.gain:.2g} times less work"
        )


def dissipates(problem: Problem) -> bool:
    """Tell whether a motion can be stiff: whether anything may take energy out of it.

    Without velocities in the forces, but for those of inertia, phase volume is kept: what decays in
    one direction grows in another.
    """
    forcing, modes = problem.forcing, problem.modes
    if forcing.state.size or problem.pulls:
        return True
    if forcing.law is None and forcing.constant is None:
        return True
    velocities = set(problem.model.symbols.qd)
    if any(velocities.intersection(as_expr(force).symbols) for force in forcing.law or ()):
        return True
    if modes is not None and any(
        row.push is not None or row.kinetic != 0 for row in modes.contacts.rows
    ):
        return True
    return problem.has_dissipation


def implicit_trial(
    problem: Problem,
    stepper: Stepper,
    t: float,
    x: np.ndarray,
    target: float,
    end: float,
    largest: np.ndarray,
) -> Trial | None:
    """Return what an implicit step gained from a state; None if it is not worth a change.

    Args:
        problem: What moves.
        stepper: Takes explicit steps; it is left alone.
        t: The time in seconds.
        x: The state.
        target: Where the next step has to end: a trial does not pass it.
        end: Of the whole motion.
        largest: The largest entries that x had so far.
    """
    method = Radau()
    probe = stepper.aside()
    probe.reset(t, x)
    before, count = probe.work, 0
    wanted = MIN_GAIN * expected_work(problem, x.size)
    try:
        while count < MIN_EXPLICIT_STEPS or probe.work - before < wanted:
            steps = probe.several(target)
            if steps is None:
                probe.step(target)
            count += 1 if steps is None else len(steps.series)
            if probe.t == target or count > MAX_TRIAL_STEPS:
                return None
        found = attempted_step(problem, method, t, x, probe.t, end, largest)
    except EvaluationError:
        # what stops the motion is said when it comes there
        return None
    if found is None:
        return None
    distance = float((np.abs(found.x - probe.x) / found.allowed).max())
    explicit = probe.work - before
    gain, length = explicit / found.work, abs(probe.t - t)
    if not (distance <= MAX_DISTANCE and gain >= MIN_GAIN):
        return None
    return Trial(method, length, count, distance, gain, length / explicit)


class Handover:
    """The implicit method on probation: its gain is measured after some steps.

    Args:
        trial: What spoke for it.
        t: When it began, in seconds.
        stepper: Its own.
    """

    def __init__(self, trial: Trial, t: float, stepper: Stepper) -> None:
        self.trial, self.t, self._before, self._steps = trial, t, stepper.work, 0

    def measured_gain(self, t: float, stepper: Stepper) -> float | None:
        """Return by how much less work a second of motion takes since then; None while unknown."""
        self._steps += 1
        if self._steps < MEASURED_STEPS:
            return None
        return abs(t - self.t) / (stepper.work - self._before) / self.trial.speed
