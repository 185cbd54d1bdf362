"""The sliding variable of Slotine and Li."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dalembert.control.tracking import Desired


class Sliding(NamedTuple):
    """The velocity q̇_r that leads back to the reference, its rate q̈_r, and s = q̇ - q̇_r."""

    velocity: np.ndarray
    rate: np.ndarray
    s: np.ndarray


def sliding(desired: Desired, slope: np.ndarray, q: Any, v: Any) -> Sliding:
    """Return q̇_r = q̇_d - Λ q̃, its rate q̈_r = q̈_d - Λ (q̇ - q̇_d), and s = q̇ - q̇_r."""
    velocity = desired.qd + (desired.q - q) @ slope
    rate = desired.qdd + (desired.qd - v) @ slope
    return Sliding(velocity, rate, v - velocity)
