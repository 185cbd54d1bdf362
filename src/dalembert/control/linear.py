"""Matrices times vectors over leading axes, of numbers or of expressions."""

from __future__ import annotations

from typing import Any


def times(A: Any, x: Any) -> Any:
    """Return A x over leading axes."""
    return (A @ x[..., None])[..., 0]


def transposed_times(A: Any, x: Any) -> Any:
    """Return Aᵀ x over leading axes."""
    return (x[..., None, :] @ A)[..., 0, :]
