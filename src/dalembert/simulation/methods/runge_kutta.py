"""Runge–Kutta methods with a fixed step: RK4 of order 4, the midpoint and Heun's of order 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dalembert.simulation.methods.explicit import ExplicitMethod, Motion, S

if TYPE_CHECKING:
    from dalembert.types import Array


@dataclass(frozen=True)
class RK4(ExplicitMethod):
    """Four evaluations a step; the error falls with step⁴ (W. Kutta, 1901).

    Args:
        step: Seconds.
    """

    integrates_extras: ClassVar[bool] = True

    def advance(self, motion: Motion[S], t: S, x: Array, h: S) -> tuple[Array, Array]:
        f = motion.rate
        k1 = f(t, x)
        k2 = f(t + h / 2, x + h / 2 * k1)
        k3 = f(t + h / 2, x + h / 2 * k2)
        k4 = f(t + h, x + h * k3)
        return x + h / 6 * (k1 + 2 * (k2 + k3) + k4), k1


@dataclass(frozen=True)
class Midpoint(ExplicitMethod):
    """The rate in the middle of the step, found by Euler's method; the error falls with step².

    Args:
        step: Seconds.
    """

    integrates_extras: ClassVar[bool] = True

    def advance(self, motion: Motion[S], t: S, x: Array, h: S) -> tuple[Array, Array]:
        k1 = motion.rate(t, x)
        k2 = motion.rate(t + h / 2, x + h / 2 * k1)
        return x + h * k2, k1


@dataclass(frozen=True)
class Heun(ExplicitMethod):
    """The mean of the rates at both ends of the step; the error falls with step².

    Args:
        step: Seconds.
    """

    integrates_extras: ClassVar[bool] = True

    def advance(self, motion: Motion[S], t: S, x: Array, h: S) -> tuple[Array, Array]:
        k1 = motion.rate(t, x)
        k2 = motion.rate(t + h, x + h * k1)
        return x + h / 2 * (k1 + k2), k1
