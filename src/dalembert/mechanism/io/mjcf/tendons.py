"""MuJoCo's tendons as springs with dampers and armature, where that is the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dalembert.mechanism.io.mjcf.view import View, number, vector
from dalembert.mechanism.io.xml.write import distinct
from dalembert.mechanism.parts.link import Frame
from dalembert.mechanism.parts.spring import JointSpring, PointSpring, Spring
from dalembert.spatial.exact import exact
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ratio

NO_LAW = (0, 0, 0)
"""Stiffness, rest length and damping of a tendon that has inertia alone."""


@dataclass
class TendonParts:
    """What tendons become; the dictionaries are by the number of a joint.

    ``stiffness``, ``moment`` (stiffness · rest), ``damping`` and ``armature`` belong to one joint.
    ``elastic`` and ``heavy`` are the tendons whose springs and dampers, and whose armature, are
    carried; those of ``forked`` tie bodies of which none carries the other.
    """

    springs: list[Spring] = field(default_factory=list)
    stiffness: dict[int, Any] = field(default_factory=dict)
    moment: dict[int, Any] = field(default_factory=dict)
    damping: dict[int, Any] = field(default_factory=dict)
    armature: dict[int, Any] = field(default_factory=dict)
    elastic: set[str] = field(default_factory=set)
    heavy: set[str] = field(default_factory=set)
    forked: set[str] = field(default_factory=set)


def read_tendons(view: View) -> TendonParts:
    """Return the springs and dampers of tendons over joints, or between two sites.

    A fixed tendon L = Σ c q with V = ½ k (L - l)² is a spring of its joint, or over its
    joints; a straight one between two sites is a spring between points. Armature, T = ½ a L̇², goes
    with them.
    """
    parts = TendonParts()
    for i, name in enumerate(view.tendons):
        terms, law, J = view.fixed_tendon(i), _law(view, i), _armature(view, i)
        if law is None and not J:
            continue
        if terms:
            _fixed(view, parts, name, terms, *(law or NO_LAW), J)
        elif terms is None and (ends := _straight(view, i)) is not None:
            parts.springs.append(PointSpring(name, *ends, *(law or NO_LAW), J))
        else:
            continue
        if law is not None:
            parts.elastic.add(name)
        if J:
            parts.heavy.add(name)
            if _is_forked(view, i):
                parts.forked.add(name)
    parts.springs += _shafts(view)
    return parts


def _shafts(view: View) -> Iterator[JointSpring]:
    """Yield armature and damping of actuators that drive several joints: gear² times their own."""
    fields = [view.field(x) for x in ("actuator_damping", "actuator_armature")]
    for i, name in enumerate(view.actuators):
        terms = view.driven_joints(i)
        if terms is None or view.is_on_joint(i):
            continue
        gear = view.gear(i)
        d, J = (0 if x is None else number(x[i]) * gear * gear for x in fields)
        if d or J:
            over = tuple((view.joints[joint], c) for joint, c in terms.items())
            yield JointSpring(distinct(f"{name}/shaft", set(view.tendons)), over, 0, 0, d, J)


def _is_forked(view: View, i: int) -> bool:
    """Tell whether a tendon ties two bodies of which none carries the other."""
    m, joint = view.model, int(view.mujoco.mjtWrap.mjWRAP_JOINT)
    places = range(int(m.tendon_adr[i]), int(m.tendon_adr[i]) + int(m.tendon_num[i]))
    paths = []
    for k in places:
        carriers = m.jnt_bodyid if int(m.wrap_type[k]) == joint else m.site_bodyid
        body, path = int(carriers[int(m.wrap_objid[k])]), [0]
        while body:
            path.append(body)
            body = int(m.body_parentid[body])
        paths.append((path[1] if len(path) > 1 else 0, set(path)))
    return not any(all(last in path for last, _ in paths) for _, path in paths)


def _armature(view: View, i: int) -> Any:
    values = view.field("tendon_armature")
    return 0 if values is None else number(values[i])


def _law(view: View, i: int) -> tuple[Any, Any, Any] | None:
    """Return stiffness, rest length and damping of a tendon, None where it has no linear law."""
    m = view.model
    k = 0 if view.disables("SPRING", "PASSIVE") else number(m.tendon_stiffness[i])
    d = 0 if view.disables("DAMPER", "PASSIVE") else number(m.tendon_damping[i])
    bent = [view.field(x) for x in ("tendon_stiffnesspoly", "tendon_dampingpoly")]
    lower, upper = (number(x) for x in m.tendon_lengthspring[i])
    if any(x is not None and x[i].any() for x in bent) or not (k or d) or (k and lower != upper):
        return None
    return k, lower if k else 0, d


def _fixed(
    view: View,
    parts: TendonParts,
    name: str,
    terms: dict[int, Any],
    k: Any,
    rest: Any,
    d: Any,
    J: Any,
) -> None:
    if len(terms) > 1:
        over = tuple((view.joints[joint], c) for joint, c in terms.items())
        parts.springs.append(JointSpring(name, over, k, rest, d, J))
        return
    # V = ½ k c² (q - l/c)²
    ((joint, c),) = terms.items()
    stiffness, damping, armature = k * c * c, d * c * c, J * c * c
    place = exact(ratio(rest, c))
    for own, value in (
        (parts.stiffness, stiffness),
        (parts.moment, stiffness * place),
        (parts.damping, damping),
        (parts.armature, armature),
    ):
        own[joint] = own.get(joint, 0) + value


def _straight(view: View, i: int) -> tuple[Frame, Frame] | None:
    """Return the ends of a tendon that runs straight from one site to another body's."""
    m, site = view.model, int(view.mujoco.mjtWrap.mjWRAP_SITE)
    first, count = int(m.tendon_adr[i]), int(m.tendon_num[i])
    if count != 2 or any(int(m.wrap_type[first + j]) != site for j in range(2)):
        return None
    sites = [int(m.wrap_objid[first + j]) for j in range(2)]
    bodies = [view.bodies[int(m.site_bodyid[x])] for x in sites]
    if bodies[0] == bodies[1]:
        return None
    one, two = (
        Frame(f"{view.tendons[i]}/{j}", body, Pose(p=vector(m.site_pos[x])))
        for j, (body, x) in enumerate(zip(bodies, sites, strict=True), 1)
    )
    return one, two
