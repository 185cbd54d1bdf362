"""`dalembert analyse`: singularities, workspace, loads, parameters, conserved quantities."""

from collections.abc import Callable
from functools import cache
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
from dalembert.mechanics.kinds import by_kind
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
    results = by_kind(
        subject.description,
        "to analyse",
        mechanism=lambda x: _of_robot(x, subject, frame, samples),
        system=lambda x: _of_equations(subject, has_rolling=bool(x.velocity_constraints)),
    )
    for name, make in results.items():
        yield _part(name, make)


Results = dict[str, Callable[[], object]]


def _of_robot(mechanism: Mechanism, subject: Subject, frame: str | None, samples: int) -> Results:
    where = frame or tip(mechanism)
    results: Results = {
        "singularities": lambda: mechanism.singularities(where),
        "base_parameters": mechanism.base_parameters,
        "structure": lambda: _structure(subject, where, samples),
    }
    return results | _of_equations(subject) if mechanism.nv <= EXACT_JOINTS else results


def _of_equations(subject: Subject, *, has_rolling: bool = False) -> Results:
    """Return what follows from the exact equations, which are derived once."""
    equations = cache(subject.equations)
    results: Results = {
        "degrees_of_freedom": lambda: equations().degrees_of_freedom(),
        "conserved": lambda: _conserved(equations()),
    }
    if subject.description.parameters:
        results["lumped_parameters"] = lambda: equations().lumped()
    if has_rolling:
        results["integrability"] = lambda: equations().integrability()
    return results


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
    found = [f"{x.name}: {x.quantity}{x.where}  ({x.reason})" for x in eq.conserved()]
    return "\n".join(found) or "none was found"
