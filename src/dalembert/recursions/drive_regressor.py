"""The regressor of the whole drive train: links, rotors, friction, springs, payload."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from dalembert.mechanism import Bushing, PointSpring, Resistance, Spring
from dalembert.recursions.dynamics.newton_euler import armature_drift
from dalembert.recursions.link_regressor import (
    PARAMETERS,
    parameters_of,
    torques_of_inertias,
    unit_inertias,
)
from dalembert.recursions.resistance.friction import direction, motor_frictions, stribeck_shape
from dalembert.recursions.resistance.spring_inertia import spring_torques
from dalembert.recursions.resistance.springs import linear_spring_forces, spring_forces
from dalembert.recursions.tree import Node, Tree, Values
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import Scalar, rotate


class DriveRegressor(NamedTuple):
    """Y (a list for each velocity) and θ, with the name of each parameter."""

    Y: list[list[Scalar]]
    theta: list[Scalar]
    labels: tuple[str, ...]


class Column(NamedTuple):
    """A parameter with its label, its value, and the torques that one unit of it takes.

    ``symbol`` names it by the number of its joint, motor or spring: ``friction2``.
    """

    label: str
    symbol: str
    value: Scalar
    torque: list[Scalar]


def drive_regressor(
    tree: Tree,
    q: Values,
    v: Values,
    a: Values,
    *,
    payload: str | None = None,
    smoothing: Scalar | None = None,
    zeros: bool = True,
) -> DriveRegressor:
    """Return Y and θ with M a + h - passive forces = Y θ, over any scalar.

    θ lists, in this order and by these labels:

    - ``link.m``, ``link.hx`` … ``link.Iyz``: ten for each link, with its rotors at rest in it;
    - ``rotor.J``: the inertia of each gyroscopic rotor;
    - ``joint.armature``, ``.damping``, ``.friction`` for each joint, ``.stribeck`` where there is
      some, and of a joint with one position ``.stiffness`` and ``.preload`` = stiffness · rest;
    - ``actuator.damping``, ``.friction``, ``.stribeck``: the motor's own friction where there is
      some, its ratio known;
    - ``spring.stiffness``, ``.preload`` = stiffness · rest length, ``.damping``, ``.armature``;
    - ``payload.m`` … ``payload.Iyz``, zero in θ: a load on the link ``payload``, in its frame.

    Ratios, lengths, Stribeck velocities and points count as known. Without ``zeros``, columns of a
    joint's numbers that are 0 are left out.
    """
    state = _State(tree, q, v, a, smoothing, zeros)
    links = list(_link_columns(state))
    columns = [*links, *_passive_columns(state)]
    if payload is not None:
        columns += _payload_columns(links, tree.link_name(payload))
    Y = [[column.torque[i] for column in columns] for i in range(tree.nv)]
    return DriveRegressor(Y, [c.value for c in columns], tuple(c.label for c in columns))


def passive_columns(tree: Tree, q: Values, v: Values, a: Values) -> list[Column]:
    """Return the columns of rotors, friction and springs alone, of what is there."""
    return list(_passive_columns(_State(tree, q, v, a, None, zeros=False)))


@dataclass(frozen=True)
class _State:
    tree: Tree
    q: Values
    v: Values
    a: Values
    smoothing: Scalar | None
    zeros: bool

    def column(self, entries: dict[int, Scalar]) -> list[Scalar]:
        """Return a column with these entries, zero elsewhere."""
        return [entries.get(i, 0) for i in range(self.tree.nv)]


def _link_columns(state: _State) -> Iterator[Column]:
    """Yield ten columns for each link, and one for each rotor."""
    tree, nodes = state.tree, state.tree.nodes
    torques = torques_of_inertias(tree, state.q, state.v, state.a)
    inertias = [node.inertia for node in nodes]
    rotors: list[Column] = []
    for i, node in enumerate(nodes):
        if node.joint.spins:
            # the host contains the rotor at rest: the rotor's column is the difference
            J, host, axis = _axial(node), node.parent - 1, node.joint.axis
            at_rest = rotate(node.joint.placement.R, axis)
            inertias[host] = inertias[host] + Inertia.about_axis(at_rest, J)
            pair = {i: Inertia.about_axis(axis, 1), host: Inertia.about_axis(at_rest, -1)}
            rotors.append(Column(f"{node.name}.J", f"J{i + 1}", J, torques(pair)))
    for i, node in enumerate(nodes):
        if not node.joint.spins:
            values = parameters_of(inertias[i])
            for unit, name, value in zip(unit_inertias(), PARAMETERS, values, strict=True):
                yield Column(f"{node.name}.{name}", f"{name}{i + 1}", value, torques({i: unit}))
    yield from rotors


def _axial(node: Node) -> Scalar:
    """Return the inertia of a rotor about its axis, which is an axis of its frame."""
    return next(k for k, x in zip(node.inertia.I[:3], node.joint.axis, strict=True) if x != 0)


def _passive_columns(state: _State) -> Iterator[Column]:
    yield from _joint_columns(state)
    yield from _motor_columns(state)
    yield from _spring_columns(state)


def _joint_columns(state: _State) -> Iterator[Column]:
    """Yield the columns of the joints' own rotors, friction and springs."""
    for n, node in enumerate(state.tree.nodes, 1):
        j, k, places = node.joint, node.multiplier, node.velocities
        if not places or j.spins:
            continue
        if state.zeros or not is_zero(j.armature):
            # k² (v̇ + drift)
            drift = armature_drift(node, state.v)
            rotor = {i: k * k * (state.a[i] + c) for i, c in zip(places, drift, strict=True)}
            yield Column(f"{j.name}.armature", f"armature{n}", j.armature, state.column(rotor))
        own = j.resistance
        shaft = _Shaft(j.name, f"{{}}{n}", places, k, own)
        yield from _friction_columns(state, shaft, always=state.zeros)
        if j.is_scalar and (state.zeros or not is_zero(own.stiffness)):
            # stiffness (k q + c) - preload, along k
            i = places[0]
            stretch = {i: k * node.position(state.q)}
            yield Column(
                f"{j.name}.stiffness", f"stiffness{n}", own.stiffness, state.column(stretch)
            )
            preload = own.stiffness * own.rest
            yield Column(f"{j.name}.preload", f"preload{n}", preload, state.column({i: -k}))


