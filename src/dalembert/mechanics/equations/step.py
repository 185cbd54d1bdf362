"""A step of a derivation: a sentence with its formulas."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.mechanics.equations.formula import INDENT, DerivationLine
from dalembert.mechanics.equations.text import equations_page
from dalembert.ring import Element
from dalembert.typeset.parts.write import aligned
from dalembert.typeset.render.latex import LatexRenderer
from dalembert.typeset.render.lines import WIDTH
from dalembert.typeset.render.text import TextRenderer
from dalembert.typeset.tree import Product, SymbolLeaf, leaves

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


@dataclass(frozen=True)
class DerivationStep:
    """A step of a derivation: title, one sentence, formulas."""

    title: str
    sentence: str
    formulas: tuple[DerivationLine, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def latex(self) -> str:
        """The formulas as one aligned block."""
        lines = [line for formula in self.formulas for line in formula.latex_lines]
        return aligned(lines) if lines else ""

    @property
    def text(self) -> str:
        """The step in Unicode."""
        lines = [self.title, f"  {self.sentence}"]
        for formula in self.formulas:
            lines += [f"    {line}" for line in formula.text.split("\n")]
        for remark in self.remarks:
            for line in remark.split("\n"):
                blank = " " * (len(line) - len(line.lstrip()) + 4)
                lines += [f"  {x}" for x in fill(line, subsequent_indent=blank)]
        return "\n".join(lines)


def fill(text: str, subsequent_indent: str) -> list[str]:
    """Return a sentence on lines of at most `WIDTH` columns, broken between words."""
    return textwrap.wrap(text, WIDTH - INDENT, subsequent_indent=subsequent_indent) or [text]


def equation_line(eq: Equations, row: Product, right: Element) -> DerivationLine:
    """Return an equation of motion as a line; ``row`` is its left side."""
    short = eq.notation.trig == "short"
    text, latex = TextRenderer(short).render(row), LatexRenderer(short).render(row)
    used = {leaf.symbol for leaf in leaves(row) if isinstance(leaf, SymbolLeaf)}
    letters = tuple(name for name, _ in equations_page(eq).parts if name in used)
    return DerivationLine(text, latex, right, None, row, letters)
