"""That what is printed is what was proved: the print is read back and compared."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from dalembert.errors import DalembertError, EvaluationError, InvalidSystem
from dalembert.expr import Expr, time
from dalembert.expr.undefined import UndefinedFunction
from dalembert.mechanics.equations.text import conditions, equations_page, right_sides
from dalembert.mechanics.points.compare import compare
from dalembert.mechanics.printed.read_back import LATEX_WORDS, WORDS, known_to, words_of
from dalembert.mechanics.proofs.proof import Proof
from dalembert.reader.build import Numbers
from dalembert.reader.page import Page, read_latex, read_text
from dalembert.ring import Element, rebuild

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

STATEMENT = "The printed equations are these equations"
MAX_TERMS = 400
"""Terms above which arranging the print would take longer than all other proofs together."""


def printed_equations_are_these(eq: Equations) -> Proof | None:
    """The printed equations are these equations."""
    if sum(map(len, (*eq.forms.M, *eq.bias_form, *eq.forms.forces))) > MAX_TERMS:
        return None
    text = str(eq)
    if WORDS in text:
        return Proof(STATEMENT, "undecided", "parts of them are too large to be printed")
    try:
        pairs = pairs_of(eq, read_text(text, symbols_of(eq), equations_page(eq).numbers))
    except DalembertError as error:
        return Proof(STATEMENT, "refuted", f"the print cannot be read back: {error}")
    result = compare(pairs, random.SystemRandom())
    if result.verdict == "equal":
        return Proof(STATEMENT, "proved", f"the text read back: {result.method}")
    verdict = "refuted" if result.verdict == "different" else "undecided"
    words = f"equation {result.place + 1} is read as another one: {result.method}"
    return Proof(STATEMENT, verdict, words, (), result.point)


def pairs_of(eq: Equations, page: Page) -> list[tuple[Expr, Expr]]:
    """Return what is read in each equation, left minus right, with what it ought to be.

    Raises:
        InvalidSystem: it has another number of equations.
    """
    expected = _residuals(eq)
    expected += [rebuild(x) if isinstance(x, Element) else x for x in conditions(eq)]
    equations, explained = page.equations[: len(expected)], page.equations[len(expected) :]
    if len(equations) < len(expected) or page.alone or page.matrices:
        raise InvalidSystem(f"expected {len(expected)} equations, got {len(page.equations)}")
    pairs = [(left - right, e) for (left, right), e in zip(equations, expected, strict=True)]
    # s₁ = sin(q₁)
    return [*pairs, *explained]


def _residuals(eq: Equations) -> list[Expr]:
    """Return M q̈ + h - Υ - Aᵀλ; of large equations by the graphs that are theirs."""
    graphs = equations_page(eq).graphs
    if graphs is None:
        return [rebuild(x) for x in eq.residual_form]
    right = [rebuild(x) for x in right_sides(eq)]
    return graphs.residuals(eq.system.accelerations, right)


def symbols_of(eq: Equations) -> list[Expr | UndefinedFunction]:
    """Return the symbols and functions without a definition that equations are written in."""
    return known_to([*eq.ring.generators, *eq.coordinates, *eq.lam, time])


def fault_of_page(
    eq: Equations,
    printed: str,
    read: Callable[[str, list[Expr | UndefinedFunction], Numbers], Page],
) -> str:
    """Return what is wrong with the print of equations; nothing if words stand for a part."""
    if WORDS in printed or LATEX_WORDS in printed:
        return ""
    return words_of(
        compare(
            pairs_of(eq, read(printed, symbols_of(eq), equations_page(eq).numbers)),
            random.SystemRandom(),
        )
    )


def fault_of_equations(eq: Equations) -> str:
    """Return what is wrong with both prints of equations, nothing if they are right."""
    return fault_of_page(eq, str(eq), read_text) or fault_of_page(eq, eq.latex(), read_latex)


def check_print(eq: Equations) -> None:
    """Read the print of equations back, as text and LaTeX, before it is handed over.

    Raises:
        EvaluationError: it cannot be read, or is read as other equations.
    """
    check_read_back(lambda: fault_of_equations(eq))


def check_read_back(fault: Callable[[], str]) -> None:
    """Raise an error if a print is found to be another one, or cannot be read.

    Args:
        fault: Returns what is wrong with a print; nothing if it is right.

    Raises:
        EvaluationError: something is.
    """
    try:
        words = fault()
    except DalembertError as error:
        words = str(error)
    if words:
        raise EvaluationError(
            f"expected the printed equations to be read back, got: {words}; nothing is written; "
            "report this as a fault of dalembert"
        )
