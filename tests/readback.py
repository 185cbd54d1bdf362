"""A hook by which every print of the tests is read back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from dalembert.errors import InvalidExpression
from dalembert.mechanics import Equations
from dalembert.mechanics.equations.routes.letters import Letters
from dalembert.mechanics.printed.read_back import fault_of_latex, fault_of_mathml, fault_of_text
from dalembert.mechanics.printed.statement import fault_of_page
from dalembert.reader.page import read_latex, read_text
from dalembert.typeset import printer


def check_every_print(patch: pytest.MonkeyPatch) -> None:
    """Let every print of an expression, a matrix or equations read itself back, once."""
    seen: set[tuple[str, str]] = set()

    def checked(owner: object, name: str, kind: str, fault: Callable[..., str]) -> None:
        write = getattr(owner, name)

        @functools.wraps(write)
        def wrapped(x: Any, *args: Any, **options: Any) -> Any:
            made = write(x, *args, **options)
            key = (kind, str(made))
            if key not in seen:
                seen.add(key)
                try:
                    words = fault(x, made, **options)
                except InvalidExpression as error:
                    # somebody calls a symbol as the language calls a function
                    words = "" if "names of their own" in str(error) else str(error)
                assert not words, f"the {kind} cannot be read back: {words}\n{made}"
            return made

        patch.setattr(owner, name, wrapped)

    checked(printer, "text", "text", fault_of_text)
    checked(printer, "latex", "LaTeX", fault_of_latex)
    checked(printer, "mathml", "MathML", fault_of_colored_mathml)
    checked(Equations, "__str__", "text", lambda eq, made: fault_of_page(eq, made, read_text))
    checked(Equations, "latex", "LaTeX", fault_of_latex_page)


def fault_of_colored_mathml(x: Any, lines: Any, style: object = None, **options: Any) -> str:
    """Return what is wrong with MathML, whatever colours its terms have."""
    return fault_of_mathml(x, lines, **options)


def fault_of_latex_page(eq: Equations, made: str, letters: Letters | None = None) -> str:
    """Return what is wrong with the LaTeX of equations, whose last line may explain letters."""
    eq = eq.with_letters(letters)
    if eq.letters:
        inside = made.removeprefix("\\begin{aligned}\n& ")
        made = inside.rpartition(" \\\\\n& \\text{In letters")[0]
    return fault_of_page(eq, made, read_latex)
