"""One contact with friction, exactly: its own rows, while all others stay."""

from __future__ import annotations

import numpy as np

BISECTIONS = 60
DOUBLINGS = 200


def contact_force(
    W: np.ndarray, b: np.ndarray, mu: float, d: np.ndarray | None
) -> np.ndarray | None:
    """Return (N, T) with w = W (N, T) + b: 0 ≤ N ⊥ w_n ≥ 0, |T| ≤ μ N, T against w_t.

    Sticking and sliding are one family: w_t = -s T with s ≥ 0, and s = 0 sticks. With the normal
    force eliminated, (A + s) T = -c; the s with |T| = μ N is the zero of one function.

    Args:
        W: Of one contact, the normal row first, positive definite.
        b: Rates without its force.
        mu: The coefficient.
        d: The direction of sliding if it is given: then T = -μ N d.

    Returns:
        The force; None if a given direction allows none (Painlevé).
    """
    none = np.zeros(len(b))
    if b[0] >= 0:
        return none
    if d is not None:
        slope = W[0, 0] - mu * W[0, 1:] @ d[: len(b) - 1]
        if not slope > 0:
            return None
        N = -b[0] / slope
        return np.concatenate([[N], -mu * N * d[: len(b) - 1]])
    stuck = -np.linalg.solve(W, b)
    if stuck[0] >= 0 and np.linalg.norm(stuck[1:]) <= mu * stuck[0]:
        return stuck
    coupling = W[1:, 0] / W[0, 0]
    values, V = np.linalg.eigh(W[1:, 1:] - np.outer(coupling, W[0, 1:]))
    c, across = V.T @ (b[1:] - coupling * b[0]), V.T @ W[1:, 0]

    def at(s: float) -> tuple[float, np.ndarray]:
        T = -c / (values + s)
        return -(b[0] + float(across @ T)) / W[0, 0], T

    def is_outside(s: float) -> bool:
        N, T = at(s)
        return bool(np.linalg.norm(T) > mu * N)

    s = _boundary(is_outside, float(values.max()))
    N, T = at(s)
    N = max(N, 0.0)
    length = float(np.linalg.norm(T))
    return np.concatenate([[N], V @ T * min(1.0, mu * N / length if length else 0.0)])


def bounded_force(W: np.ndarray, b: np.ndarray, bound: float) -> np.ndarray:
    """Return T with |T| ≤ bound: w = W T + b vanishes, or T is at its bound against w."""
    stuck = -np.linalg.solve(W, b)
    if np.linalg.norm(stuck) <= bound:
        return stuck
    if len(b) == 1:
        return np.clip(stuck, -bound, bound)
    values, V = np.linalg.eigh(W)
    c = V.T @ b

    def is_outside(s: float) -> bool:
        return bool(np.linalg.norm(c / (values + s)) > bound)

    T = -V @ (c / (values + _boundary(is_outside, float(values.max()))))
    return T * min(1.0, bound / float(np.linalg.norm(T)))


def _boundary(is_outside, scale: float) -> float:
    """Return the s from which a force lies in its cone, by bisection."""
    low, high = 0.0, scale
    for _ in range(DOUBLINGS):
        if not is_outside(high):
            break
        low, high = high, 4 * high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if is_outside(middle) else (low, middle)
    return high
