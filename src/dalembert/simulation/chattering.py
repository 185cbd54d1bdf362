"""Forces that jump to and fro across a surface: no step resolves them, however short."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.simulation.methods.base import Stepper

PROBES = 40
"""Steps that are looked at."""

OFTEN = 3
"""So many jumps in them are no chance."""

ROUGH = 1e-3
"""A rate that changes by less than this part of itself in a step does not jump."""

HALVINGS = 40

NUDGE = 4 * float(np.finfo(float).eps)
"""Relative change of an entry of the state in its last digits."""

ABOVE_NOISE = 100
"""A jump is so many times what the last digits of the state change."""


def chatters(
    rate: Callable[[float, np.ndarray], np.ndarray], stepper: Stepper, target: float
) -> bool:
    """Tell whether rates jump again and again in the next steps.

    Args:
        rate: Gives ẋ at a time and state.
        stepper: One of its own, which is moved on.
        target: Where the motion is to end.
    """
    count = 0
    try:
        for _ in range(PROBES):
            before = stepper.t, stepper.x
            if stepper.t == target:
                break
            step = stepper.step(target)
            count += jumps(rate, before, (step.t, step.x))
            if count == OFTEN:
                return True
    except EvaluationError:
        # what stops the motion is said when it comes there
        return False
    return False


def check_chatter(
    rate: Callable[[float, np.ndarray], np.ndarray],
    stepper: Stepper,
    target: float,
    length: float,
    left: float,
) -> None:
    """Refuse forces that chatter; arguments as those of `chatters`.

    Args:
        rate: Gives ẋ at a time and state.
        stepper: One of its own.
        target: Where its steps are to end.
        length: Of the last steps, in seconds.
        left: What is left of the motion, in seconds.

    Raises:
        EvaluationError: they do.
    """
    if chatters(rate, stepper, target):
        raise EvaluationError(
            "expected forces that a step resolves, got some that jump to and fro at every few "
            f"steps, of {length:.2g} s where {left:.3g} s are left: they chatter. Write "
            "-F sign(u) as DryFriction(u, F): the motion then slides along u = 0, by Filippov's "
            "equivalent control; a surface as Contact; or make the jump steep and smooth, as a tanh"
        )


def jumps(
    rate: Callable[[float, np.ndarray], np.ndarray],
    start: tuple[float, np.ndarray],
    end: tuple[float, np.ndarray],
) -> bool:
    """Tell whether ẋ jumps between two states: its change stays the same in ever smaller parts."""
    (t0, x0), (t1, x1) = start, end
    f0, f1 = rate(t0, x0), rate(t1, x1)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.abs(f1 - f0) / (np.abs(f0) + np.abs(f1))
    j = int(np.nan_to_num(share).argmax())
    whole = abs(f1[j] - f0[j])
    if not np.nan_to_num(share)[j] > ROUGH:
        return False
    for _ in range(HALVINGS):
        t, x = t0 + (t1 - t0) / 2, x0 + (x1 - x0) / 2
        f = rate(t, x)
        # the half in which more happens
        if abs(f[j] - f0[j]) >= abs(f1[j] - f[j]):
            t1, x1, f1 = t, x, f
        else:
            t0, x0, f0 = t, x, f
        if abs(f1[j] - f0[j]) < whole / 2:
            return False
    # where forces cancel, rates are rounding, which does not get smaller with the step either
    nudged = start[1] * (1 + NUDGE * np.eye(start[1].size))
    noise = sum(abs(rate(start[0], x)[j] - rate(*start)[j]) for x in nudged)
    return bool(whole > ABOVE_NOISE * noise)
