"""A formula with its name, ``M = …``, in Unicode and in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.expr import Expr, Matrix, Notation, Symbol
from dalembert.expr.node import printer
from dalembert.ring import Element, rebuild
from dalembert.typeset.parts.write import SHORT_SIDE, aligned, equation_lines
from dalembert.typeset.printer import entry_trees
from dalembert.typeset.render.colored import ColoredForces, ColoredRenderer
from dalembert.typeset.render.inline import mathml_inline, typst_inline
from dalembert.typeset.render.latex import LatexRenderer
from dalembert.typeset.render.lines import LATEX_WIDTH, WIDTH, term_lines, wrap
from dalembert.typeset.render.mathml import MathmlRenderer
from dalembert.typeset.render.names import SCRIPT
from dalembert.typeset.render.renderer import Renderer
from dalembert.typeset.render.text import width
from dalembert.typeset.render.typst import TypstRenderer
from dalembert.typeset.rounding import Rounding, is_rounded
from dalembert.typeset.tree import Product

INDENT = 8

_BLOCK = "\\begin{aligned}\n& "
"""What may stand before the sign of a right side of several lines."""


@dataclass(frozen=True)
class DerivationLine:
    """One line ``left = right`` of a derivation.

    ``left`` and ``left_latex`` are the left side in Unicode and in LaTeX; ``form`` is the right
    side, of expressions or of ring elements, which need not be canonicalised to be printed;
    ``notation`` is that of the system; ``left_tree`` is the left side of an equation of motion, in
    which ``letters`` stand for named parts; ``explains`` is the letter of which this is the line.
    """

    left: str
    left_latex: str
    form: Expr | Element | Matrix
    notation: Notation | None = None
    left_tree: Product | None = None
    letters: tuple[Symbol, ...] = ()
    explains: Symbol | None = None

    @property
    def right(self) -> Expr | Matrix:
        """The right side as an expression or a matrix."""
        if isinstance(self.form, Matrix):
            return self.form.map(_expression)
        return _expression(self.form)

    @property
    def text(self) -> str:
        """The line in Unicode; a matrix stands beside its name."""
        if self.left_tree is not None:
            right = printer().text(self.form, named=False, **self.options)
            sign, right = self._related(right, "≈ ")
            return wrap(f"{self.left} {sign} {right}", most=WIDTH - INDENT)
        room = WIDTH - width(f"{self.left} = ") - INDENT
        sign, first = self._related(printer().text(self.form, most=room, **self.options), "≈ ")
        head = f"{self.left} {sign} "
        lines = first.split("\n")
        if not isinstance(self.form, Matrix):
            return "\n".join([head + lines[0], *(f"    {line}" for line in lines[1:])])
        rows = self.form.shape[0]
        if sign == "≈":
            # they stand below the sign
            lines = [
                line.removeprefix("  ") if 0 < i < rows else line for i, line in enumerate(lines)
            ]
        middle = (rows - 1) // 2 if self.form.rows else 0
        blank = " " * width(head)
        return "\n".join((head if i == middle else blank) + line for i, line in enumerate(lines))

    @property
    def latex(self) -> str:
        """The line in LaTeX."""
        sign, right = self._related(self.right_latex, r"\approx ")
        return f"{self.left_latex} {sign} {right}"

    @property
    def right_latex(self) -> str:
        """The right side in LaTeX."""
        return printer().latex(self.form, **self.options)

    @property
    def latex_lines(self) -> list[str]:
        """The line as lines of an aligned block; a long equation is broken between its terms."""
        if isinstance(self.form, Matrix) or self.left_tree is None:
            sign, right = self._related(self.right_latex, r"\approx ")
            return [f"{self.left_latex} &{sign} {right}"]
        style = self._notation or Notation()
        (right,) = Rounding(style.digits).trees(entry_trees([self.form], style.order))
        return equation_lines(self.left_tree, right, LatexRenderer(style.trig == "short"))

    @property
    def mathml(self) -> list[list[str]]:
        """The line as lines of MathML, then those of each named part."""
        (first, *more), *parts = self.right_mathml
        sign, first = self._related(first, "<mo>≈</mo>")
        left, equals = mathml_inline(self.left), f"<mo>{sign}</mo>"
        return self._with_left([[first, *more], *parts], left, ColoredRenderer, equals)

    @property
    def right_mathml(self) -> list[list[str]]:
        """The right side as lines of MathML, then those of each named part."""
        style = MathmlRenderer if self.left_tree is None else ColoredForces
        return printer().mathml(self.form, style=style, **self.options)

    @property
    def typst(self) -> list[list[str]]:
        """The line as lines of Typst mathematics, then those of each named part."""
        (first, *more), *parts = printer().typst(self.form, **self.options)
        sign, first = self._related(first, "≈ ")
        found = [[first, *more], *parts]
        return self._with_left(found, typst_inline(self.left), TypstRenderer, f" {sign} ")

    def _related(self, right: str, mark: str) -> tuple[str, str]:
        """Return the sign between the sides, and the right side without a mark of its own.

        The sign is ≈ where one of the sides has rounded numbers.
        """
        is_about = mark in right[: len(_BLOCK) + len(mark)]
        if is_about:
            right = right.replace(mark, "", 1)
        if is_about or (self.left_tree is not None and is_rounded(self.left_tree)):
            return r"\approx" if "\\" in mark else "≈", right
        return "=", right

    def _with_left(
        self, found: list[list[str]], left: str, renderer: type[Renderer], equals: str
    ) -> list[list[str]]:
        """Return the lines with the left side in front, on lines of its own if it is long.

        A short right side stands on the last of them.
        """
        (first, *more), *parts = found
        if self.left_tree is None:
            return [[left + equals + first, *more], *parts]
        style = self.notation or Notation()
        most = LATEX_WIDTH
        tail = width(printer().text(self.form, named=False, **self.options))
        if tail <= SHORT_SIDE:
            most -= tail + len(" = ")
        above = term_lines(self.left_tree, renderer(style.trig == "short"), most)
        if more or (len(above) > 1 and tail > SHORT_SIDE):
            return [[*above, equals + first, *more], *parts]
        return [[*above[:-1], above[-1] + equals + first], *parts]

    @property
    def options(self) -> dict[str, Notation | None]:
        """The options that the printer is called with."""
        return {"notation": self._notation}

    @property
    def _notation(self) -> Notation | None:
        """The notation, in which a matrix M has entries M₁₂."""
        if self.notation is not None and self.left == "λ":
            return self.notation._replace(letter="lam")
        is_letter = len(self.left) == 1 and (self.left.isascii() or self.left in SCRIPT.values())
        if self.notation is None or not is_letter:
            return self.notation
        return self.notation._replace(letter=self.left)


def _expression(x: Expr | Element) -> Expr:
    return rebuild(x) if isinstance(x, Element) else x


def formulas_text(lines: Sequence[DerivationLine]) -> str:
    """Return the formulas of a result below each other."""
    return "\n".join(line.text for line in lines)


def formulas_latex(lines: Sequence[DerivationLine]) -> str:
    """Return the formulas of a result as one aligned block for a notebook."""
    return f"$\\displaystyle {aligned([x for line in lines for x in line.latex_lines])}$"
