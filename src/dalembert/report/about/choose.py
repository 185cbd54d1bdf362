"""From a mechanism or system to the subject of a report."""

from __future__ import annotations

from dalembert.mechanics import System
from dalembert.mechanics.kinds import by_kind
from dalembert.mechanism import Mechanism
from dalembert.report.about.lagrangian import Lagrangian
from dalembert.report.about.robot import Robot
from dalembert.report.about.subject import Options, Subject


def subject_of(given: Mechanism | System, options: Options | None = None) -> Subject:
    """Return the subject that a report is about.

    Raises:
        InvalidMechanism: it is neither a mechanism nor a system.
    """
    chosen = options or Options()
    return by_kind(
        given,
        "to report on",
        mechanism=lambda x: Robot(x, chosen),
        system=lambda x: Lagrangian(x, chosen),
    )
