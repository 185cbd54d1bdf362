"""A report as PDF, by Typst."""

from __future__ import annotations

from dalembert.mechanics.equations.documents import typst_formula
from dalembert.report.build import Report
from dalembert.report.content import (
    Animation,
    Block,
    Code,
    Figure,
    Folded,
    Formulas,
    Remarks,
    Table,
    Text,
)
from dalembert.typeset.pdf import bullet, heading, pdf_of, typst_page
from dalembert.typeset.render.inline import typst_sentence
from dalembert.typeset.render.typst import typst_string

_FIGURE = '#figure(image(bytes({data}), format: "svg", width: {width}%), caption: [{caption}])'
_TABLE = "#table(columns: {columns}, stroke: 0.4pt + gray, {cells})"


def pdf(report: Report) -> bytes:
    """Return the pages."""
    blocks = []
    for section in report.sections:
        blocks.append(heading(section.title))
        blocks += [text for block in section.blocks for text in _block(block)]
    return pdf_of(typst_page(report.title, blocks))


def _block(block: Block) -> list[str]:
    match block:
        case Text(words):
            return [typst_sentence(words)]
        case Formulas(lines):
            return [text for formula in lines for text in typst_formula(formula)]
        case Remarks(items):
            return [*map(bullet, items)]
        case Table(caption, head, rows):
            cells = [typst_string(x) for row in (head, *rows) for x in row]
            table = _TABLE.format(columns=len(head), cells=", ".join(cells))
            return [f"#text(size: 9pt)[{typst_sentence(caption)}]", table]
        case Figure(svg, caption):
            words = typst_sentence(caption)
            return [_FIGURE.format(data=typst_string(svg), width=70, caption=words)]
        case Animation(figure):
            return _block(figure)
        case Code(_, language, text):
            return [
                f"#text(size: 7pt, raw({_raw(text)}, lang: {typst_string(language)}, block: true))"
            ]
        case Folded(title, blocks):
            return [heading(title, 2), *(text for b in blocks for text in _block(b))]


def _raw(text: str) -> str:
    """Return a string of Typst that keeps its line ends."""
    return ' + "\\n" + '.join(map(typst_string, text.split("\n")))
