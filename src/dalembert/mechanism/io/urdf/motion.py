"""Find freedoms that move nothing: their row of the mass matrix would be zero."""

from __future__ import annotations

from collections.abc import Callable

from dalembert.mechanism.io.urdf.joint import JointElement, Parts
from dalembert.mechanism.io.urdf.tree import Links
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.parts.joint import Joint, JointKind
from dalembert.mechanism.parts.link import Link
from dalembert.spatial.inertia.consistency import principal_second_moments
from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia
from dalembert.spatial.vectors import Vec, dot, rotate


def check_motion(
    report: Report, links: Links, joints: dict[str, JointElement], parts: dict[str, Parts]
) -> None:
    """Report a model without any inertia, and every freedom that moves no inertia.

    A link without mass is fine as long as something behind it has mass.
    """
    if all(link.is_massless for link, _ in links.values()):
        place = next(iter(links.values()))[1]
        message = "expected links with mass and inertia, got none in the whole file"
        report.error(
            place, "", message, "add an <inertial> to the links; without it nothing has dynamics"
        )
        return
    moved = _inertia_behind(links, joints)
    for name, group in _drivers(joints).items():
        joint = joints[name]
        if joint.type == "fixed" or any(_has_effect(j, parts[j.name], moved) for j in group):
            continue
        body, _ = moved[joint.child]
        missing = "no mass" if body.m == 0 else "no inertia about the joint's axis"
        first = f"link {shown(joint.child)}"
        message = f"expected a link with inertia behind the joint, got {missing} from {first} on"
        remedy = f"add an <inertial> to {first}, or make the joint fixed"
        record: Callable[..., None] = report.error
        if report.accept_nonphysical:
            record, remedy = report.warn, "kept as it is: the mass matrix is singular"
        else:
            remedy += ", or load with accept_nonphysical=True (the mass matrix is singular)"
        record(joint.element, "", message, remedy)


def _inertia_behind(
    links: Links, joints: dict[str, JointElement]
) -> dict[str, tuple[Inertia, bool]]:
    """Return for every link what is behind it: the inertia welded to it, and whether more moves.

    The flag is set if a link with mass hangs on it by a joint that moves.
    """
    below: dict[str, list[JointElement]] = {name: [] for name in links}
    above: dict[str, str] = {}
    for joint in joints.values():
        below[joint.parent].append(joint)
        above[joint.child] = joint.parent
    order = [name for name in links if name not in above]
    for name in order:
        order.extend(joint.child for joint in below[name])
    moved: dict[str, tuple[Inertia, bool]] = {}
    for name in reversed(order):
        body, more = links[name][0].inertia, False
        for joint in below[name]:
            inertia, beyond = moved[joint.child]
            if joint.type == "fixed":
                massless = Link("", inertia).is_massless
                body = body if massless else body + inertia.moved(joint.placement)
                more = more or beyond
            else:
                more = more or beyond or not Link("", inertia).is_massless
        moved[name] = (body, more)
    return moved


def _drivers(joints: dict[str, JointElement]) -> dict[str, list[JointElement]]:
    """Return for each joint that moves by itself the joints that move with it, itself included."""
    groups: dict[str, list[JointElement]] = {}
    # for each joint the one that drives it; None where a multiplier of zero holds it
    drivers: dict[str, str | None] = {}
    for joint in joints.values():
        chain, at = [], joint
        while at.name not in drivers and at.mimic is not None:
            chain.append(at)
            at = joints[at.mimic.joint]
        driver = drivers.setdefault(at.name, at.name)
        for follower in reversed(chain):
            assert follower.mimic is not None
            driver = driver if follower.mimic.multiplier else None
            drivers[follower.name] = driver
        if (driver := drivers[joint.name]) is not None:
            groups.setdefault(driver, []).append(joint)
    return groups


def _has_effect(joint: JointElement, parts: Parts, moved: dict[str, tuple[Inertia, bool]]) -> bool:
    """Tell whether the joint moves inertia; what moves further behind it counts as such."""
    body, more = moved[joint.child]
    last = parts.joints[-1]
    if more:
        return True
    if last.kind is JointKind.FLOATING:
        return body.m > 0 and _turns_everywhere(body)
    if last.kind is JointKind.PRISMATIC:
        return body.m > 0
    if joint.type == "planar" and body.m == 0:
        return False
    # aᵀ I a about the joint's axis, which goes through the child's origin
    a = _axis_in_child(last)
    return dot(a, rotate(body.tensor, a)) != 0


def _axis_in_child(joint: Joint) -> Vec:
    R = joint.after.R
    a = joint.axis
    return (
        R[0][0] * a[0] + R[1][0] * a[1] + R[2][0] * a[2],
        R[0][1] * a[0] + R[1][1] * a[1] + R[2][1] * a[2],
        R[0][2] * a[0] + R[1][2] * a[1] + R[2][2] * a[2],
    )


def _turns_everywhere(body: Inertia) -> bool:
    """Tell whether the body resists every rotation: not all of its mass lies on one line."""
    if body == NO_INERTIA:
        return False
    values, _, _ = principal_second_moments(body)
    _, middle, largest = sorted(abs(float(k)) for k in values)
    return middle > 1e-14 * largest > 0
