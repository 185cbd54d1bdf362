"""The regressor by recursion: torques as a linear function of the inertial parameters."""

from __future__ import annotations

from typing import Any

from dalembert.recursions.dynamics.newton_euler import link_motions, link_wrench, project_wrenches
from dalembert.recursions.tree import Tree, Values
from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia
from dalembert.spatial.vectors import ZERO, neg

PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def unit_inertias() -> list[Inertia]:
    """Return the ten inertias with one parameter 1 and the others 0."""
    units = []
    for k in range(10):
        e = [int(i == k) for i in range(10)]
        units.append(Inertia(e[0], (e[1], e[2], e[3]), (e[4], e[5], e[6], e[7], e[8], e[9])))
    return units


def tree_regressor(tree: Tree, q: Values, v: Values, a: Values) -> list[list[Any]]:
    """Return Y (nv rows, ten columns for each link) with τ = Y θ, rotors not included.

    θ lists m, h = m c and I about the origin of each moving link, in the order of the tree.
    """
    poses = tree.poses(q)
    motions = link_motions(tree, poses, v, a, neg(tree.gravity))
    columns = []
    for i, node in enumerate(tree.nodes):
        for unit in unit_inertias():
            wrenches = [(ZERO, ZERO)] * len(tree.nodes)
            wrenches[i] = link_wrench(node._replace(inertia=unit), *motions[i])
            columns.append(project_wrenches(tree, poses, wrenches))
    return [[column[k] for column in columns] for k in range(tree.nv)]


def inertial_parameters(tree: Tree) -> list[Any]:
    """Return θ: the ten numbers of every moving link."""
    theta: list[Any] = []
    for node in tree.nodes:
        inertia = node.inertia if node.inertia is not None else NO_INERTIA
        theta += [inertia.m, *inertia.h, *inertia.I]
    return theta
