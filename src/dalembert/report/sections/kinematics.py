"""Singular configurations, the workspace, and the torque that holds the mechanism at rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.analysis import rest_torque, workspace
from dalembert.errors import DalembertError
from dalembert.expr import Expr
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.mechanism import Mechanism
from dalembert.report.about import Subject
from dalembert.report.content import Block, Figure, Formulas, Section, Table, Text
from dalembert.report.figures.plot import cloud
from dalembert.typeset.render.names import subscript

if TYPE_CHECKING:
    from dalembert.types import Array

SAMPLES = 1_500
MAX_EXACT = 7
"""Joints up to which singularities are looked for exactly."""

LOOPS = (
    "Left out: loops and couplings bind the joints. da.analysis.singular_search finds singular "
    "configurations; torques at rest depend on which joints are driven."
)
SLIDE = 1.0
"""How far a slider without limits goes to either side, in metres."""


def kinematics(subject: Subject) -> Section | None:
    """Return what the kinematics says; nothing for a system, which has no frames."""
    frame = subject.frame
    if frame is None:
        return None
    mechanism = subject.mechanism
    section = Section("Singularities, workspace and torque at rest")
    if mechanism.loops or mechanism.couplings:
        section.blocks.append(Text(LOOPS))
        return section
    for part in (_singularities, _workspace, _torques):
        try:
            section.blocks.extend(part(subject, mechanism, frame))
        except DalembertError as error:
            section.blocks.append(Text(f"Left out: {error}."))
    return section


def _rows(subject: Subject, frame: str, first: int = 0, last: int = 3) -> tuple[int, ...]:
    """Return the velocities, linear ones unless others are asked for, that the frame can have."""
    model = subject.model
    q = model.random_configuration(np.random.default_rng(0))
    J = model.jacobian(q, frame)
    moving = [i for i in range(first, last) if np.abs(J[i]).max() > 1e-9]
    # rows that do not depend on those before them
    rows: list[int] = []
    for i in moving:
        if np.linalg.matrix_rank(J[[*rows, i]], tol=1e-9) > len(rows):
            rows.append(i)
    return tuple(rows) or (0,)


def _bounds(subject: Subject) -> tuple[Array, Array] | None:
    """Return bounds of q where a slider has none, else None: the limits."""
    limits = subject.model.configuration
    joints = subject.model.mechanism.moving_joints
    free = np.isinf(limits.lower) | np.isinf(limits.upper)
    slides = [joint.kind.value == "prismatic" for joint in joints]
    if not limits.is_flat or not (free & np.array(slides)).any():
        return None
    reach = np.where(slides, SLIDE, np.pi)
    return np.where(free, -reach, limits.lower), np.where(free, reach, limits.upper)


def _singularities(subject: Subject, mechanism: Mechanism, frame: str) -> list[Block]:
    if mechanism.nv > MAX_EXACT:
        words = f"with {mechanism.nv} velocities; singularities(frame) gives them where they exist"
        return [Text(f"Left out: exact singularities of a mechanism {words}.")]
    rows = _rows(subject, frame, 0, 6 if mechanism.nv >= 6 else 3)
    found = mechanism.singularities(frame, rows)
    blocks: list[Block] = [Text(f"{found.title}.")]
    if found.is_square:
        blocks.append(Formulas((DerivationLine("det J", "\\det J", found.determinant),)))
    if found.factors:
        blocks.append(Text("Singular where one of these factors vanishes:"))
        blocks.append(_listed([factor.expression for factor in found.factors]))
    if found.rest:
        blocks.append(Text(f"Singular where all of these {len(found.rest)} vanish at once:"))
        blocks.append(_listed(found.rest))
    return blocks


def _listed(expressions: Sequence[Expr]) -> Formulas:
    lines = (
        DerivationLine(f"f{subscript(i)}", f"f_{{{i}}}", x) for i, x in enumerate(expressions, 1)
    )
    return Formulas(tuple(lines))


def _workspace(subject: Subject, mechanism: Mechanism, frame: str) -> list[Block]:
    rows, bounds = _rows(subject, frame), _bounds(subject)
    found = workspace(
        subject.model, frame, samples=SAMPLES, rows=rows, bounds=bounds, progress=False
    )
    axes = _two_axes(found.positions)
    names = ["xyz"[i] for i in axes]
    caption = f"{SAMPLES:,} random positions of {frame} within the joint limits, seen along "
    caption += f"{'xyz'[3 - sum(axes)]}; the colour is the manipulability"
    if bounds is not None:
        caption += f"; sliders without limits go {SLIDE:g} m to either side"
    return [cloud(found.positions[:, axes], found.values, names, "manipulability", caption)]


def _two_axes(points: Array) -> list[int]:
    """Return the two directions in which points spread most, in the order x, y, z."""
    return sorted(np.argsort(np.ptp(points, axis=0))[1:].tolist())


def _torques(subject: Subject, mechanism: Mechanism, frame: str) -> list[Block]:
    model = subject.model
    found = rest_torque(model, samples=SAMPLES, bounds=_bounds(subject), progress=False)
    rows = [
        (name, f"{torque:.4g}", "none" if not np.isfinite(effort) else f"{effort:.4g}")
        for name, torque, effort in zip(found.names, found.maximum, found.effort, strict=True)
    ]
    table = Table("Largest torque or force at rest", ("joint", "at rest", "limit"), tuple(rows))
    return [table, *_torque_map(subject, frame)]


def _torque_map(subject: Subject, frame: str) -> list[Figure]:
    model = subject.model
    bounds = _bounds(subject)
    positions = workspace(model, frame, samples=SAMPLES, rows=(0,), bounds=bounds, progress=False)
    load = np.abs(model.gravity(positions.configurations)).max(axis=1)
    if load.max() <= 0:
        return []
    axes = _two_axes(positions.positions)
    caption = f"The same positions of {frame}; the colour is the largest torque of a joint at rest"
    names = ["xyz"[i] for i in axes]
    return [cloud(positions.positions[:, axes], load, names, "torque in N m", caption)]
