"""The states inside a step, by their polynomial."""

from __future__ import annotations

import math

import numpy as np


class Motion:
    """The states of a step from t to end, ``series[k]`` times powers of the time since t.

    Args:
        t: When it begins, in seconds.
        end: When it ends.
        series: Coefficients, ``(degree + 1, n)``.
        size: How many entries make up the state (q, q̇); there may be others behind.
    """

    def __init__(self, t: float, end: float, series: np.ndarray, size: int) -> None:
        self.t, self.end, self.h, self.whole = t, end, end - t, series
        self.series, self.orders = series[:, :size], np.arange(len(series))
        self.ulp = math.ulp(max(abs(t), abs(end)))

    def at(self, t: float | np.ndarray, *, is_whole: bool = False) -> np.ndarray:
        """Return the state at a time, ``(n,)``, or at several, ``(N, n)``; with all its entries if
        it is to be the whole one.
        """
        powers = np.subtract.outer(t, self.t)[..., None] ** self.orders
        return powers @ (self.whole if is_whole else self.series)

    def rate(self, t: float) -> np.ndarray:
        """Return the derivative of the state at a time, ``(n,)``."""
        powers = (t - self.t) ** self.orders[:-1]
        return (powers * self.orders[1:]) @ self.series[1:]
