"""Sums that remember what rounding took from them."""

from __future__ import annotations

import numpy as np


class CompensatedSum:
    """A vector to which changes are added; ``value + carry`` is the sum.

    Errors are those of rounding the changes, not the much larger value. What rounding takes is
    found without branches: D. E. Knuth, The Art of Computer Programming 2,
    4.2.2, theorem B.
    """

    def __init__(self, value: np.ndarray) -> None:
        self.value = value
        self.carry = np.zeros_like(value)

    def add(self, change: np.ndarray) -> np.ndarray:
        """Add a change and return the new value."""
        x, change = self.value, change + self.carry
        new = x + change
        taken = new - x
        self.carry = (x - (new - taken)) + (change - taken)
        self.value = new
        return new
