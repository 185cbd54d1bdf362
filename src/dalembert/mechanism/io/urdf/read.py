"""Read URDF: strictly, every fault reported with file, line, element and remedy."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace

from dalembert.errors import UnknownName, nearest
from dalembert.mechanism.given import items
from dalembert.mechanism.io.urdf.joint import JointElement, Parts, parts_of, read_joint
from dalembert.mechanism.io.urdf.link import DYNAMIC_TAGS, read_link
from dalembert.mechanism.io.urdf.motion import note_missing_inertia
from dalembert.mechanism.io.urdf.shape import read_materials, with_shapes
from dalembert.mechanism.io.urdf.tree import (
    Links,
    check_mimics,
    distinct_joints,
    distinct_links,
    find_root,
)
from dalembert.mechanism.io.xml.attributes import check_attributes, check_children
from dalembert.mechanism.io.xml.diagnosis import Diagnosis, Report, shown
from dalembert.mechanism.io.xml.source import Source, file_name, is_text, read_text
from dalembert.mechanism.io.xml.xml import MAX_NAME, Element, parse_xml
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.parts.link import Link

WORLD = "world"
REPAIRS = ("inertias", "limits", "names", "elements", "angles")
ROOT_ADVICE = {
    "mujoco": "this is an MJCF file; save it as .xml and load it as such",
    "sdf": "this is an SDF file; save it as .sdf and load it as such",
    "Robot": "write <robot> in small letters",
}


def load_urdf(
    source: Source, *, repair: bool | Collection[str] = False, accept_nonphysical: bool = False
) -> Mechanism:
    """Read a mechanism from a URDF file, or from its text.

    Only the given file is opened; meshes are names, see `locate_meshes`. Numbers are exact by their
    decimal meaning. The root link does not move; see `Mechanism.with_floating_base`. A planar joint
    becomes two sliders and a hinge. A parent ``world`` without a link of that name is added. A file
    without inertias has kinematics; its dynamics raise `MissingInertia`. What is repaired, doubtful
    or ignored is listed in ``notes`` of the mechanism.

    Args:
        source: a path; or the text itself: bytes, or a string that starts with ``<``.
        repair: what may be repaired, each time with a note: True for all, or some of
            "inertias" (no body has them: the nearest consistent one, see `nearest_consistent`;
            an absent <inertia>: a point mass; an inertia without mass is kept),
            "limits" (absent or contradictory: unlimited), "names" (a robot without one: the
            file's), "elements" (repeated: the first; misspelt or misplaced: ignored), "angles" (few
            digits of a multiple of π/4, as 1.5708: that multiple; placements become exact).
        accept_nonphysical: keep inertias that no body has, and compute dynamics of joints that move
            no inertia; other programs do both. It goes before the repair of inertias.

    Raises:
        InvalidMechanism: the file is wrong; the message has one line for each error, with the
            line in the file, the element, and what to do.

    Reference: http://wiki.ros.org/urdf/XML

    >>> arm = load_urdf('''<robot name="pendulum">
    ...   <link name="base"/>
    ...   <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    ...     <inertia ixx="0.2" iyy="0.2" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ...   <joint name="hinge" type="continuous"><axis xyz="0 1 0"/>
    ...     <parent link="base"/><child link="rod"/></joint>
    ... </robot>''')
    >>> print(arm)
    pendulum: 2 links, 1 degree of freedom
      base → rod  continuous hinge  v[0]
    """
    report, mechanism = _read(source, repair, accept_nonphysical)
    report.raise_errors()
    assert mechanism is not None
    return mechanism


def diagnose_urdf(
    source: Source, *, repair: bool | Collection[str] = False, accept_nonphysical: bool = False
) -> tuple[Diagnosis, ...]:
    """Return every finding in a URDF file as data, where `load_urdf` raises the errors.

    >>> [found.line for found in diagnose_urdf('<robot name="r">\\n<link/>\\n</robot>')]
    [2]
    """
    return tuple(_read(source, repair, accept_nonphysical)[0].diagnoses)


def _read(
    source: Source, repair: bool | Collection[str], accept_nonphysical: bool
) -> tuple[Report, Mechanism | None]:
    report = Report(file_name(source), repairs_of(repair), accept_nonphysical=accept_nonphysical)
    text = read_text(source, report)
    robot = parse_xml(text, report) if text is not None else None
    if robot is None or not _is_robot(report, robot):
        return report, None
    name = _robot_name(report, robot, source)
    # what stands in the file, element by element
    check_attributes(report, robot, "", ("name", "version"))
    check_children(report, robot, "", ("link", "joint", "material"), DYNAMIC_TAGS)
    found = [(read_link(report, element), element) for element in robot.all("link")]
    materials = read_materials(robot)
    shaped = [(with_shapes(report, link, e, materials), e) for link, e in found if link]
    links = distinct_links(report, shaped)
    read = [read_joint(report, element) for element in robot.all("joint")]
    joints = distinct_joints(report, [joint for joint in read if joint])
    # what it means together
    if not found:
        report.error(robot, "", "expected at least one <link>, got none", "add the links")
    if not links or len(links) < len(found) or len(joints) < len(read):
        return report, None
    _add_world(report, links, joints)
    root = find_root(report, links, joints)
    check_mimics(report, joints)
    if root is None or report.has_errors:
        return report, None
    return report, _mechanism(report, name, root, links, joints)


def _add_world(report: Report, links: Links, joints: dict[str, JointElement]) -> None:
    """Add the link ``world`` where joints hang on it and the file has none, as in Drake."""
    if WORLD in links:
        return
    for joint in joints.values():
        if joint.parent == WORLD:
            links[WORLD] = Link(WORLD), joint.element
            report.tally("link 'world', which the file does not have", joint.element.line, "added")
            return


def repairs_of(repair: bool | Collection[str]) -> Collection[str]:
    """Return the names of the repairs that an option allows; refuse others."""
    if isinstance(repair, bool):
        return REPAIRS if repair else ()
    names = [repair] if isinstance(repair, str) else items(repair, None, "names", "repair=")
    for name in names:
        if not isinstance(name, str) or name not in REPAIRS:
            raise UnknownName(
                f"expected repairs among {', '.join(REPAIRS)}, got {name!r:.60} "
                f"({nearest(str(name), REPAIRS)})"
            )
    return names


def _is_robot(report: Report, robot: Element) -> bool:
    if robot.tag == "robot":
        return True
    remedy = ROOT_ADVICE.get(robot.tag, "give a URDF file; its outermost element is <robot>")
    report.error(robot, "", f"expected the root <robot>, got <{robot.tag[:40]}>", remedy)
    return False


def _robot_name(report: Report, robot: Element, source: Source) -> str:
    name = robot.attributes.get("name", "")
    if name.strip() and len(name) <= MAX_NAME:
        return name
    stem = "robot" if is_text(source) else os.path.splitext(os.path.basename(report.file))[0]
    got = shown(name) if "name" in robot.attributes else "none"
    message = f"expected the attribute name, got {got}"
    report.fault("names", robot, "", message, 'write <robot name="…">', f"named {shown(stem)}")
    return stem or "robot"


def _mechanism(
    report: Report, name: str, root: str, links: Links, joints: dict[str, JointElement]
) -> Mechanism | None:
    parts = {key: parts_of(joint) for key, joint in joints.items()}
    _check_new_names(report, links, joints, parts)
    if report.has_errors:
        return None
    new = [link for part in parts.values() for link in part.links]
    rest = [link for link, _ in links.values() if link.name != root]
    elementary = (joint for part in parts.values() for joint in part.joints)
    mechanism = Mechanism(
        name,
        (links[root][0], *rest, *new),
        tuple(elementary),
        accept_nonphysical=report.accept_nonphysical,
    )
    elements = {x.name: joints[key].element for key, part in parts.items() for x in part.joints}
    note_missing_inertia(report, mechanism, links, elements)
    return replace(mechanism, notes=report.notes())


def _check_new_names(
    report: Report, links: Links, joints: dict[str, JointElement], parts: dict[str, Parts]
) -> None:
    """Check that the names a planar joint needs are free."""
    for joint in joints.values():
        part = parts[joint.name]
        if not part.links:
            continue
        taken = [link.name for link in part.links if link.name in links]
        taken += [j.name for j in part.joints if j.name in joints]
        if taken:
            message = (
                f"expected the name {shown(taken[0])} to be free for the planar joint, got it twice"
            )
            report.error(joint.element, "", message, "rename the other one", "name")
