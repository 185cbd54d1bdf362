"""Which velocities actuators drive, and by how much: the actuation matrix B, over any scalar."""

from __future__ import annotations

from typing import NamedTuple

from dalembert.mechanism import Actuator, JointKind
from dalembert.recursions.tree import Tree
from dalembert.spatial.vectors import Scalar


class Drive(NamedTuple):
    """What an actuator drives: velocities by their places, each with a ratio times its effort."""

    name: str
    ratios: dict[int, Scalar]


def drives(tree: Tree) -> list[Drive]:
    """Return what each actuator drives.

    The effort of a motor reaches its joints multiplied by the gear ratio, and where a joint
    follows another one also by its multiplier: r q̇ turns with the motor, so equal powers give r τ.
    A mechanism without actuators has one of ratio 1 on every velocity that is not of a floating or
    passive joint.
    """
    if tree.actuators:
        return [Drive(actuator.name, _ratios(tree, actuator)) for actuator in tree.actuators]
    found: list[Drive] = []
    for node in tree.nodes:
        joint = node.joint
        if joint.passive:
            continue
        if joint.nv == 1:
            found.append(Drive(joint.name, {node.velocities[0]: 1}))
        elif joint.kind is not JointKind.FLOATING:
            found += [
                Drive(f"{joint.name}.{x}", {place: 1})
                for x, place in zip("xyz", node.velocities[: joint.nv], strict=False)
            ]
    return found


def _ratios(tree: Tree, actuator: Actuator) -> dict[int, Scalar]:
    found: dict[int, Scalar] = {}
    for name, factor in actuator.terms:
        node = tree.by_joint[name]
        place, k = node.velocities[0], node.multiplier * actuator.gear_ratio * factor
        found[place] = found[place] + k if place in found else k
    return found


def actuation_matrix(tree: Tree) -> list[list[Scalar]]:
    """Return B with τ = B u, one row for each velocity and one column for each of `drives`."""
    columns = drives(tree)
    B: list[list[Scalar]] = [[0] * len(columns) for _ in range(tree.nv)]
    for k, drive in enumerate(columns):
        for place, ratio in drive.ratios.items():
            B[place][k] = ratio
    return B


def driven_places(tree: Tree) -> set[int]:
    """Return the velocities that actuators drive, by their places."""
    return {place for drive in drives(tree) for place in drive.ratios}


def is_driven(tree: Tree) -> list[bool]:
    """Tell for each velocity whether a torque acts on it.

    Those of actuators; where there are none, all but those of passive joints.
    """
    if tree.actuators:
        places = driven_places(tree)
        return [i in places for i in range(tree.nv)]
    idle = {i for node in tree.nodes if node.joint.passive for i in node.velocities}
    return [i not in idle for i in range(tree.nv)]
