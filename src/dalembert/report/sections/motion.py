"""A simulation: the motion drawn and moving, its coordinates, its account of energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.report.about import Subject
from dalembert.report.content import Block, Section, Text
from dalembert.report.figures.drawing import moving
from dalembert.report.figures.plot import curves
from dalembert.simulation import Trajectory

if TYPE_CHECKING:
    from dalembert.types import Array

MAX_CURVES = 8
# how many times its own size a thing may go before it is out of the picture
FAR = 2.0
FINER = 8
"""Points of a path from one frame to the next."""


def simulation(subject: Subject) -> Section:
    """Return the motion without actuation."""
    motion = subject.motion
    manner = "from rest " if subject.is_from_rest else ""
    words = (
        f"Released {manner}without actuation, {motion.t[-1]:.3g} s: {motion.status}. "
        f"Method: {motion.method.partition('(')[0]}. "
        f"The account of energy closes to {motion.energy_error:.1e} J."
    )
    blocks: list[Block] = [Text(words)]
    blocks.append(_drawn(subject))
    names = [str(x) for x in subject.model.symbols.q]
    columns = dict(zip(names[:MAX_CURVES], motion.q.T, strict=False))
    caption = "Coordinates over time"
    if len(names) > MAX_CURVES:
        caption += f"; the first {MAX_CURVES} of {len(names)}, Trajectory.q has all"
    blocks.append(curves(motion.t, columns, "q in rad or m", caption))
    blocks.append(_energy(motion))
    return Section("Simulation", blocks)


def _drawn(subject: Subject) -> Block:
    """Return the animation, until what falls has left the picture."""
    skeleton, motion = subject.moving, subject.motion
    start = skeleton.points[0]
    size = max(float(np.ptp(start, axis=0).max()), 1.0)
    far = np.abs(skeleton.points - start.mean(axis=0)).max(axis=(1, 2)) > FAR * size
    end = max(int(np.argmax(far)) if far.any() else len(far), 2)
    caption = f"The motion of {subject.title}, with the path of its last point"
    if end < len(far):
        caption += f", until t = {motion.t[end - 1]:.2f} s, when it has left the picture"
    cut = skeleton._replace(points=skeleton.points[:end])
    return moving(cut, motion.t[:end], _path(subject, end), caption)


def _path(subject: Subject, end: int) -> Array:
    """Return the path of the last point until a frame, ``(K, 3)``, finer than the frames."""
    t = subject.motion.t
    fine = subject.motion.resample(np.linspace(t[0], t[end - 1], (end - 1) * FINER + 1))
    drawn = subject.skeleton(fine.q, fine.t)
    return drawn.points[:, drawn.tip]


def _energy(motion: Trajectory) -> Block:
    energy = motion.energy
    series = {"T + V": energy.total}
    if energy.kinetic is not None and energy.potential is not None:
        series |= {"T": energy.kinetic, "V": energy.potential}
    for name, values in (("work", energy.work), ("dissipated", energy.dissipated)):
        if np.abs(values).max() > 0:
            series[name] = values
    return curves(motion.t, series, "energy in J", "Account of energy over time")
