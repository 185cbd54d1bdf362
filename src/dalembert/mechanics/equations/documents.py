"""A derivation as a document of its own: LaTeX, HTML and Typst, from which PDF is made."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from dalembert.typeset.font.style import math_style
from dalembert.typeset.pdf import bullet, displayed, heading, introduced, typst_page
from dalembert.typeset.render.inline import mathml_sentence
from dalembert.typeset.render.kinds import style
from dalembert.typeset.render.sentences import latex_sentence

if TYPE_CHECKING:
    from dalembert.mechanics.equations.derivation import DerivationStep
    from dalembert.mechanics.equations.formula import DerivationLine

_LATEX_HEAD = r"""\documentclass[10pt, fleqn]{article}
\usepackage[a4paper, margin=20mm]{geometry}
\usepackage{amsmath, amssymb}
\allowdisplaybreaks
\emergencystretch=5em
\begin{document}
"""

_WITH = "<mtext>with&#xA0;</mtext>"
_HTML_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<title>{title}</title>
<style>
{fonts}
body {{ font-family: serif; max-width: 60em; margin: 2em auto; line-height: 1.4; padding: 0 1em; }}
math[display] {{ display: block; margin: 0.6em 2em; text-align: left; }}
pre {{ font-family: inherit; white-space: pre-wrap; margin: 0.2em 1em; }}
</style>
</head>
<body>
<h1>{title}</h1>
"""


def latex_document(title: str, steps: Sequence[DerivationStep]) -> str:
    """Return the steps as sections of an article."""
    parts = [_LATEX_HEAD + rf"\section*{{{latex_sentence(title)}}}"]
    for i, step in enumerate(steps, 1):
        parts.append(rf"\subsection*{{{i}. {latex_sentence(step.title)}}}")
        parts.append(latex_sentence(step.sentence))
        if step.formulas:
            parts.append(
                _latex_block([x for formula in step.formulas for x in formula.latex_lines])
            )
        if step.remarks:
            items = [rf"\item {latex_sentence(_one_line(remark))}" for remark in step.remarks]
            parts.append("\n".join([r"\begin{itemize}", *items, r"\end{itemize}"]))
    return "\n\n".join(parts) + "\n\n\\end{document}\n"


def _latex_block(lines: Sequence[str]) -> str:
    """Return lines that begin at the left margin: a long one keeps the whole width."""
    flush = [
        line if line.startswith("& ") else f"& {line.replace('&= ', '= ', 1)}" for line in lines
    ]
    # align* may be broken between pages, aligned may not
    body = " \\\\\n".join(flush)
    return f"\\begin{{align*}}\n{_ascii(body)}\n\\end{{align*}}"


def _ascii(latex: str) -> str:
    return latex.replace("…", r"\ldots")


def _one_line(remark: str) -> str:
    return " — ".join(line.strip() for line in remark.split("\n"))


def html_page(title: str, steps: Sequence[DerivationStep]) -> str:
    """Return the steps as sections of a page."""
    parts = [_HTML_HEAD.format(title=escape(title), fonts=math_style() + style())]
    for i, step in enumerate(steps, 1):
        parts.append(
            f"<h2>{i}. {mathml_sentence(step.title)}</h2>\n<p>{mathml_sentence(step.sentence)}</p>"
        )
        parts += [html_formula(formula) for formula in step.formulas]
        parts += [f"<pre>{escape(remark)}</pre>" for remark in step.remarks]
    return "\n".join([*parts, "</body>", "</html>", ""])


def html_formula(formula: DerivationLine) -> str:
    """Return the lines of a formula and its named parts, each as MathML."""
    main, *parts = formula.mathml
    lines = [*_indented(main)]
    for i, (first, *more) in enumerate(parts):
        words = (
            "<mphantom><mtext>with&#xA0;</mtext></mphantom>" if i else "<mtext>with&#xA0;</mtext>"
        )
        lines += _indented([words + first, *more])
    return "\n".join(map(_math, lines))


def _indented(lines: Sequence[str]) -> list[str]:
    return [lines[0], *(f'<mspace width="2em"/>{line}' for line in lines[1:])]


def typst_document(title: str, steps: Sequence[DerivationStep]) -> str:
    """Return the steps as numbered sections of a Typst document."""
    return typst_page(title, [block for step in steps for block in typst_blocks(step)])


def typst_blocks(step: DerivationStep, level: int = 1) -> list[str]:
    """Return heading, sentence, formulas and remarks of a step in Typst."""
    blocks = [heading(step.title, level), introduced(step.sentence)]
    for formula in step.formulas:
        blocks += typst_formula(formula)
    return [*blocks, *map(bullet, step.remarks)]


def typst_formula(formula: DerivationLine) -> list[str]:
    """Return a formula and its named parts, each as a displayed block of Typst."""
    main, *parts = formula.typst
    blocks = [displayed(main)]
    for i, (first, *more) in enumerate(parts):
        words = '#hide("with ")' if i else '"with "'
        blocks.append(displayed([f"{words} {first}", *more]))
    return blocks


def _math(inside: str) -> str:
    space = "http://www.w3.org/1998/Math/MathML"
    return f'<math xmlns="{space}" display="block"><mrow>{inside}</mrow></math>'
