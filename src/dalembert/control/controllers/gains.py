"""Gains as matrices, checked once."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.errors import EvaluationError

SYMMETRY = 1e-12


def gain_matrix(value: Any, n: int, name: str, *, may_vanish: bool = False) -> np.ndarray:
    """Return a symmetric positive definite matrix ``(n, n)`` from a number, n numbers or a matrix.

    Args:
        value: One number for all, one for each, or the matrix itself.
        n: The size.
        name: How errors call it.
        may_vanish: Whether positive semidefinite is enough.

    Raises:
        EvaluationError: the shape does not fit, or it is not symmetric or not definite.
    """
    K = numbers(value, name)
    if K.ndim == 0:
        K = K * np.eye(n)
    elif K.shape == (n,):
        K = np.diag(K)
    if K.shape != (n, n):
        raise EvaluationError(
            f"expected {name} as a number, as {n} numbers or as a {n} × {n} matrix, got an array "
            f"of shape {K.shape}"
        )
    size = np.abs(K).max(initial=0.0)
    if np.abs(K - K.T).max(initial=0.0) > SYMMETRY * size:
        raise EvaluationError(
            f"expected a symmetric matrix for {name}, got one that differs from its transpose by "
            f"{np.abs(K - K.T).max():.3g}"
        )
    least = float(np.linalg.eigvalsh(K)[0])
    # rounding may push a zero eigenvalue of a semidefinite matrix below zero
    if least < -SYMMETRY * size or (not may_vanish and least <= SYMMETRY * size):
        kind = "semidefinite" if may_vanish else "definite"
        raise EvaluationError(
            f"expected a positive {kind} {name}, got one with the eigenvalue {least:.6g}"
        )
    return K


def positive(value: Any, name: str) -> float:
    """Return a finite number above zero."""
    x = numbers(value, name)
    if x.ndim or not x > 0:
        raise EvaluationError(f"expected one number above zero for {name}, got {value}")
    return float(x)


def vector(value: Any, n: int, name: str) -> np.ndarray:
    """Return n finite numbers."""
    x = numbers(value, name)
    if x.shape != (n,):
        raise EvaluationError(f"expected {n} numbers for {name}, got an array of shape {x.shape}")
    return x


def numbers(value: Any, name: str) -> np.ndarray:
    """Return finite numbers as an array."""
    try:
        x = np.array(value, float)
    except (TypeError, ValueError):
        raise EvaluationError(f"expected numbers for {name}, got {value!r}") from None
    if not np.isfinite(x).all():
        raise EvaluationError(f"expected finite numbers for {name}, got {x}")
    return x
