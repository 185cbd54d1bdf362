"""What is proved about the equations, with the hypotheses, and what a certificate claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dalembert.errors import DalembertError
from dalembert.mechanics.proofs.proof import Proof
from dalembert.model import compile
from dalembert.report.about import Subject
from dalembert.report.content import Block, Remarks, Section, Text

MAX_CERTIFIED_TERMS = 10_000
"""Terms of M, C and N up to which a certificate takes about a second."""
HOW = "`dalembert certify` writes it, and `check.py` checks it without dalembert."


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
    section.blocks.extend(_certificate(subject))
    kept = subject.equations.conserved() if subject.is_readable else []
    if kept:
        section.blocks.append(Text("Conserved along every motion without applied forces:"))
        section.blocks.append(
            Remarks(tuple(f"{c.name}: {c.quantity}{c.where}\n{c.reason}" for c in kept))
        )
    return section


def _certificate(subject: Subject) -> list[Block]:
    """Return which claims a certificate makes, and why others are left out."""
    if subject.size > MAX_CERTIFIED_TERMS:
        return [Text(f"Certificate: not made here, for {subject.size:,} terms. {HOW}")]
    try:
        found = compile(subject.given).certificate()
    except DalembertError as error:
        return [Text(f"Certificate: none, {error}.")]
    claims = ", ".join(name.replace("_", " ") for name in found.claims)
    size = f"{len(found.text):,} bytes, accepted by the checker"
    words = f"Certificate: {size}. {HOW} It claims: {claims}."
    missing = [f"{name.replace('_', ' ')}: {why}" for name, why in found.missing.items()]
    return [
        Text(words),
        *([Text("It does not claim:"), Remarks(tuple(missing))] if missing else []),
    ]


def _usual_method(proofs: Sequence[Proof]) -> str:
    """Return the method that most proofs share, nothing if few do."""
    counts = Counter(proof.method for proof in proofs if proof.is_proved)
    method, count = counts.most_common(1)[0] if counts else ("", 0)
    return method if count > 2 else ""
