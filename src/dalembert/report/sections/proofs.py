"""What is proved about the equations, with the hypotheses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dalembert.mechanics.proofs.proof import Proof
from dalembert.report.about import Subject
from dalembert.report.content import Remarks, Section, Text


def proofs(subject: Subject) -> Section:
    """Return the proofs of the mechanism or of the equations, and what is conserved."""
    found = subject.prove()
    count = sum(proof.is_proved for proof in found)
    words = f"{count} of {len(found)} statements are proved. Hypotheses stand in brackets."
    usual = _usual_method(found)
    if usual:
        words += f" Where nothing else is said: {usual}."
    items = [str(proof).replace(f"\n    {usual}", "") if usual else str(proof) for proof in found]
    section = Section("Proofs", [Text(words), Remarks(tuple(items))])
    kept = subject.equations.conserved() if subject.is_readable else []
    if kept:
        section.blocks.append(Text("Conserved along every motion without applied forces:"))
        section.blocks.append(Remarks(tuple(f"{c.name}: {c.quantity}\n{c.reason}" for c in kept)))
    return section


def _usual_method(proofs: Sequence[Proof]) -> str:
    """Return the method that most proofs share, nothing if few do."""
    counts = Counter(proof.method for proof in proofs if proof.is_proved)
    method, count = counts.most_common(1)[0] if counts else ("", 0)
    return method if count > 2 else ""
