"""Say which links of a file have no inertia: joints that move only these have no dynamics."""

from __future__ import annotations

from collections.abc import Mapping

from dalembert.mechanism.io.urdf.tree import Links
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.io.xml.xml import Element
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.moved_inertia import Idle, idle_joints

GIVE = "add an <inertial>, or a payload later; load with massless=True if it has none"


def note_missing_inertia(
    report: Report, mechanism: Mechanism, links: Links, joints: Mapping[str, Element]
) -> None:
    """Warn of joints that move no inertia, and of links without one that move with others.

    Kinematics needs no masses. Where the mass matrix would be singular, dynamics raise
    `MissingInertia`; elsewhere a link without inertia counts as massless.
    """
    idle = idle_joints(mechanism)
    if idle and all(link.is_massless for link in mechanism.links):
        place = next(iter(links.values()))[1]
        message = "expected links with mass and inertia for dynamics, got none in the whole file"
        report.warn(place, "", message, "only kinematics is there; add an <inertial> to the links")
        return
    for found in idle:
        _note(report, found, joints[found.joint])
    known = {name for found in idle for name in found.links}
    for joint in mechanism.moving_joints:
        link = mechanism.link(joint.child)
        is_given = link.has_inertia or not link.is_massless
        if link.name in links and link.name not in known and not is_given:
            owner, line = f"link {shown(link.name)}", links[link.name][1].line
            report.tally("moving links without inertia", line, "taken as massless:", owner)


def _note(report: Report, idle: Idle, place: Element) -> None:
    missing = "no inertia about the joint's axis" if idle.has_mass else "no mass"
    first = f"link {shown(idle.links[0])}"
    message = f"expected a link with inertia behind the joint, got {missing} from {first} on"
    is_kept = idle.has_mass or report.accept_nonphysical
    remedy = "kept as it is: the mass matrix is singular" if is_kept else GIVE
    report.warn(place, "", message, remedy)
