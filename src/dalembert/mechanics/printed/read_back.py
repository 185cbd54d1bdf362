"""Read back what is printed, and say what is wrong with it: nothing, unless the printer is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from dalembert.errors import DalembertError, EvaluationError
from dalembert.expr import Expr, Matrix, free_symbols, function, postorder, symbol
from dalembert.expr.undefined import UndefinedFunction, undefined_names
from dalembert.mechanics.points.compare import Comparison, compare
from dalembert.reader.page import Page, read_latex, read_mathml, read_text
from dalembert.ring import Element, rebuild
from dalembert.typeset.printer import latex_layout, page_layout, text_layout

if TYPE_CHECKING:
    from dalembert.mechanics.equations.formula import DerivationLine

Printed: TypeAlias = Expr | Element | Matrix

WORDS = "⟨"
"""What stands around words in place of a formula that is too large to print."""

LATEX_WORDS = r"\langle\text"


def fault_of_text(x: Printed, text: str, **options: Any) -> str:
    """Return what is wrong with a text; nothing if it is right, or words stand for a part.

    ``options`` are those that it was printed with: they decide which numbers are rounded.
    """
    if WORDS in text:
        return ""
    numbers = text_layout(x, **options).exact if "≈" in text else {}
    return fault_of(x, read_text(text, known_in(x), numbers))


def fault_of_latex(x: Printed, latex: str, **options: Any) -> str:
    """Return what is wrong with LaTeX, as `fault_of_text` does."""
    if LATEX_WORDS in latex:
        return ""
    numbers = latex_layout(x, **options).exact if r"\approx" in latex else {}
    return fault_of(x, read_latex(latex, known_in(x), numbers))


def fault_of_mathml(
    x: Printed, lines: Sequence[Sequence[str]], *, style: object = None, **options: Any
) -> str:
    """Return what is wrong with MathML, as `fault_of_text` does; ``style`` is that of its looks."""
    del style
    if any(WORDS in line for part in lines for line in part):
        return ""
    numbers = page_layout(x, **options).exact if "≈" in str(lines) else {}
    return fault_of(x, read_mathml(lines, known_in(x), numbers))


def fault_of(x: Printed, page: Page) -> str:
    """Return how what was read differs from an expression or a matrix, nothing if it does not."""
    if isinstance(x, Matrix):
        rows = page.matrices[0] if len(page.matrices) == 1 else []
        shape = (len(rows), *{len(row) for row in rows}) if x.entries else x.shape
        if shape != x.shape:
            return f"expected a matrix of shape {x.shape}, got {shape}"
        read = [e for row in rows for e in row] if x.entries else []
        wanted = [_expr(e) for e in x.entries]
    else:
        if len(page.alone) != 1 or page.matrices:
            return f"expected one expression, got {len(page.alone)}"
        read, wanted = page.alone, [_expr(x)]
    pairs = [*zip(read, wanted, strict=True), *page.equations]
    return words_of(compare(pairs, random.SystemRandom()))


def words_of(found: Comparison) -> str:
    """Return what a comparison says against a print, nothing if it says nothing."""
    if found.verdict in ("equal", "alike"):
        return ""
    return f"number {found.place + 1} is read as another one: {found.method}"


def known_in(x: Printed) -> list[Expr | UndefinedFunction]:
    """Return the symbols and functions of what is printed."""
    return known_to([_expr(e) for e in x.entries] if isinstance(x, Matrix) else [_expr(x)])


def known_to(exprs: Sequence[Expr]) -> list[Expr | UndefinedFunction]:
    """Return what the symbols of expressions are rates of, and their functions."""
    found = free_symbols(exprs)
    bases = dict.fromkeys(symbol(x.value.kind, x.value.name) for x in found)
    return [*bases, *map(function, undefined_names(postorder(list(exprs))))]


def _expr(x: Expr | Element) -> Expr:
    return rebuild(x) if isinstance(x, Element) else x


def check_formulas(lines: Sequence[DerivationLine]) -> None:
    """Read the LaTeX and the MathML of formulas back before a document is written.

    Raises:
        EvaluationError: one cannot be read, or is read as another formula.
    """
    for line in lines:
        for kind, fault in (
            ("LaTeX", lambda x=line: fault_of_latex(x.form, x.right_latex, **x.options)),
            ("MathML", lambda x=line: fault_of_mathml(x.form, x.right_mathml, **x.options)),
        ):
            try:
                words = fault()
            except DalembertError as error:
                words = str(error)
            if words:
                raise EvaluationError(
                    f"expected the {kind} of {line.left[:40]} to be read back, got: {words}; "
                    "nothing is written; report this as a fault of dalembert"
                )
