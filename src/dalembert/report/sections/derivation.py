"""The derivation step by step, each step to be opened."""

from __future__ import annotations

from dalembert.report.about.subject import MAX_TERMS, Subject
from dalembert.report.content import Block, Folded, Formulas, Remarks, Section, Text

CALL = "equations().derivation()"


def derivation(subject: Subject) -> Section:
    """Return the steps from coordinates to equations, or how to get them where they are long."""
    section = Section("Derivation")
    if not subject.is_readable:
        section.blocks.append(Text(left_out(subject, "the steps", CALL)))
        return section
    words = "Lagrange's method, step by step. Every formula is exact."
    section.blocks.append(Text(words))
    # the proofs have a section of their own
    steps = [step for step in subject.derivation if step.title != "Properties"]
    for i, step in enumerate(steps, 1):
        blocks: list[Block] = [Text(step.sentence)]
        if step.formulas:
            blocks.append(Formulas(step.formulas))
        if step.remarks:
            blocks.append(Remarks(step.remarks))
        section.blocks.append(Folded(f"{i}. {step.title}", tuple(blocks)))
    return section


def left_out(subject: Subject, what: str, call: str) -> str:
    """Return the sentence that says what is missing on the page and how to get it."""
    return (
        f"Left out: {what}. M, C, N and A have {subject.size:,} terms, more than the {MAX_TERMS:,} "
        f"that are written on a page; {call} gives them."
    )
