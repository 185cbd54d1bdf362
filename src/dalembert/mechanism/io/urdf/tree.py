"""Checks of the whole: names, one root, no rings, mimics, and inertia behind every joint."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.mechanism.io.urdf.joint import SCALAR, JointElement
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.io.xml.xml import Element
from dalembert.mechanism.parts.link import Link

Links = dict[str, tuple[Link, Element]]


def distinct_links(report: Report, found: Sequence[tuple[Link, Element]]) -> Links:
    """Return the links by name; a name that comes twice is an error."""
    links: Links = {}
    for link, element in found:
        if link.name in links:
            first = links[link.name][1].line
            message = f"expected distinct link names, got {shown(link.name)} also at line {first}"
            report.error(element, "", message, "rename one of them", "name")
        else:
            links[link.name] = (link, element)
    return links


def distinct_joints(report: Report, found: Sequence[JointElement]) -> dict[str, JointElement]:
    """Return the joints by name; a name that comes twice is an error."""
    joints: dict[str, JointElement] = {}
    for joint in found:
        if joint.name in joints:
            first = joints[joint.name].element.line
            message = f"expected distinct joint names, got {shown(joint.name)} also at line {first}"
            report.error(joint.element, "", message, "rename one of them", "name")
        else:
            joints[joint.name] = joint
    return joints


def find_root(report: Report, links: Links, joints: dict[str, JointElement]) -> str | None:
    """Return the root of the tree, or None when the joints do not form one."""
    above: dict[str, JointElement] = {}
    sound = True
    for joint in joints.values():
        sound &= _check_ends(report, joint, links, above)
    if not sound:
        return None
    roots = [name for name in links if name not in above]
    if not roots:
        _report_ring(report, above, next(iter(above)))
        return None
    if len(roots) > 1:
        listed = ", ".join(f"{shown(r)} (line {links[r][1].line})" for r in roots[:8])
        more = f" and {len(roots) - 8} more" * (len(roots) > 8)
        message = f"expected one link without a parent, got {len(roots)}: {listed}{more}"
        remedy = "join them with a joint, or remove the links that nothing holds"
        report.error(links[roots[1]][1], "", message, remedy)
        return None
    return roots[0] if _all_reached(report, roots[0], links, above) else None


def _check_ends(
    report: Report, joint: JointElement, links: Links, above: dict[str, JointElement]
) -> bool:
    owner, sound = f"joint {shown(joint.name)}", True
    for tag, end in (("parent", joint.parent), ("child", joint.child)):
        if end not in links:
            place = next(iter(joint.element.all(tag)), joint.element)
            message = f"expected a link of this file, got {shown(end)}"
            report.error(place, owner, message, report.nearest(end, links), "link")
            sound = False
    if not sound:
        return False
    place = next(iter(joint.element.all("child")), joint.element)
    if joint.parent == joint.child:
        message = f"expected two different links, got {shown(joint.child)} as parent and child"
        report.error(place, owner, message, "name the link that moves as the child", "link")
        return False
    if joint.child in above:
        other = above[joint.child]
        message = (
            f"expected one parent for link {shown(joint.child)}, got joint {shown(other.name)} "
            f"(line {other.element.line}) too"
        )
        remedy = (
            "a URDF is a tree; remove one joint and close the ring with a loop of the mechanism"
        )
        report.error(place, owner, message, remedy, "link")
        return False
    above[joint.child] = joint
    return True


def _all_reached(report: Report, root: str, links: Links, above: dict[str, JointElement]) -> bool:
    """Tell whether every link hangs on the root; report one ring otherwise."""
    reached = {root}
    for name in links:
        path: list[str] = []
        at, seen = name, set()
        while at not in reached and at not in seen:
            seen.add(at)
            path.append(at)
            at = above[at].parent
        if at not in reached:
            _report_ring(report, above, at)
            return False
        reached.update(path)
    return True


def _report_ring(report: Report, above: dict[str, JointElement], start: str) -> None:
    """Report the ring of joints that the links above ``start`` run into."""
    seen: list[str] = []
    at = start
    while at not in seen:
        seen.append(at)
        at = above[at].parent
    ring = [*seen[seen.index(at) :], at][::-1]
    chain = " → ".join(ring if len(ring) < 10 else [*ring[:8], "…", ring[-1]])
    message = f"expected a tree of joints, got the ring {chain}"
    remedy = "remove one joint of the ring and close it with a loop of the mechanism"
    report.error(above[ring[-1]].element, "", message, remedy)


def check_mimics(report: Report, joints: dict[str, JointElement]) -> None:
    """Check that every mimic chain ends at a joint that moves by itself."""
    rings = _rings(joints)
    for joint in joints.values():
        if joint.mimic is None:
            continue
        owner = f"joint {shown(joint.name)}"
        place = next(iter(joint.element.all("mimic")), joint.element)
        master = joints.get(joint.mimic.joint)
        if master is None:
            message = f"expected a joint of this file, got {shown(joint.mimic.joint)}"
            report.error(place, owner, message, report.nearest(joint.mimic.joint, joints), "joint")
        elif master is joint:
            message = "expected another joint, got the joint itself"
            report.error(place, owner, message, "name the joint that drives it", "joint")
        elif master.type not in SCALAR:
            got = f"the {master.type} joint {shown(master.name)}"
            message = f"expected a joint with one freedom, got {got}"
            report.error(place, owner, message, "name the joint that drives it", "joint")
        elif joint.name in rings:
            message = "expected a joint that moves by itself in the end, got a ring of mimics"
            report.error(place, owner, message, "remove the <mimic> of one of them", "joint")


def _rings(joints: dict[str, JointElement]) -> set[str]:
    """Return the names of the joints that mimic each other in rings."""
    rings: set[str] = set()
    done: set[str] = set()
    for name in joints:
        path: dict[str, int] = {}
        at = name
        while at in joints and at not in done and at not in path:
            path[at] = len(path)
            mimic = joints[at].mimic
            if mimic is None:
                break
            at = mimic.joint
        else:
            if at in path:
                rings.update(list(path)[path[at] :])
        done.update(path)
    return rings
