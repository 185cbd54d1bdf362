"""A verdict on stability, with its reason."""

from __future__ import annotations

from typing import Literal, NamedTuple

from dalembert.expr import Expr

Verdict = Literal[
    "stable", "asymptotically stable", "unstable", "depends on the parameters", "undecided"
]


class Stability(NamedTuple):
    """A verdict with its reason in a sentence; certain for positive parameters.

    ``neutral`` coordinates occur nowhere in the equations: the verdict is on the others and on all
    velocities. ``eigenvalues`` are given where all parameters have values.
    """

    verdict: Verdict
    reason: str
    neutral: tuple[Expr, ...] = ()
    eigenvalues: tuple[complex, ...] = ()

    def __str__(self) -> str:
        aside = ", ".join(map(str, self.neutral))
        return f"{self.verdict}{f', whatever {aside}' if aside else ''}: {self.reason}"
