"""What it is: a drawing, its joints, bodies or coordinates, and its parameters."""

from __future__ import annotations

from dalembert.expr import symbol_text
from dalembert.picture.svg import svg
from dalembert.report.about.subject import MAX_ROWS, Subject
from dalembert.report.content import Figure, Section, Table, Text, short


def overview(subject: Subject) -> Section:
    """Return the drawing, the table of its parts, and the parameters."""
    shown = subject.at_start
    caption = f"{subject.title} drawn from {shown.source}, where the simulation starts"
    section = Section("Overview", [Text(subject.summary), Figure(svg(shown, caption), caption)])
    section.blocks.append(subject.parts())
    if subject.given.parameters:
        section.blocks.append(_parameters(subject))
    return section


def _parameters(subject: Subject) -> Table:
    rows = [(str(x), symbol_text(x), short(value)) for x, value in subject.values.items()]
    caption = "Parameters, with the numbers of the figures and the simulation"
    return Table(caption, ("parameter", "name", "number"), tuple(rows[:MAX_ROWS]))
