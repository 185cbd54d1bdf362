"""C code of the equations."""

from __future__ import annotations

from dalembert.report.about import Subject
from dalembert.report.content import Block, Code, Folded, Section, Text

FUNCTIONS = ("inverse_dynamics", "mass_matrix")
MAX_CHARACTERS = 60_000


def code(subject: Subject) -> Section:
    """Return the header and the source of the inverse dynamics and the mass matrix."""
    found = subject.model.source("c", functions=FUNCTIONS)
    words = (
        "The programs that the model runs, as C99 without dependencies: inverse dynamics and mass "
        "matrix. model.source('c').save(folder) writes all functions."
    )
    blocks: list[Block] = [Text(words)]
    blocks.append(Folded("Header", (Code("Header", "c", found.header),)))
    if len(found.source) > MAX_CHARACTERS:
        words = (
            f"Left out: the source, {len(found.source):,} characters; model.source('c') gives it"
        )
        blocks.append(Text(f"{words}, model.source('rolled_c') a shorter one with loops."))
    else:
        blocks.append(Folded("Source", (Code("Source", "c", found.source),)))
    return Section("C code", blocks)
