"""Contacts with friction by trying every combination of modes: what the solver is compared with.

Each combination is a set of linear equations; in space the directions of sliding are roots that
SciPy looks for. It shares nothing with the solver but the arrays of a problem.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import root

OPENS, HOLDS, SLIDES = 0, 1, 2
TOLERANCE = 1e-8


def solutions(
    W: np.ndarray, b: np.ndarray, mu: np.ndarray, size: int, given: np.ndarray | None = None
) -> list[np.ndarray]:
    """Return w of every solution, one for each that differs.

    Args:
        W: Of contacts with ``size`` tangential rows each, behind the normal one.
        b: Rates without forces.
        mu: Coefficients.
        size: 1 on a plane, 2 in space.
        given: Directions of sliding that are known, ``(k, size)``.
    """
    found: list[np.ndarray] = []
    for modes in product((OPENS, HOLDS, SLIDES), repeat=len(mu)):
        if given is not None and HOLDS in modes:
            continue
        for z in _forces(W, b, mu, size, modes, given):
            w = W @ z + b
            if _fits(W, b, z, mu, size, given) and all(
                np.abs(w - other).max() > TOLERANCE * np.abs(b).max() for other in found
            ):
                found.append(w)
    return found


def _forces(W, b, mu, size, modes, given):
    """Yield candidates of forces in some modes."""
    sliding = [i for i, mode in enumerate(modes) if mode == SLIDES]
    if given is not None or not sliding:
        directions = {} if given is None else dict(enumerate(given))
        yield _linear(W, b, mu, size, modes, directions)
        return
    if size == 1:
        for signs in product((1.0, -1.0), repeat=len(sliding)):
            sides = {i: np.array([s]) for i, s in zip(sliding, signs, strict=True)}
            yield _linear(W, b, mu, size, modes, sides)
        return

    def units(angles):
        return {i: np.array([np.cos(a), np.sin(a)]) for i, a in zip(sliding, angles, strict=True)}

    def across(angles):
        sides = units(angles)
        w = W @ _linear(W, b, mu, size, modes, sides) + b
        return [sides[i][0] * w[3 * i + 2] - sides[i][1] * w[3 * i + 1] for i in sliding]

    for start in product(np.arange(4) * np.pi / 2 + 0.3, repeat=len(sliding)):
        result = root(across, start, tol=1e-14)
        if np.abs(result.fun).max() <= 1e-9 * np.abs(b).max():
            yield _linear(W, b, mu, size, modes, units(result.x))


def _linear(W, b, mu, size, modes, directions):
    n = len(b)
    E, right = np.eye(n), np.zeros(n)
    for i, mode in enumerate(modes):
        normal = (1 + size) * i
        rows = range(normal + 1, normal + 1 + size)
        if mode == OPENS:
            continue
        E[normal], right[normal] = W[normal], -b[normal]
        for j, row in enumerate(rows):
            if mode == HOLDS:
                E[row], right[row] = W[row], -b[row]
            else:
                E[row, normal] = mu[i] * directions[i][j]
    return np.linalg.lstsq(E, right, rcond=1e-11)[0]


def _fits(W, b, z, mu, size, given):
    w, top = W @ z + b, np.abs(z).max(initial=0.0)
    slow, small = TOLERANCE * np.abs(b).max(), TOLERANCE * top
    for i in range(len(mu)):
        normal = (1 + size) * i
        N, u = z[normal], w[normal]
        T, slip = z[normal + 1 : normal + 1 + size], w[normal + 1 : normal + 1 + size]
        is_loaded = min(abs(N) / (top or 1.0), abs(u) / slow * TOLERANCE) > 1e-7
        if is_loaded or N + small < 0 or u + slow < 0:
            return False
        if given is not None:
            if np.abs(T + mu[i] * N * given[i]).max() > 10 * small:
                return False
            continue
        if np.linalg.norm(T) > mu[i] * N + 10 * small:
            return False
        if np.linalg.norm(slip) > 100 * slow:
            wanted = -mu[i] * N * slip / np.linalg.norm(slip)
            if np.abs(T - wanted).max() > 1e3 * small:
                return False
    return True
