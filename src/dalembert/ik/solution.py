"""What inverse kinematics found, and why it did not where it did not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

REACHED = "converged"


@dataclass(frozen=True, eq=False)
class History:
    """The iterates of one target since its last start: q and |e| of each, the first that start."""

    names: tuple[str, ...]
    q: np.ndarray
    error: np.ndarray

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
class Solution:
    """The result for one target, or for a batch with its leading axes.

    Args:
        q: Configurations ``(..., nq)``; where not converged the closest one that was found.
        converged: Whether |e| is within the tolerance and q within its limits.
        residual: |e|, metres and radians together, without weights.
        error: e, one number for each row of the tasks.
        iterations: Of all starts together.
        restarts: Starts after the first.
        failures: A sentence for each sample that did not converge, by its flat number.
        history: The iterates of a single target; a batch keeps none.
    """

    q: np.ndarray
    converged: Any
    residual: Any
    error: np.ndarray
    iterations: Any
    restarts: Any
    failures: dict[int, str] = field(repr=False)
    history: History | None = field(repr=False)

    @property
    def reason(self) -> Any:
        """Why the search ended, a sentence; of a batch an array of them."""
        if not np.ndim(self.converged):
            return self.failures.get(0, REACHED)
        reasons = np.full(np.size(self.converged), REACHED, dtype=object)
        for k, text in self.failures.items():
            reasons[k] = text
        return reasons.reshape(np.shape(self.converged))

    def __bool__(self) -> bool:
        """Tell whether every target was reached."""
        return bool(np.all(self.converged))

    def __str__(self) -> str:
        if not np.ndim(self.converged):
            q = ", ".join(f"{x:.5g}" for x in self.q)
            return f"q = ({q}): {self.reason}, |e| = {self.residual:.1e}"
        done, total = int(np.sum(self.converged)), np.size(self.converged)
        lines = [f"{done} of {total} targets reached"]
        lines += [f"  target {k}: {text}" for k, text in list(self.failures.items())[:5]]
        return "\n".join([*lines, *(["  …"] if len(self.failures) > 5 else [])])
