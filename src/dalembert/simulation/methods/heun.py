"""Heun's method, of order 2 with a fixed step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dalembert.simulation.methods.explicit import ExplicitMethod, Motion, S

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Heun(ExplicitMethod):
    """The mean of the rates at both ends of the step; the error falls with step².

    Args:
        step: Seconds.
    """

    integrates_extras: ClassVar[bool] = True

    def advance(
        self, motion: Motion[S], t: S, x: np.ndarray, h: S
    ) -> tuple[np.ndarray, np.ndarray]:
        k1 = motion.rate(t, x)
        k2 = motion.rate(t + h, x + h * k1)
        return x + h / 2 * (k1 + k2), k1
