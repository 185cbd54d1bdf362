"""Sums that remember what rounding took from them."""

from __future__ import annotations

import numpy as np


class CompensatedSum:
    """A vector to which changes are added; ``value + carry`` is the sum to twice the digits.

    A. Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, ZAMM 54
    (1974).
    """

    def __init__(self, value: np.ndarray) -> None:
        self.value = value
        self.carry = np.zeros_like(value)

    def add(self, change: np.ndarray) -> np.ndarray:
        """Add a change and return the new value."""
        x, change = self.value, change + self.carry
        new = x + change
        is_larger = np.abs(x) >= np.abs(change)
        self.carry = np.where(is_larger, (x - new) + change, (change - new) + x)
        self.value = new
        return new
