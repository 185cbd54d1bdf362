"""A derivation as PDF."""

from dalembert.mechanics.equations.derivation import Derivation
from dalembert.report.build import Report
from dalembert.report.content import Block, Formulas, Remarks, Section, Text
from dalembert.report.writers.pdf import pdf


def derivation_pdf(derivation: Derivation, title: str) -> bytes:
    """Return a document with a section for each step.

    Raises:
        MissingDependency: the package typst is not installed.
    """
    sections = []
    for step in derivation:
        blocks: list[Block] = [Text(step.sentence)]
        if step.formulas:
            blocks.append(Formulas(step.formulas))
        if step.remarks:
            blocks.append(Remarks(step.remarks))
        # the writer numbers them
        sections.append(Section(step.title, blocks))
    return pdf(Report(title, tuple(sections)))
