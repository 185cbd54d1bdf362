"""The result of inverse kinematics, with the reason where a target was not reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.display import Printed

if TYPE_CHECKING:
    from dalembert.types import Array

REACHED = "converged"
"""The status of a target that was reached."""


@dataclass(frozen=True, eq=False)
class History(Printed):
    """The iterates of one target since its last start: ``q`` ``(k, nq)`` and |e| ``(k,)``.

    The first of them is that start.
    """

    names: tuple[str, ...]
    q: Array
    error: Array

    def __len__(self) -> int:
        return len(self.q)

    def __str__(self) -> str:
        """Return a table with five digits."""
        head = ["Iteration", *self.names, "|e|"]
        lines = [head]
        for k, (q, error) in enumerate(zip(self.q, self.error, strict=True)):
            lines.append([str(k), *(f"{x:.5g}" for x in q), f"{error:.2e}"])
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        return "\n".join(
            "  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True))
            for line in lines
        )


@dataclass(frozen=True, eq=False)
class Solution(Printed):
    """The result for one target, or for a batch with its leading axes.

    For one target ``ok``, ``residual``, ``iterations`` and ``restarts`` are NumPy scalars and
    ``status`` is a string.

    Args:
        q: Configurations ``(..., nq)``; where not ok the closest one that was found.
        ok: Whether |e| is within the tolerance and q within its limits.
        status: A sentence: "converged", or why not; of a batch an array of them.
        residual: |e|, metres and radians together, without weights.
        error: e, one number for each row of the tasks.
        iterations: Of all starts together.
        restarts: Starts after the first.
        recall: Returns the iterates of a single target; None for a batch, which keeps none.
    """

    q: Array
    ok: Array
    status: Any
    residual: Array
    error: Array
    iterations: Array
    restarts: Array
    recall: Callable[[], History] | None = field(repr=False)

    @cached_property
    def history(self) -> History | None:
        """The iterates of a single target, found again when they are first asked for."""
        return None if self.recall is None else self.recall()

    def __getstate__(self) -> dict[str, object]:
        """Return what is written to a file: the iterates instead of the way to them."""
        history = self.history
        return {**vars(self), "recall": None, "history": history}

    def __bool__(self) -> bool:
        """Tell whether every target was reached."""
        return bool(np.all(self.ok))

    def __str__(self) -> str:
        if not np.ndim(self.ok):
            q = ", ".join(f"{x:.5g}" for x in self.q)
            return f"q = ({q}): {self.status}, |e| = {self.residual:.1e}"
        missed, sentences = np.flatnonzero(~self.ok), np.ravel(self.status)
        total = np.size(self.ok)
        lines = [f"{total - missed.size} of {total} targets reached"]
        lines += [f"  target {k}: {sentences[k]}" for k in missed[:5]]
        return "\n".join([*lines, *(["  …"] if missed.size > 5 else [])])
