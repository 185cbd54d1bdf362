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
    return True
