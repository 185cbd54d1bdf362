"""Which combinations of parameters the motion depends on: lumped and base parameters."""

from __future__ import annotations

from dalembert.expr import Expr
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.report.about import Subject
from dalembert.report.content import Block, Folded, Formulas, Remarks, Section, Text

MAX_LUMPED = 60


def parameters(subject: Subject) -> Section:
    """Return the lumped parameters of symbolic equations, and the base parameters."""
    section = Section("Lumped and base parameters")
    if subject.given.parameters and subject.is_readable:
        section.blocks.extend(_lumped(subject))
    found = subject.base_parameters()
    words = f"Of {len(found.full)} parameters the motion depends on {len(found)} combinations Θ."
    theta = DerivationLine("Θ", "\\Theta", found.combinations)
    section.blocks.append(Text(words))
    section.blocks.append(
        Folded("Base parameters", (Formulas((theta,)), Remarks((str(found.proof),))))
    )
    return section


def _lumped(subject: Subject) -> list[Block]:
    found = subject.equations.lumped()
    if len(found.table) > MAX_LUMPED:
        return [
            Text(
                f"Left out: {len(found.table)} lumped parameters; equations().lumped() gives them."
            )
        ]
    table = [_line(p, value) for p, value in found.table.items()]
    notation = subject.equations.notation
    parts = [DerivationLine(x, x, part, notation) for x, part in zip("MCN", found[:3], strict=True)]
    words = f"M, C and N contain the parameters in {len(table)} combinations."
    return [
        Text(words),
        Folded("Lumped parameters", (Formulas(tuple(table)), Formulas(tuple(parts)))),
    ]


def _line(p: Expr, value: Expr) -> DerivationLine:
    return DerivationLine(str(p), p.latex(), value)
