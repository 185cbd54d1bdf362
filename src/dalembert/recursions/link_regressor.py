"""The regressor of the links: torques as a linear function of their inertial parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dalembert.recursions.dynamics.newton_euler import link_wrench, project_wrenches
from dalembert.recursions.motions import link_accelerations, link_rates
from dalembert.recursions.tree import Tree, Values
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.vectors import ZERO, Scalar, neg

PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def unit_inertias() -> list[Inertia]:
    """Return the ten inertias with one parameter 1 and the others 0."""
    units = []
    for k in range(10):
        e = [int(i == k) for i in range(10)]
        units.append(Inertia(e[0], (e[1], e[2], e[3]), (e[4], e[5], e[6], e[7], e[8], e[9])))
    return units


def torques_of_inertias(
    tree: Tree, q: Values, v: Values, a: Values
) -> Callable[[Mapping[int, Inertia]], list[Scalar]]:
    """Return a function: from inertias by the index of their link to the torques that move them.

    Only these inertias count, not those of the tree; the links move with q, v and a.
    """
    # every link moves as it does whatever its inertia: one sweep serves all
    poses = tree.poses(q)
    rates = link_rates(tree, poses, v)
    motions = link_accelerations(tree, poses, rates, a, neg(tree.gravity))

    def torques(inertias: Mapping[int, Inertia]) -> list[Scalar]:
        wrenches = [(ZERO, ZERO)] * len(tree.nodes)
        for i, inertia in inertias.items():
            wrenches[i] = link_wrench(inertia, rates[i], motions[i])
        return project_wrenches(tree, poses, wrenches)

    return torques


def link_regressor(tree: Tree, q: Values, v: Values, a: Values) -> list[list[Scalar]]:
    """Return Y (a row for each velocity, ten columns for each link) with τ = Y θ.

    θ lists m, h = m c and I about the origin of each moving link, in the order of the tree; see
    `inertial_parameters`. The armature of joints is not part of it.
    """
    torques = torques_of_inertias(tree, q, v, a)
    # a column is the torque of one unit inertia on one link
    columns = [torques({i: unit}) for i in range(len(tree.nodes)) for unit in unit_inertias()]
    return [[column[k] for column in columns] for k in range(tree.nv)]


def inertial_parameters(tree: Tree) -> list[Scalar]:
    """Return θ: the ten numbers of every moving link."""
    return [x for node in tree.nodes for x in parameters_of(node.inertia)]


def parameters_of(inertia: Inertia) -> list[Scalar]:
    """Return m, h and I in the order of `PARAMETERS`."""
    return [inertia.m, *inertia.h, *inertia.I]
