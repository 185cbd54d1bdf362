"""A report in Markdown with LaTeX formulas; drawings are images inside the text."""

from __future__ import annotations

import re
from base64 import b64encode

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
from dalembert.typeset.parts.write import aligned

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!~$])")


def markdown(report: Report) -> str:
    """Return the text; signs of Markdown and HTML in the words of a person are escaped."""
    parts = [f"# {escaped(report.title)}"]
    for section in report.sections:
        parts.append(f"## {escaped(section.title)}")
        parts += [text for block in section.blocks for text in _block(block)]
    return "\n\n".join(parts) + "\n"


def escaped(words: str) -> str:
    r"""Return words in which no sign has a meaning.

    >>> print(escaped("<b> a_1"))
    \<b\> a\_1
    """
    return _SPECIAL.sub(r"\\\1", words)


def _block(block: Block) -> list[str]:
    match block:
        case Text(words):
            return [escaped(words)]
        case Formulas(lines):
            body = aligned([line for formula in lines for line in formula.latex_lines])
            return [f"$$\n{body}\n$$"]
        case Remarks(items):
            return ["\n".join(f"- {_one_line(item)}" for item in items)]
        case Table():
            return [_table(block)]
        case Figure(svg, caption):
            data = b64encode(svg.encode()).decode()
            return [f"![{escaped(caption)}](data:image/svg+xml;base64,{data})"]
        case Animation():
            return _block(block.still)
        case Code(_, language, text):
            # a fence longer than any inside
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            return [f"{fence}{language}\n{text.rstrip()}\n{fence}"]
        case Folded(title, blocks):
            return [f"### {escaped(title)}", *(text for b in blocks for text in _block(b))]


def _one_line(item: str) -> str:
    return " — ".join(escaped(line.strip()) for line in item.split("\n"))


def _table(table: Table) -> str:
    rows = [table.head, ["---"] * len(table.head)]
    lines = [f"| {' | '.join(map(escaped, row))} |" for row in table.rows]
    head = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"{escaped(table.caption)}:", "", *head, *lines])