def _motor_columns(state: _State) -> Iterator[Column]:
    """Yield the columns of the motors' friction."""
    for n, (name, place, k, resistance) in enumerate(motor_frictions(state.tree), 1):
        shaft = _Shaft(name, f"motor_{{}}{n}", (place,), k, resistance)
        yield from _friction_columns(state, shaft, always=False)


class _Shaft(NamedTuple):
    """What rubs: places of velocities, k times as fast; ``symbol`` takes the kind of friction."""

    name: str
    symbol: str
    places: Sequence[int]
    k: Scalar
    own: Resistance

    def column(self, kind: str, value: Scalar, torque: list[Scalar]) -> Column:
        return Column(f"{self.name}.{kind}", self.symbol.format(kind), value, torque)


def _friction_columns(state: _State, shaft: _Shaft, *, always: bool) -> Iterator[Column]:
    """Yield k² v, k sign(k v), and k sign(k v) exp(-(k v / stribeck_velocity)²)."""
    v, places, k, own = state.v, shaft.places, shaft.k, shaft.own
    if always or not is_zero(own.damping):
        drag = {i: k * (k * v[i]) for i in places}
        yield shaft.column("damping", own.damping, state.column(drag))
    if always or not is_zero(own.friction):
        dry = {i: k * direction(k, v[i], state.smoothing) for i in places}
        yield shaft.column("friction", own.friction, state.column(dry))
    if not is_zero(own.stribeck):
        shape = {
            i: stribeck_shape(k * v[i], own.stribeck_velocity)
            * (k * direction(k, v[i], state.smoothing))
            for i in places
        }
        yield shaft.column("stribeck", own.stribeck, state.column(shape))


def _spring_columns(state: _State) -> Iterator[Column]:
    for n, spring in enumerate(state.tree.springs, 1):
        name, symbol = spring.name, f"spring_{{}}{n}".format
        if spring.potential is not None or spring.dissipation is not None:
            # a law is known up to a factor, which is one
            whole = spring_forces(state.tree, spring, state.q, state.v)
            push = [a - b for a, b in zip(whole, _at_joints(state, spring), strict=True)]
            yield Column(f"{name}.law", symbol("law"), 1, push)
        if isinstance(spring, Bushing):
            continue
        rest = "rest_length" if isinstance(spring, PointSpring) else "rest"
        bare = spring._replace(**{"stiffness": 0, rest: 0, "damping": 0, "armature": 0})
        stretch = _at_joints(state, bare._replace(stiffness=1))
        yield Column(f"{name}.stiffness", symbol("stiffness"), spring.stiffness, stretch)
        length = getattr(spring, rest)
        if not is_zero(length):
            # linear in stiffness · rest: what a rest of 1 changes
            loaded = _at_joints(state, bare._replace(**{"stiffness": 1, rest: 1}))
            preload = [a - b for a, b in zip(loaded, stretch, strict=True)]
            value = spring.stiffness * length
            yield Column(f"{name}.preload", symbol("preload"), value, preload)
        if not is_zero(spring.damping):
            drag = _at_joints(state, bare._replace(damping=1))
            yield Column(f"{name}.damping", symbol("damping"), spring.damping, drag)
        if not is_zero(spring.armature):
            alone = replace(state.tree, springs=(bare._replace(armature=1),))
            inertia = spring_torques(alone, state.q, state.v, state.a)
            yield Column(f"{name}.armature", symbol("armature"), spring.armature, inertia)


def _at_joints(state: _State, spring: Spring) -> list[Scalar]:
    """Return the generalized force of stiffness and damping against each velocity."""
    return linear_spring_forces(state.tree, spring, state.q, state.v)


def _payload_columns(links: Sequence[Column], payload: str) -> list[Column]:
    """Return the ten columns of the link that carries a load, once more."""
    labels = {f"{payload}.{name}": f"payload.{name}" for name in PARAMETERS}
    return [c._replace(label=labels[c.label], value=0) for c in links if c.label in labels]
