"""What MuJoCo would simulate and a mechanism does not carry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dalembert.mechanism.io.mjcf.equality import tendon_coupling
from dalembert.mechanism.io.mjcf.tendons import TendonParts
from dalembert.mechanism.io.mjcf.view import BALL, FREE, View, counted

SHOWN = 4


def not_carried(view: View, carried: TendonParts) -> list[str]:
    """Return one sentence for each such thing; ``carried`` is what tendons have become."""
    return [
        *_flags(view),
        *_joints(view),
        *_actuators(view),
        *_tendons(view, carried),
        *_bodies(view),
        *_surroundings(view),
        *_keyframes(view),
    ]


def listed(names: list[str]) -> str:
    """Return the first few names.

    >>> listed(list("abcdef"))
    'a, b, c, d, …'
    """
    return ", ".join(names[:SHOWN]) + ", …" * (len(names) > SHOWN)


def _flags(view: View) -> list[str]:
    switched = {
        "GRAVITY": "gravity",
        "SPRING": "joint springs",
        "DAMPER": "joint damping",
        "PASSIVE": "joint springs and damping",
        "FRICTIONLOSS": "joint friction",
        "LIMIT": "joint limits",
        "CONSTRAINT": "joint friction, limits and equalities",
    }
    return [
        f"{what}: switched off by the model's flags, and so here"
        for flag, what in switched.items()
        if view.disables(flag)
    ]


def _joints(view: View) -> list[str]:
    m, found = view.model, []
    ball = [
        n for i, n in enumerate(view.joints) if m.jnt_type[i] in (FREE, BALL) and m.jnt_stiffness[i]
    ]
    if ball and not view.disables("SPRING", "PASSIVE"):
        found.append(f"springs of joints {listed(ball)} pull a rotation: not carried")
    for field, what in (
        ("jnt_stiffnesspoly", "springs"),
        ("jnt_springyield", "plastic springs"),
        ("dof_dampingpoly", "dampers"),
    ):
        names = view.joints if field.startswith("jnt") else [view.joints[j] for j in m.dof_jntid]
        if bent := list(dict.fromkeys(_where(view.field(field), names))):
            found.append(
                f"{what} of joints {listed(bent)} are not linear: only the linear part is carried"
            )
    return found


def _actuators(view: View) -> list[str]:
    m = view.model
    if not view.num_actuators:
        return []
    found: list[str] = []
    if not view.carries_actuators:
        found.append(
            f"{counted(view.num_actuators, 'actuator')} not carried, forces are inputs: "
            f"{listed(view.actuators)}"
        )
    elif laws := [n for i, n in enumerate(view.actuators) if not view.is_motor(i)]:
        found.append(
            f"the laws of actuators {listed(laws)} are not carried: their efforts are inputs"
        )
    muscle = int(view.mujoco.mjtDyn.mjDYN_MUSCLE)
    if muscles := [n for i, n in enumerate(view.actuators) if int(m.actuator_dyntype[i]) == muscle]:
        found.append(f"{counted(len(muscles), 'muscle')} among them: {listed(muscles)}")
    others = [n for i, n in enumerate(view.actuators) if not view.driven_joints(i)]
    if lacking := [
        n for n in _where(view.field("actuator_armature"), view.actuators) if n in others
    ]:
        found.append(
            f"armature of actuators {listed(lacking)}, which drive no joints, is not "
            "carried: the mass matrix lacks armature · JᵀJ of their length"
        )
    if lacking := [
        n for n in _where(view.field("actuator_damping"), view.actuators) if n in others
    ]:
        found.append(
            f"damping of actuators {listed(lacking)}, which drive no joints, is not carried"
        )
    if bent := _where(view.field("actuator_dampingpoly"), view.actuators):
        found.append(
            f"damping of actuators {listed(bent)} is not linear: only the linear part is carried"
        )
    return found


def _used(view: View) -> Iterator[int]:
    """Yield the tendons that actuators and couplings of the mechanism stand for, by number."""
    m, tendon = view.model, int(view.mujoco.mjtTrn.mjTRN_TENDON)
    if view.carries_actuators:
        for i in range(view.num_actuators):
            if int(m.actuator_trntype[i]) == tendon:
                yield int(m.actuator_trnid[i][0])
    for i in range(m.neq):
        if int(m.eq_type[i]) == int(view.mujoco.mjtEq.mjEQ_TENDON) and tendon_coupling(view, i):
            yield from (int(x) for x in (m.eq_obj1id[i], m.eq_obj2id[i]) if int(x) >= 0)


def _tendons(view: View, carried: TendonParts) -> list[str]:
    m = view.model
    known = carried.elastic | carried.heavy | {view.tendons[i] for i in _used(view)}
    others = [name for name in view.tendons if name not in known]
    if not m.ntendon:
        return []
    found = [f"{counted(len(others), 'tendon')} not carried: {listed(others)}"] if others else []
    heavy = _where(view.field("tendon_armature"), view.tendons)
    if heavy := [name for name in heavy if name not in carried.heavy]:
        found.append(
            f"armature of tendons {listed(heavy)} is not carried: the mass matrix lacks "
            "armature · JᵀJ of their length"
        )
    if carried.forked:
        found.append(
            f"armature of tendons {listed(sorted(carried.forked))} ties branches: here the mass "
            "matrix has its terms between them, which MuJoCo's leaves out"
        )
    for field, what in (
        ("tendon_stiffness", "springs"),
        ("tendon_damping", "damping"),
        ("tendon_frictionloss", "friction"),
        ("tendon_limited", "limits"),
    ):
        names = _where(view.field(field), view.tendons)
        if what in ("springs", "damping"):
            names = [name for name in names if name not in carried.elastic]
        if names:
            found.append(f"{what} of tendons {listed(names)} are not carried")
    return found


def _bodies(view: View) -> list[str]:
    m, found = view.model, []
    if names := _where(m.body_gravcomp, view.bodies):
        found.append(
            f"gravity compensation of bodies {listed(names)} is not carried: it is an input"
        )
    if names := _where(m.body_mocapid >= 0, view.bodies):
        found.append(f"mocap bodies {listed(names)} stand still")
    return found


def _surroundings(view: View) -> list[str]:
    m, found = view.model, []
    touching = int(np.count_nonzero((m.geom_contype != 0) | (m.geom_conaffinity != 0)))
    if (touching > 1 or m.npair) and not view.disables("CONTACT", "CONSTRAINT"):
        found.append(f"contacts between {max(touching, 2 * m.npair)} geoms are not carried")
    if m.opt.density or m.opt.viscosity:
        found.append(
            f"forces of the fluid (density {m.opt.density:g}, viscosity {m.opt.viscosity:g}) "
            "are not carried"
        )
    if getattr(m, "nflex", 0):
        found.append(
            f"{counted(m.nflex, 'flex element')}: vertices are carried as links, elasticity is not"
        )
    if getattr(m, "nplugin", 0):
        found.append(f"{counted(m.nplugin, 'plugin')} not carried")
    return found


def _keyframes(view: View) -> list[str]:
    found = []
    for field, what in (
        ("key_qvel", "velocities"),
        ("key_ctrl", "controls"),
        ("key_act", "states"),
    ):
        if names := _where(view.field(field), view.keys):
            found.append(f"{what} of keyframes {listed(names)} are not carried")
    return found


def _where(values: Any, names: list[str]) -> list[str]:
    """Return the names at which an array is not zero."""
    if values is None or not len(names):
        return []
    array = np.asarray(values).reshape(len(names), -1)
    return [name for name, row in zip(names, array, strict=True) if row.any()]
