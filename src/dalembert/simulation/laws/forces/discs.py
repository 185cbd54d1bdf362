"""Friction on a plane in space: two rows whose force stays in a disc, not in a square."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dalembert.simulation.laws.base import Row

TURNS = (0.0, np.pi, np.pi / 2, -np.pi / 2)
"""Where else to begin, from the first guess."""

BEGINS = 1e-13
"""Part of the largest velocity of a disc below which it has no direction yet."""

DISC_SLOW, DISC_STOPS = 1e-12, 1e-9
"""Parts of the largest velocity of a disc: at the first it stops, below the second it has."""

ALONG = 1e-9
"""A direction is found if the motion across it is below this part of the motion."""


def discs(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Return the pairs of rows that are one friction on a plane: they follow each other."""
    places = [i for i, row in enumerate(rows) if row.disc]
    return list(zip(places[::2], places[1::2], strict=True))


def slip_directions(
    motion: Callable[[np.ndarray], np.ndarray], guess: np.ndarray
) -> np.ndarray | None:
    """Return for each plane the direction in which it begins to slide, ``(P, 2)``; None if none is.

    Friction acts against it, and what follows is motion along it: w(û) = s û with s ≥ 0, for
    accelerations from rest as for velocities after an impact.

    Args:
        motion: Gives w, ``(P, 2)``, for friction against unit vectors û, ``(P, 2)``.
        guess: Directions to begin with, ``(P, 2)``.
    """
    from scipy.optimize import root

    begin = np.arctan2(guess[:, 1], guess[:, 0])
    size = np.linalg.norm(motion(guess), axis=1).max()
    if not size > 0:
        return guess

    def across(angles: np.ndarray) -> np.ndarray:
        e = _units(angles)
        w = motion(e)
        return (e[:, 0] * w[:, 1] - e[:, 1] * w[:, 0]) / size

    for turn in TURNS:
        angles = root(across, begin + turn, tol=1e-15).x
        e = _units(angles)
        w = motion(e)
        size_now = np.linalg.norm(w, axis=1)
        is_along = np.abs(across(angles)) * size <= ALONG * np.maximum(size_now, ALONG * size)
        if (is_along & ((e * w).sum(axis=1) >= -ALONG * size_now)).all():
            return e
    return None


def _units(angles: np.ndarray) -> np.ndarray:
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def unit_vectors(u: np.ndarray) -> np.ndarray:
    """Return directions of vectors ``(P, 2)``; the first axis for a vector that is zero."""
    size = np.hypot(u[:, 0], u[:, 1])
    first = np.zeros_like(u)
    first[:, 0] = 1.0
    return np.divide(u, size[:, None], out=first, where=size[:, None] > 0)
