"""`dalembert analyse`: singularities, workspace, loads, parameters, conserved quantities."""

from collections.abc import Callable
from typing import Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.find import find
from dalembert.cli.frames import tip
from dalembert.cli.options import Allow, File, Values
from dalembert.cli.output import Part, working
from dalembert.cli.subject import Subject
from dalembert.errors import DalembertError
from dalembert.mechanics import Equations
from dalembert.mechanism import Mechanism

EXACT_JOINTS = 4
"""Robots with more joints have equations that take too long to expand for a first look."""


@command
def analyse(
    file: File,
    frame: Annotated[str | None, typer.Option(help="A frame or link; that of the tip.")] = None,
    samples: Annotated[int, typer.Option(help="Of the workspace.", min=10, max=1_000_000)] = 2_000,
    value: Values = None,
    allow: Allow = None,
) -> Parts:
    """Say what a robot or system can do: each result when it is ready, or why there is none."""
    subject = find(file, allow, value)
    work: dict[str, Callable[[], object]] = {}
    description = subject.description
    if isinstance(description, Mechanism):
        where = frame or tip(description)
        work["singularities"] = lambda: description.singularities(where)
        work["base_parameters"] = description.base_parameters
        work["structure"] = lambda: _structure(subject, where, samples)
    if not isinstance(description, Mechanism) or description.nv <= EXACT_JOINTS:
        found: list[Equations] = []

        def equations() -> Equations:
            found[:] = found or [subject.equations()]
            return found[0]

        work["degrees_of_freedom"] = lambda: equations().degrees_of_freedom()
        work["conserved"] = lambda: _conserved(equations())
        if description.parameters:
            work["lumped_parameters"] = lambda: equations().lumped()
        if not isinstance(description, Mechanism) and description.velocity_constraints:
            work["integrability"] = lambda: equations().integrability()
    for name, make in work.items():
        yield _part(name, make)


def _part(name: str, make: Callable[[], object]) -> Part:
    """Return a result as text, or why there is none."""
    title = name.replace("_", " ")
    with working(title):
        try:
            text = str(make())
        except DalembertError as error:
            return Part(name, {"none": str(error)}, f"\n{title}: none, because {error}")
    return Part(name, text, f"\n{title}:\n{text}")


def _structure(subject: Subject, frame: str, samples: int) -> object:
    from dalembert.analysis import evaluate_structure

    model = subject.numeric_model()
    return evaluate_structure(model, frame, samples=samples, progress=False)


def _conserved(eq: Equations) -> str:
    found = [f"{x.name}: {x.quantity}  ({x.reason})" for x in eq.conserved()]
    return "\n".join(found) or "none was found"
