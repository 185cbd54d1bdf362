"""A shadow beside what is shown: another motion, or another robot or system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.studio.motion import closed
from dalembert.studio.sample import sample

if TYPE_CHECKING:
    import viser

    from dalembert.model import Model
    from dalembert.simulation import Trajectory
    from dalembert.studio.shown import Shown
    from dalembert.studio.state import Moment, State
    from dalembert.types import Array


def add_ghost(scene: viser.SceneApi, state: State, other: Shown, motion: Trajectory | None) -> None:
    """Draw a shadow that follows: at the same time of its motion, or in the same configuration.

    Raises:
        EvaluationError: the motion has other coordinates than what is drawn.
    """
    count = other.model.nq
    if motion is not None and motion.q.shape[1] != count:
        raise EvaluationError(
            f"expected a motion of {count} coordinates for the ghost, got {motion.q.shape[1]}: "
            "give the robot that moved as beside"
        )
    figure = other.figure(scene, other.model.neutral, is_ghost=True)

    def follow(moment: Moment) -> None:
        q = matched(state.model, other.model, moment.q)
        if motion is not None:
            q = sample(motion, moment.t).q
        figure.show(moment._replace(q=q, qd=np.zeros(other.model.nv)))

    state.draw(follow)


def matched(model: Model, other: Model, q: Array) -> Array:
    """Return a configuration of another model: coordinates of the same names are where they are.

    Loops of the other model are closed from there, if they can be.
    """
    places = {name: k for k, name in enumerate(model.configuration.q_names)}
    found = np.array(other.neutral, float)
    for k, name in enumerate(other.configuration.q_names):
        if name in places:
            found[k] = q[places[name]]
    found = other.configuration.normalized(found)
    near = closed(other, found)
    return found if near is None else near
