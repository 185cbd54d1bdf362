"""A simulation: the motion drawn and moving, its coordinates, its account of energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.report.about import Subject
from dalembert.report.content import Animation, Block, Section, Text
from dalembert.report.figures.plot import curves
from dalembert.simulation import Trajectory

if TYPE_CHECKING:
    from dalembert.types import Array

MAX_CURVES = 8
# how many times its own size a thing may go before it is out of the picture
FAR = 2.0


def simulation(subject: Subject) -> Section:
    """Return the motion without actuation."""
    motion = subject.motion
    manner = "from rest " if subject.is_from_rest else ""
    words = (
        f"Released {manner}without actuation, {motion.t[-1]:.3g} s: {motion.status}. "
        f"Method: {motion.method.partition('(')[0]}. "
        f"The account of energy closes to {motion.energy_error:.1e} J."
    )
    blocks: list[Block] = [Text(words), *(Text(f"Note: {text}.") for text in motion.warnings)]
    blocks.append(_drawn(subject))
    blocks.append(_coordinates(subject))
    blocks.append(_energy(motion))
    return Section("Simulation", blocks)


def _drawn(subject: Subject) -> Block:
    """Return the animation, until what falls has left the picture."""
    shown, t = subject.moving, subject.motion.t
    start = shown.shown[0]
    size = max(float(np.ptp(start, axis=0).max()), 1.0)
    far = np.abs(shown.shown - start.mean(axis=0)).max(axis=(1, 2)) > FAR * size
    end = max(int(np.argmax(far)) if far.any() else len(far), 2)
    caption = f"The motion of {subject.title}, with the path of its last point"
    if end < len(far):
        caption += f", until t = {t[end - 1]:.2f} s, when it has left the picture"
    return Animation(shown.cut(0, end), caption, subject.tip)


def _coordinates(subject: Subject) -> Block:
    """Return the coordinates over time, lengths apart from angles."""
    motion = subject.motion
    names = [str(x) for x in subject.model.symbols.q]
    panels: dict[str, dict[str, Array]] = {}
    for k, name in enumerate(names[:MAX_CURVES]):
        unit = subject.units[k]
        panels.setdefault(f"q in {unit}" if unit else "q", {})[name] = motion.q[:, k]
    caption = "Coordinates over time"
    if len(names) > MAX_CURVES:
        caption += f"; the first {MAX_CURVES} of {len(names)}, Trajectory.q has all"
    return curves(motion.t, panels, caption)


def _energy(motion: Trajectory) -> Block:
    energy = motion.energy
    series = {"T + V": energy.total}
    if energy.kinetic is not None and energy.potential is not None:
        series |= {"T": energy.kinetic, "V": energy.potential}
    for name, values in (("work", energy.work), ("dissipated", energy.dissipated)):
        if np.abs(values).max() > 0:
            series[name] = values
    return curves(motion.t, {"energy in J": series}, "Energy balance over time")
