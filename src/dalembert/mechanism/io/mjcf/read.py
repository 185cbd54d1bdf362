"""Read MJCF through MuJoCo's own compiler: defaults, angles, geometry and frames are MuJoCo's.

Stages: the model's files become one checked text (`source`, `text`), MuJoCo compiles it
(`compile`), bodies and joints become links and joints (here), equalities become loops and
couplings (`equality`), and what a mechanism does not carry is reported (`notes`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dalembert.errors import UnknownName, nearest
from dalembert.mechanism.io.mjcf.compile import compile_mjcf, import_mujoco
from dalembert.mechanism.io.mjcf.equality import closures
from dalembert.mechanism.io.mjcf.notes import not_carried
from dalembert.mechanism.io.mjcf.shapes import GeomReader
from dalembert.mechanism.io.mjcf.tendons import TendonParts, read_tendons
from dalembert.mechanism.io.mjcf.view import BALL, FREE, SLIDE, View, number, pose, vector
from dalembert.mechanism.io.xml.source import Source
from dalembert.mechanism.io.xml.write import distinct
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.parts.actuator import Actuator
from dalembert.mechanism.parts.joint import Joint, JointKind, Limits, unit_axis
from dalembert.mechanism.parts.keyframe import Keyframe
from dalembert.mechanism.parts.link import Frame, Link
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.spatial.exact import exact, rotation_from_quaternion
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import IDENTITY, ZERO, multiply, neg, ratio, transpose


def load_mjcf(
    source: Source,
    *,
    root: str | os.PathLike[str] | None = None,
    missing_meshes: bool = False,
    accept_nonphysical: bool = False,
    model: str | None = None,
) -> Mechanism:
    """Read an MJCF file, or its text.

    Links have MuJoCo's body frames, the world is the root, joints keep MuJoCo's order and q is
    MuJoCo's qpos (`mechanism.io.state_layouts` converts the velocity of free joints). A body with
    several joints becomes a chain of massless links ``body/joint``. What enters MuJoCo's
    simulation but not the mechanism is listed in ``notes``.

    Args:
        source: a path, or text that starts with ``<``.
        root: the folder that includes and meshes must not leave; by default the file's own.
        missing_meshes: accept missing meshes on which no inertia depends.
        accept_nonphysical: keep inertias that no body has, as far as MuJoCo compiles them.
        model: the name of the body in the world to keep, with all that hangs on it. Default, as
            ``"*"``: all of them.

    Raises:
        InvalidMechanism: with file, line and remedy.
        UnknownName: no body of that name stands in the world.
        MissingDependency: MuJoCo is not installed.

    >>> arm = load_mjcf('''<mujoco model="pendulum"><worldbody><body name="rod">
    ...   <joint name="hinge" axis="0 1 0"/>
    ...   <inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.01"/>
    ... </body></worldbody></mujoco>''')
    >>> print(arm)
    pendulum: 2 links, 1 degree of freedom
      world → rod  continuous hinge  v[0]
    """
    compiled = compile_mjcf(source, root, missing_meshes)
    view = View(import_mujoco(), compiled.model)
    geoms, tendons = GeomReader(view, compiled.text), read_tendons(view)
    reader = _Reader(view, compiled.unknown, geoms, tendons)
    for body in range(1, compiled.model.nbody):
        reader.body(body)
    loops, couplings, notes = closures(view)
    gravity = ZERO if view.disables("GRAVITY") else vector(compiled.model.opt.gravity)
    mechanism = Mechanism(
        _model_name(compiled.model),
        tuple(reader.links),
        tuple(reader.joints),
        gravity,
        tuple(_sites(view)),
        tuple(loops),
        tuple(couplings),
        tuple(_motors(view)),
        tuple(tendons.springs),
        keyframes=tuple(_keyframes(view)),
        notes=(*compiled.notes, *notes, *not_carried(view, tendons), *geoms.notes()),
        accept_nonphysical=accept_nonphysical,
    )
    return mechanism if model in (None, "*") else _one_model(mechanism, view, model)


def _one_model(mechanism: Mechanism, view: View, name: str) -> Mechanism:
    """Return what hangs on one body of the world."""
    parents = view.model.body_parentid[1:]
    known = [body for body, parent in zip(view.bodies[1:], parents, strict=True) if parent == 0]
    if name not in known:
        raise UnknownName(
            f"expected a body of the world of {mechanism.name}, got model={name!r} "
            f"({nearest(name, known)})"
        )
    above = {joint.child: joint.parent for joint in mechanism.joints}
    others = []
    for link in known:
        if link != name:
            # a body of several joints hangs on massless links of its own
            while above[link] != mechanism.root:
                link = above[link]
            others.append(link)
    return mechanism.remove(*others, of="links") if others else mechanism


class _Reader:
    """Turns bodies into links, and their joints into chains of joints."""

    def __init__(
        self, view: View, unknown: frozenset[int], geoms: GeomReader, tendons: TendonParts
    ) -> None:
        self.view, self.model, self.unknown, self.geoms = view, view.model, unknown, geoms
        self.tendons = tendons
        self.links = [geoms.with_shapes(Link(view.bodies[0]), 0)]
        self.joints: list[Joint] = []
        self.link_names = set(view.bodies)
        self.joint_names = set(view.joints)
        self.armature, self.damping = _from_actuators(view)

    def body(self, body: int) -> None:
        m, name = self.model, self.view.bodies[body]
        parent = self.view.bodies[int(m.body_parentid[body])]
        # X_PB of the body at the reference position
        X = pose(m.body_pos[body], m.body_quat[body])
        numbers = self.view.joints_of(body)
        if not numbers:
            joint = distinct(f"{name}/fixed", self.joint_names)
            self.joints.append(Joint(joint, JointKind.FIXED, parent, name, X))
        for i in numbers:
            last = i == numbers[-1]
            child = name if last else distinct(f"{name}/{self.view.joints[i]}", self.link_names)
            if not last:
                self.links.append(Link(child))
            self.joints.append(self.joint(i, parent, child, X))
            parent, X = child, Pose()
        self.links.append(self.geoms.with_shapes(self.link(body), body))

    def link(self, body: int) -> Link:
        m, name = self.model, self.view.bodies[body]
        mass, moments = number(m.body_mass[body]), vector(m.body_inertia[body])
        if body in self.unknown or (not mass and moments == ZERO):
            return Link(name)
        # I = R diag(moments) Rᵀ, axes of the body
        R = rotation_from_quaternion(*(float(x) for x in m.body_iquat[body]))
        D = tuple(tuple(k if i == j else 0 for j in range(3)) for i, k in enumerate(moments))
        tensor = multiply(multiply(R, D), transpose(R))  # type: ignore[arg-type]
        return Link(name, Inertia.from_com(mass, vector(m.body_ipos[body]), tensor), True)

    def joint(self, i: int, parent: str, child: str, X: Pose) -> Joint:
        """Return a joint; ``X`` is where the body stood before it moved."""
        m, view = self.model, self.view
        kind, dof = int(m.jnt_type[i]), int(m.jnt_dofadr[i])
        name, armature = view.joints[i], number(m.dof_armature[dof]) + self.armature.get(i, 0)
        armature += self.tendons.armature.get(i, 0)
        passive: dict[str, Any] = {"armature": armature, "resistance": self.resistance(i)}
        if kind == FREE:
            # MuJoCo's position is that of the body in the world, whatever the body's pos says
            return Joint(name, JointKind.FLOATING, parent, child, **passive)
        # the joint frame has the body's axes and its origin at the anchor: X T(p) motion T(-p)
        p = vector(m.jnt_pos[i])
        placement, after = X @ Pose(IDENTITY, p), Pose(IDENTITY, neg(p))
        if kind == BALL:
            return Joint(
                name, JointKind.SPHERICAL, parent, child, placement, after=after, **passive
            )
        limited = bool(m.jnt_limited[i]) and not view.disables("LIMIT", "CONSTRAINT")
        if kind == SLIDE:
            sort, after, placement = JointKind.PRISMATIC, Pose(), X
        else:
            sort = JointKind.REVOLUTE if limited else JointKind.CONTINUOUS
        axis, placement, after = unit_axis(
            [float(x) for x in m.jnt_axis[i]], placement, after, f"joint {name!r}"
        )
        bounds = [float(x) for x in m.jnt_range[i]] if limited else [None, None]
        return Joint(
            name,
            sort,
            parent,
            child,
            placement,
            axis,
            after,
            limits=Limits(*bounds, effort=self.largest_effort(i)),
            reference=view.reference(i),
            **passive,
        )

    def largest_effort(self, i: int) -> float | None:
        """Return the bound of the actuator forces on a joint, the larger one of the two."""
        limited, ranges = self.view.field("jnt_actfrclimited"), self.view.field("jnt_actfrcrange")
        if limited is None or ranges is None or not limited[i]:
            return None
        return float(max(abs(x) for x in ranges[i]))

    def resistance(self, i: int) -> Resistance:
        """Return damping, friction and, of a joint with one position, the spring."""
        m, view, dof = self.model, self.view, int(self.model.jnt_dofadr[i])
        found: dict[str, Any] = {}
        if not view.disables("DAMPER", "PASSIVE"):
            found["damping"] = number(m.dof_damping[dof]) + self.damping.get(i, 0)
        if not view.disables("FRICTIONLOSS", "CONSTRAINT"):
            found["friction"] = number(m.dof_frictionloss[dof])
        is_scalar = int(m.jnt_type[i]) not in (FREE, BALL)
        if is_scalar and m.jnt_stiffness[i] and not view.disables("SPRING", "PASSIVE"):
            found["stiffness"] = number(m.jnt_stiffness[i])
            found["rest"] = number(m.qpos_spring[m.jnt_qposadr[i]])
        return self.with_tendons(i, Resistance(**found))

    def with_tendons(self, i: int, own: Resistance) -> Resistance:
        """Return a resistance with the springs and dampers of tendons over this joint alone."""
        more, tendons = self.tendons.stiffness.get(i, 0), self.tendons
        own = replace(own, damping=own.damping + tendons.damping.get(i, 0))
        if not more:
            return own
        # k = Σ kᵢ, k rest = Σ kᵢ restᵢ
        k = own.stiffness + more
        moment = own.stiffness * own.rest + tendons.moment.get(i, 0)
        return replace(own, stiffness=k, rest=exact(ratio(moment, k)))


def _from_actuators(view: View) -> tuple[dict[int, Any], dict[int, Any]]:
    """Return armature and damping that actuators add to scalar joints: gear² times their own."""
    m = view.model
    totals: tuple[dict[int, Any], dict[int, Any]] = ({}, {})
    for total, name in zip(totals, ("actuator_armature", "actuator_damping"), strict=True):
        values = view.field(name)
        if values is None:
            continue
        for i in filter(view.is_on_joint, range(view.num_actuators)):
            joint, gear = int(m.actuator_trnid[i][0]), view.gear(i)
            total[joint] = total.get(joint, 0) + number(values[i]) * gear**2
    return totals


def _motors(view: View) -> list[Actuator]:
    """Return the actuators, if all drive scalar joints; their inertia is the joint's armature.

    Where one drives something else, the joints without one are not passive: then there are none.
    """
    return [_motor(view, i) for i in range(view.num_actuators)] if view.carries_actuators else []


def _motor(view: View, i: int) -> Actuator:
    """Return an actuator on a joint, or on those of a fixed tendon."""
    (joint, c), *others = (view.driven_joints(i) or {}).items()
    gear = view.gear(i)
    return Actuator(
        view.actuators[i],
        view.joints[joint],
        exact(gear * c),
        effort=_largest_force(view, i),
        others=tuple((view.joints[k], exact(ratio(x, c))) for k, x in others),
    )


def _largest_force(view: View, actuator: int) -> Any:
    """Return the bound of an actuator's force: that of forces, or of the control of a motor."""
    m = view.model
    if m.actuator_forcelimited[actuator]:
        return max(abs(number(x)) for x in m.actuator_forcerange[actuator])
    control = view.control(actuator)
    if m.actuator_ctrllimited[control] and view.is_motor(actuator):
        gain = abs(number(m.actuator_gainprm[actuator][0]))
        return gain * max(abs(number(x)) for x in m.actuator_ctrlrange[control])
    return None


