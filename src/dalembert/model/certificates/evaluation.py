"""Programs at one point, over whichever numbers: what the residual of a claim is computed with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalembert.expr import Expr
from dalembert.kernel.program.program import Program

Numbers = list[Any]
"""Integers modulo a prime, or balls: both add and multiply by Python's operators."""


class Evaluation(ABC):
    """Values of symbols, and of programs there.

    Attributes:
        inputs: The symbols that stand for each input of a program, by its name.
    """

    inputs: Mapping[str, Sequence[Expr]]

    @abstractmethod
    def value(self, x: Expr) -> Any:
        """Return the value of a symbol."""

    @abstractmethod
    def set_values(self, symbols: Sequence[Expr], values: Sequence[Any]) -> None:
        """Fix the values of symbols."""

    @abstractmethod
    def run(self, program: Program) -> dict[str, Numbers]:
        """Return every output of a program, in row order."""

    @abstractmethod
    def number(self, value: Fraction) -> Any:
        """Return a rational number."""

    @abstractmethod
    def reduced(self, x: Any) -> Any:
        """Return a number in its shortest form."""

    @abstractmethod
    def is_zero(self, x: Any) -> bool:
        """Tell whether a number is exactly zero."""

    @abstractmethod
    def ratio(self, a: Any, b: Any) -> Any:
        """Return a / b."""

    @abstractmethod
    def assume_positive(self, values: Sequence[Any]) -> None:
        """Take numbers for positive, as a hypothesis says, where the evaluation cannot know."""
