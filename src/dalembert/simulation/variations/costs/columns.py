"""The gradient of a cost over a motion, by changes beside it: stable where it is stiff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.simulation.problem.start import Times
from dalembert.simulation.variations.integration import Integration

if TYPE_CHECKING:
    from dalembert.simulation.methods.dop853 import DOP853
    from dalembert.simulation.methods.radau import Radau
    from dalembert.simulation.variations.costs.adjoint import Costs
    from dalembert.simulation.variations.passing.way import Leg


def gradient_by_columns(
    legs: Sequence[Leg], costs: Costs, method: DOP853 | Radau
) -> tuple[float, np.ndarray]:
    """Return J, and its derivatives by changes of the start and by parameters."""
    start, end = legs[0].t, legs[-1].end
    span = Times(np.array([start, end]) if end != start else np.array([start]), False)
    integration = Integration(legs, method, span, running=costs.running)
    *_, (t, x, S) = integration.states()
    by = costs.at_end(t, x, legs[-1].passage)
    n = len(S)
    through = by[:n] @ S
    through[n:] += by[n:]
    # the running cost, and the times of events that it changes at
    total, own = integration.cost
    for seen, after in zip(integration.seen, legs[1:], strict=False):
        step = costs.step_at(seen.passage, seen.x, after.x)
        own = own + step[:n] @ seen.S
        own[n:] += step[n:]
    return total + costs.final.at(t, x).value, through + own
