"""Formulas in LaTeX as MathML, which browsers show by themselves: no script, no font to fetch."""

from __future__ import annotations

import importlib
import re
from typing import Protocol

BETTER = {
    # brackets stretch in a row of their own
    "<mo>&#x0005B;</mo><mtable>": "<mrow><mo>[</mo><mtable>",
    "</mtable><mo>&#x0005D;</mo>": "</mtable><mo>]</mo></mrow>",
    # dots as large as those of our own formulas
    "<mo>&#x002D9;</mo></mover>": '<mo scriptlevel="0">˙</mo></mover>',
    "<mo>&#x000A8;</mo></mover>": '<mo scriptlevel="0">¨</mo></mover>',
}
"""What the converter writes, and what browsers show better."""
UNKNOWN = re.compile(r"<m[iot][^>]*>(\\[a-zA-Z]+|&)</m")


class Translator(Protocol):
    """What writes the HTML of a page."""

    body: list[str]


class Formula(Protocol):
    """A formula in the text of a page."""

    def astext(self) -> str:
        """Return its LaTeX."""
        ...


def inline(translator: Translator, formula: Formula) -> None:
    """Write a formula within a sentence."""
    _write(translator, formula, "inline")


def displayed(translator: Translator, formula: Formula) -> None:
    """Write a formula on lines of its own; a wide one scrolls."""
    translator.body.append('<div class="math">')
    try:
        _write(translator, formula, "block")
    finally:
        translator.body.append("</div>")


def mathml(latex: str, display: str) -> str:
    r"""Return a formula as MathML; LaTeX that the converter does not know is an error.

    >>> mathml(r"\nonsense x", "inline")
    Traceback (most recent call last):
    ValueError: expected LaTeX that latex2mathml knows, got \nonsense in \nonsense x
    """
    convert = importlib.import_module("latex2mathml.converter").convert
    # the converter knows these lines that are aligned at & under another name
    found = convert(re.sub(r"\\(begin|end)\{aligned\}", r"\\\1{split}", latex), display=display)
    if unknown := UNKNOWN.search(found):
        raise ValueError(f"expected LaTeX that latex2mathml knows, got {unknown[1]} in {latex}")
    for written, better in BETTER.items():
        found = found.replace(written, better)
    return found


def _write(translator: Translator, formula: Formula, display: str) -> None:
    translator.body.append(mathml(formula.astext(), display))
    # nothing below the formula is left to write
    raise importlib.import_module("docutils.nodes").SkipNode
