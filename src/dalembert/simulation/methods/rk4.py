"""The classical Runge–Kutta method of order 4 with a fixed step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dalembert.simulation.methods.explicit import ExplicitMethod, Motion, S

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class RK4(ExplicitMethod):
    """Four evaluations a step; the error falls with step⁴ (W. Kutta, 1901).

    Args:
        step: Seconds.
    """

    integrates_extras: ClassVar[bool] = True

    def advance(
        self, motion: Motion[S], t: S, x: np.ndarray, h: S
    ) -> tuple[np.ndarray, np.ndarray]:
        f = motion.rate
        k1 = f(t, x)
        k2 = f(t + h / 2, x + h / 2 * k1)
        k3 = f(t + h / 2, x + h / 2 * k2)
        k4 = f(t + h, x + h * k3)
        return x + h / 6 * (k1 + 2 * (k2 + k3) + k4), k1
