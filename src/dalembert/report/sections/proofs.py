"""What is proved about the equations, with the hypotheses."""

from __future__ import annotations

from dalembert.report.content import Remarks, Section, Text
from dalembert.report.subject import Subject


def proofs(subject: Subject) -> Section:
    """Return the proofs of the mechanism or of the equations, and what is conserved."""
    found = subject.mechanism.prove() if subject.mechanism else subject.equations.prove()
    count = sum(proof.is_proved for proof in found)
    words = f"{count} of {len(found)} statements are proved. Hypotheses stand in brackets."
    section = Section("Proofs", [Text(words), Remarks(tuple(map(str, found)))])
    kept = subject.equations.conserved() if subject.is_readable else []
    if kept:
        section.blocks.append(Text("Conserved along every motion without applied forces:"))
        section.blocks.append(Remarks(tuple(f"{c.name}: {c.quantity}\n{c.reason}" for c in kept)))
    return section
