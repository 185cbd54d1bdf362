"""A report as one HTML page that needs nothing else: style, script, drawings and data inside."""

from __future__ import annotations

from html import escape

from dalembert.mechanics.equations.documents import html_formula
from dalembert.mechanics.printed.copied import python_code
from dalembert.picture.page import STYLE as MOTION_STYLE
from dalembert.picture.page import figure, script
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
from dalembert.typeset.font.style import math_style
from dalembert.typeset.parts.write import aligned
from dalembert.typeset.render.inline import mathml_sentence
from dalembert.typeset.render.kinds import legend
from dalembert.typeset.render.kinds import style as kinds_style

# nothing may be fetched, and no form sent, whatever is on the page
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "font-src data:; "
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
        style=math_style() + kinds_style() + STYLE + MOTION_STYLE,
        contents=contents,
        sections="\n".join(_section(i, s) for i, s in enumerate(report.sections, 1)),
        script=script("draw.js") + script("player.js") + SCRIPT,
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
        case Animation(placed, caption, tip):
            return figure(placed, caption, tip=tip)
        case Code(caption, _, text):
            words = escape(caption)
            return f'<pre tabindex="0" role="group" aria-label="{words}">{escape(text)}</pre>'
        case Folded(title, blocks):
            # what the colours mean is told where equations are open
            inside = "\n".join(map(_block, blocks)).replace(legend(), "")
            head = f"<summary>{mathml_sentence(title)}</summary>"
            return f"<details>{head}<div>{inside}</div></details>"


def _formulas(block: Formulas) -> str:
    shown = "\n".join(map(html_formula, block.lines))
    copied = {
        "LaTeX": aligned([line for formula in block.lines for line in formula.latex_lines]),
        "Python": python_code(block.lines),
        "text": "\n".join(formula.text for formula in block.lines),
    }
    buttons = "".join(
        f'<button type="button" data-copy="{escape(text)}">{name}</button>'
        for name, text in copied.items()
        if text is not None
    )
    # the terms of equations have colours, which are told once
    colors = legend() if any(formula.left_tree for formula in block.lines) else ""
    return (
        f'{colors}<div class="formulas" tabindex="0" role="group" aria-label="Formulas">{shown}'
        '</div><div class="copy" role="group" aria-label="Copy formulas"><span>copy</span>'
        f"{buttons}</div>"
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
