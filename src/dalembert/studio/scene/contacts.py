"""Forces of contacts in a motion, as arrows where they act.

A motion knows its contacts by name and the accelerations that they cause. What the other forces do
not explain, Q = M q̈ + C q̇ + N - Υ - Aᵀλ, is the force of the contacts that push now; with one for
each place p, Q = Σ Jₚᵀ fₚ gives the forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.studio.scene.arrows import force_arrows
from dalembert.studio.scene.figure import Figure

if TYPE_CHECKING:
    import viser

    from dalembert.studio.state import Moment
    from dalembert.types import Array

CUT = 1e-9
EXPLAINED = 1e-6
"""Of the force: what may remain unexplained, by rounding and between stored times."""

ELSEWHERE = (
    "Forces of contacts are not drawn: some act where no link, frame or point has their name, or "
    "they are dry friction in a joint."
)
NOT_UNIQUE = "The motion does not determine the forces of all contacts; the smallest are drawn."


class ContactArrows:
    """Arrows at the places of a figure that touch something.

    Attributes:
        is_shown: Whether they are switched on.
        said: A sentence where the forces are not unique, or not known.
    """

    def __init__(self, scene: viser.SceneApi, figure: Figure) -> None:
        self.figure, self.is_shown, self.said = figure, True, ""
        self._largest = 0.0
        self._arrows = force_arrows(scene, "/contacts", (40, 160, 60), figure.size)

    def show(self, moment: Moment) -> None:
        """Draw the forces of this moment, the largest one so far a third of the figure long."""
        touching = [name for name in moment.contacts if name in self.figure.names]
        if not (self.is_shown and touching):
            self._arrows.visible, self.said = False, ""
            return
        places, forces, self.said = contact_forces(self.figure, moment, touching)
        if self.said == ELSEWHERE:
            self._arrows.visible = False
            return
        self._largest = max(self._largest, float(np.linalg.norm(forces, axis=-1).max()), 1e-12)
        ends = places + forces * (self.figure.size / 3 / self._largest)
        self._arrows.points = np.stack([places, ends], axis=1).astype(np.float32)
        self._arrows.visible = True


def contact_forces(
    figure: Figure, moment: Moment, names: Sequence[str]
) -> tuple[Array, Array, str]:
    """Return places and forces, ``(n, 3)`` each in m and N, and a sentence on what is not known."""
    places, jacobians = zip(*(figure.place(name, moment) for name in names), strict=True)
    # Q = Jᵀ f with one J above the other
    J = np.vstack(jacobians)
    forces, _, rank, _ = np.linalg.lstsq(J.T, moment.others, rcond=CUT)
    rest = np.abs(J.T @ forces - moment.others).max(initial=0.0)
    said = ""
    if rest > EXPLAINED * max(float(np.abs(moment.others).max()), 1.0):
        said = ELSEWHERE
    # alone each place may have directions in which nothing moves; together no further ones
    elif rank < sum(np.linalg.matrix_rank(x, tol=CUT) for x in jacobians):
        said = NOT_UNIQUE
    return np.array(places), forces.reshape(-1, 3), said
