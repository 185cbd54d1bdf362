"""The gradient of a cost over a motion, by changes beside it: stable where it is stiff."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.simulation.problem.start import Times
from dalembert.simulation.variations.changes import Changes
from dalembert.simulation.variations.many_steps import WithChanges

if TYPE_CHECKING:
    from dalembert.simulation.methods.flow import FlowMethod
    from dalembert.simulation.variations.costs.adjoint import Costs
    from dalembert.simulation.variations.passing.way import Way


def gradient_by_columns(
    way: Way, costs: Costs, method: FlowMethod, times: np.ndarray, x: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return J, and its derivatives by changes of the start and by parameters."""
    motion = Changes(way.setting, way.variation, method.rtol, running=costs.running)
    run = way.run(motion, WithChanges(method), Times(times, False), x)
    t, y = run.last
    x, S = motion.split(y)
    last = motion.passed[-1] if motion.passed and motion.passed[-1].is_terminal else None
    if last is not None:
        x, S = last.x, last.S
    by, n = costs.at_end(t, x, None if last is None else last.passage), len(S)
    through = by[:n] @ S
    through[n:] += by[n:]
    # the running cost, and the times of events that it changes at
    total, own = float(motion.costs(y)[0]), motion.costs(y)[1:]
    for each in motion.passed:
        if not each.is_terminal:
            step = costs.step_at(each.passage, each.x, each.after)
            own = own + step[:n] @ each.S
            own[n:] += step[n:]
    return total + costs.final.at(t, x).value, through + own