def _sites(view: View) -> list[Frame]:
    """Return the named sites as frames; one that is named like a body gets ``/site`` behind it."""
    m, bodies = view.model, set(view.bodies)
    taken = bodies | set(view.sites)
    frames = []
    for i, name in enumerate(view.sites):
        if not view.mujoco.mj_id2name(m, view.mujoco.mjtObj.mjOBJ_SITE, i):
            continue
        if name in bodies:
            name = distinct(f"{name}/site", taken)
        X = pose(m.site_pos[i], m.site_quat[i])
        frames.append(Frame(name, view.bodies[int(m.site_bodyid[i])], X))
    return frames


def _keyframes(view: View) -> Iterator[Keyframe]:
    """Yield the configurations that the model names; q is MuJoCo's qpos."""
    m = view.model
    for i, name in enumerate(view.keys):
        ends = [*(int(x) for x in m.jnt_qposadr[1:]), m.nq]
        yield Keyframe(
            name,
            tuple(
                (joint, tuple(number(x) for x in m.key_qpos[i][int(m.jnt_qposadr[j]) : ends[j]]))
                for j, joint in enumerate(view.joints)
            ),
        )


def _model_name(model: Any) -> str:
    """Return the model's name, the first of its names."""
    return bytes(model.names).split(b"\0", 1)[0].decode("utf-8", "replace") or "model"
