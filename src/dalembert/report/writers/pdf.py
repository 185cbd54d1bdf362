"""A report as PDF, by Typst."""

from __future__ import annotations

import re

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

# points of paper for a unit of a drawing
_POINTS = 0.68
_FIGURE = '#figure(image(bytes({data}), format: "svg", width: {width}pt), caption: [{caption}])'
_TABLE = "#table(columns: {columns}, stroke: 0.4pt + gray, table.header({head}), {cells})"


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
            cells = ", ".join(typst_string(x) for row in rows for x in row)
            names = ", ".join(map(typst_string, head))
            table = _TABLE.format(columns=len(head), head=names, cells=cells)
            return [f"#text(size: 9pt)[{typst_sentence(caption)}]", table]
        case Figure(svg, caption):
            return [_figure(svg, caption)]
        case Animation():
            return _block(block.still)
        case Code(_, language, text):
            return [
                f"#text(size: 7pt, raw({_raw(text)}, lang: {typst_string(language)}, block: true))"
            ]
        case Folded(title, blocks):
            # headings on paper are numbered by themselves
            plain = title.lstrip("0123456789. ")
            return [heading(plain, 2), *(text for b in blocks for text in _block(b))]


def _figure(svg: str, caption: str) -> str:
    units = re.search(r'<svg [^>]*width="([0-9.]+)"', svg)
    assert units is not None
    width = round(_POINTS * float(units[1]))
    return _FIGURE.format(data=typst_string(svg), width=width, caption=typst_sentence(caption))


def _raw(text: str) -> str:
    """Return a string of Typst that keeps its line ends."""
    return ' + "\\n" + '.join(map(typst_string, text.split("\n")))
