"""A motion between its stored times."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from dalembert.simulation import Trajectory
    from dalembert.types import Array

PUSHES = 1e-9
"""Of the largest force of a contact in the motion: below it, it does not push."""


class Sample(NamedTuple):
    """A motion at a time: q ``(nq,)``, q̇ and q̈ ``(nv,)``, inputs, multipliers of the model.

    ``contacts`` are the names of those that push.
    """

    q: Array
    qd: Array
    u: Array
    qdd: Array
    lam: Array
    contacts: tuple[str, ...]


def sample(motion: Trajectory, t: float) -> Sample:
    """Return a motion at a time, straight between the stored ones."""
    k = int(np.clip(np.searchsorted(motion.t, t, side="right") - 1, 0, max(len(motion) - 2, 0)))
    n = min(k + 1, len(motion) - 1)
    span = motion.t[n] - motion.t[k]
    s = float(np.clip((t - motion.t[k]) / span, 0, 1)) if span > 0 else 0.0

    def between(x: Array) -> Array:
        return x[k] + s * (x[n] - x[k])

    q = between(motion.q)
    if motion.model is not None:
        q = motion.model.configuration.normalized(q)
    lam, names = between(motion.lam), contact_names(motion)
    own = len(lam) - len(names)
    least = PUSHES * np.abs(motion.lam[:, own:]).max(axis=0, initial=0.0)
    pairs = zip(names, lam[own:], least, strict=True)
    contacts = tuple(name for name, force, small in pairs if abs(force) > small)
    return Sample(
        q, between(motion.qd), between(motion.tau), between(motion.qdd), lam[:own], contacts
    )


def contact_names(motion: Trajectory) -> tuple[str, ...]:
    """Return the names of the contacts of a motion: its constraints that the model has not."""
    if motion.model is None:
        return ()
    return motion.constraint_names[len(motion.model.description.constraint_names) :]
