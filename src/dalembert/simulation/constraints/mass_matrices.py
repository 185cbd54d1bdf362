"""The mass matrix of a long chain: its code is as long as that of one column."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dalembert.expr import Expr, as_expr, parameters, tangent
from dalembert.simulation.problem.kernels import compiled

if TYPE_CHECKING:
    from dalembert.model import Model

MANY = 24
"""With more velocities M is computed column by column."""


def is_long(model: Model) -> bool:
    """Tell whether a model has so many velocities that n² entries are too many to compile."""
    return model.nv > MANY


def mass_matrices(model: Model) -> Callable[[float | np.ndarray, np.ndarray], np.ndarray]:
    """Return M as a function of time and q: ``(n, n)`` of one state, ``(N, n, n)`` of many."""
    q, n = model.symbols.q, model.nv
    x = list(parameters(" ".join(f"x_{i}" for i in range(n))))
    product = compiled(model, "M x", lambda: {"Mx": _product(model, x)}, {"q": q, "x": x})

    def columns(t: float | np.ndarray, q: np.ndarray) -> np.ndarray:
        rows = np.repeat(q.reshape(-1, q.shape[-1]), n, axis=0)
        units = np.tile(np.eye(n), (len(rows) // n, 1))
        times = np.repeat(t, n) if np.ndim(t) else t
        return product(times, rows, units).reshape(*q.shape[:-1], n, n)

    return columns


def _product(model: Model, x: list[Expr]) -> list[Expr]:
    """Return M x: how the torques change with the accelerations."""
    still, a = [0] * model.nv, list(parameters(" ".join(f"a_{i}" for i in range(model.nv))))
    torques = model.expressions("inverse_dynamics", model.symbols.q, still, a)
    return tangent([as_expr(torque) for torque in torques], dict(zip(a, x, strict=True)))
