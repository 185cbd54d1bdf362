"""A report as one HTML page that needs nothing else: style, script, drawings and data inside."""

from __future__ import annotations

import json
from html import escape

from dalembert.mechanics.equations.documents import html_formula
from dalembert.report.build import Report
from dalembert.report.content import (
    Animation,
    Block,
    Code,
    Figure,
    Folded,
    Formulas,
    Remarks,
    Section,
    Table,
    Text,
)
from dalembert.report.writers.style import SCRIPT, STYLE
from dalembert.typeset.parts.write import aligned
from dalembert.typeset.render.inline import mathml_sentence

# nothing may be fetched, and no form sent, whatever is on the page
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "form-action 'none'; base-uri 'none'"
)

MARKS = "✓✗?"
"""Of statements that are proved, refuted and undecided."""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<nav aria-label="Sections"><ul>{contents}</ul></nav>
</header>
<main>
{sections}
</main>
<script>{script}</script>
</body>
</html>
"""


def html(report: Report) -> str:
    """Return the page; every word of a person is escaped."""
    contents = "".join(
        f'<li><a href="#s{i}">{escape(section.title)}</a></li>'
        for i, section in enumerate(report.sections, 1)
    )
    return _PAGE.format(
        policy=escape(_POLICY),
        title=escape(report.title),
        style=STYLE,
        contents=contents,
        sections="\n".join(_section(i, s) for i, s in enumerate(report.sections, 1)),
        script=SCRIPT,
    )


def _section(number: int, section: Section) -> str:
    blocks = "\n".join(map(_block, section.blocks))
    head = f'<h2 id="h{number}">{escape(section.title)}</h2>'
    return f'<section id="s{number}" aria-labelledby="h{number}">\n{head}\n{blocks}\n</section>'


def _block(block: Block) -> str:
    match block:
        case Text(words):
            return f"<p>{mathml_sentence(words)}</p>"
        case Formulas():
            return _formulas(block)
        case Remarks(items):
            listed = f"<ul>{''.join(map(_remark, items))}</ul>"
            return f'<div class="scroll" tabindex="0" role="group" aria-label="List">{listed}</div>'
        case Table():
            return _table(block)
        case Figure(svg, caption):
            return f"<figure>{svg}<figcaption>{mathml_sentence(caption)}</figcaption></figure>"
        case Animation():
            return _animation(block)
        case Code(caption, _, text):
            words = escape(caption)
            return f'<pre tabindex="0" role="group" aria-label="{words}">{escape(text)}</pre>'
        case Folded(title, blocks):
            inside = "\n".join(map(_block, blocks))
            head = f"<summary>{mathml_sentence(title)}</summary>"
            return f"<details>{head}<div>{inside}</div></details>"


def _formulas(block: Formulas) -> str:
    shown = "\n".join(map(html_formula, block.lines))
    latex = aligned([line for formula in block.lines for line in formula.latex_lines])
    copy = f'<pre tabindex="0" role="group" aria-label="LaTeX">{escape(latex)}</pre>'
    return (
        f'<div class="formulas" tabindex="0" role="group" aria-label="Formulas">{shown}</div>'
        f'<details class="latex"><summary>LaTeX to copy</summary>{copy}</details>'
    )


def _remark(item: str) -> str:
    first, *more = item.split("\n")
    below = "".join(f"<br><small>{mathml_sentence(line.strip())}</small>" for line in more)
    mark, _, words = first.partition(" ")
    if len(mark) != 1 or mark not in MARKS:
        return f"<li>{mathml_sentence(first)}{below}</li>"
    kind = "verdict proved" if mark == MARKS[0] else "verdict"
    return f'<li class="{kind}"><span>{mark}</span>{mathml_sentence(words)}{below}</li>'


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{mathml_sentence(x)}</th>' for x in table.head)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(x)}</td>' for x in row)}</tr>" for row in table.rows
    )
    caption = f"<caption>{mathml_sentence(table.caption)}</caption>"
    name = escape(table.caption)
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{name}"><table>{caption}'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _animation(block: Animation) -> str:
    # what ends a script element has no place in its data
    data = json.dumps({"times": block.times, "frames": block.frames}, separators=(",", ":"))
    data = data.replace("<", "\\u003c")
    end = block.times[-1]
    player = (
        '<div class="player"><button type="button">Play</button>'
        f'<input type="range" min="0" max="{end:g}" step="any" value="0" aria-label="Time">'
        "<output>0.00 s</output></div>"
    )
    caption = f"<figcaption>{mathml_sentence(block.figure.caption)}</figcaption>"
    script = f'<script type="application/json">{data}</script>'
    return f'<figure class="motion">{block.figure.svg}{player}{caption}{script}</figure>'
