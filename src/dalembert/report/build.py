"""Build a report: its sections in order, each from a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.display import Printed
from dalembert.errors import DalembertError
from dalembert.expr import BySymbol, Expr, Scalar
from dalembert.mechanics import System
from dalembert.mechanism import Mechanism
from dalembert.report.about import Subject, subject_of
from dalembert.report.about.subject import Options
from dalembert.report.content import Section, Text
from dalembert.report.sections.code import code
from dalembert.report.sections.conventions import conventions
from dalembert.report.sections.derivation import derivation
from dalembert.report.sections.equations import equations
from dalembert.report.sections.kinematics import kinematics
from dalembert.report.sections.motion import simulation
from dalembert.report.sections.overview import overview
from dalembert.report.sections.parameters import parameters
from dalembert.report.sections.proofs import proofs

if TYPE_CHECKING:
    from dalembert.mechanics.equations.routes.letters import Letters
    from dalembert.types import ArrayLike

Maker = Callable[[Subject], Section | None]

SECTIONS: dict[str, Maker] = {
    "Overview": overview,
    "Derivation": derivation,
    "Equations of motion": equations,
    "Lumped and base parameters": parameters,
    "Proofs": proofs,
    "Singularities, workspace and torque at rest": kinematics,
    "Simulation": simulation,
    "C code": code,
    "Conventions": conventions,
}
"""The sections by title, in the order of the page."""


@dataclass(frozen=True)
class Report(Printed):
    """A title and sections, ready to be written in any format.

    ``is_complete`` is False where Ctrl-C came before all sections were made; the last one says so.
    """

    title: str
    sections: tuple[Section, ...]
    is_complete: bool = True

    def __str__(self) -> str:
        until = "" if self.is_complete else " (interrupted)"
        return "\n".join([f"{self.title}{until}", *(f"  {x.title}" for x in self.sections)])


def build(
    subject: Mechanism | System,
    *,
    title: str | None = None,
    parameters: BySymbol[Scalar] | None = None,
    duration: float | None = None,
    points: Mapping[str, Sequence[Expr]] | None = None,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    letters: Letters | None = None,
    progress: bool = False,
) -> Report:
    """Return the report on a mechanism or system; the arguments are those of `write`.

    >>> import dalembert as da
    >>> page = build(da.textbook.particle(), title="Particle")
    >>> page.sections[2].title
    'Equations of motion'
    """
    about = subject_of(subject, Options(title, parameters, duration, points, q, qd, letters))
    made: list[Section] = []
    heading = ""
    try:
        for heading, make in _shown(SECTIONS.items(), progress):
            section = _section(heading, make, about)
            made += [section] if section is not None else []
    except KeyboardInterrupt:
        missing = list(SECTIONS)[list(SECTIONS).index(heading) if heading else 0 :]
        words = f"Interrupted. Left out: {', '.join(missing)}."
        return Report(about.title, (*made, Section("Interrupted", [Text(words)])), False)
    return Report(about.title, tuple(made))


def _section(title: str, make: Maker, subject: Subject) -> Section | None:
    """Return a section; one that cannot be made says why, and the others are untouched."""
    try:
        return make(subject)
    except DalembertError as error:
        return Section(title, [Text(f"Left out: {error}.")])


def _shown(items: Iterable[tuple[str, Maker]], progress: bool) -> Iterator[tuple[str, Maker]]:
    """Yield the items, with a bar on the error stream."""
    if not progress:
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(list(items), "report", console=Console(stderr=True), transient=True)
