"""From a mechanism or system to the subject of a report: a function for each kind."""

from __future__ import annotations

from functools import singledispatch

from dalembert.errors import InvalidMechanism
from dalembert.mechanics import System
from dalembert.mechanism import Mechanism
from dalembert.report.about.lagrangian import Lagrangian
from dalembert.report.about.robot import Robot
from dalembert.report.about.subject import Options, Subject


@singledispatch
def subject_of(given: object, options: Options = Options()) -> Subject:  # noqa: B008
    """Return the subject that a report is about.

    Raises:
        InvalidMechanism: nothing of a kind that is known.
    """
    raise InvalidMechanism(
        f"expected a Mechanism or a System to report on, got {type(given).__name__}: "
        "da.load reads a file, da.System takes energies"
    )


@subject_of.register
def _(given: Mechanism, options: Options = Options()) -> Subject:  # noqa: B008
    return Robot(given, options)


@subject_of.register
def _(given: System, options: Options = Options()) -> Subject:  # noqa: B008
    return Lagrangian(given, options)
