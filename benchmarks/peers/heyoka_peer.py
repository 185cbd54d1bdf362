"""Motions by heyoka, called directly: equations of a model, and a double pendulum by hand."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from benchmarks.peers.base import Unavailable
from dalembert.model import Model
from dalembert.simulation.methods.taylor.heyoka import algebra

GRAVITY = 9.81


def import_heyoka() -> Any:
    """Return the package.

    Raises:
        Unavailable: it is not installed.
    """
    try:
        return importlib.import_module("heyoka")
    except ImportError:
        raise Unavailable("heyoka: pip install heyoka") from None


def motion(model: Model, x0: Sequence[float], end: float) -> Callable[[float], np.ndarray]:
    """Return the last configuration of a model as a function of the tolerance.

    The equations are those that dalembert compiles, without forces.
    """
    heyoka = import_heyoka()
    q, v = model.symbols.q, model.symbols.qd
    rates = [*v, *model.expressions("forward_dynamics", q, v, [0] * len(model.symbols.inputs))]
    program = model.compile(rates, {"x": [*q, *v]}, name="rate").program
    variables = heyoka.make_vars(*(f"x{i}" for i in range(len(rates))))
    equations = program.interpret([variables], algebra(heyoka))
    return _propagated(heyoka, list(zip(variables, equations, strict=True)), x0, end)


def double_pendulum(x0: Sequence[float], end: float) -> Callable[[float], np.ndarray]:
    """Return the same for two points of 1 kg at rods of 1 m, as one writes it for heyoka."""
    heyoka = import_heyoka()
    a, b, u, v = heyoka.make_vars("a", "b", "u", "v")
    c, s = heyoka.cos(a - b), heyoka.sin(a - b)
    # [2 c; c 1] (u̇, v̇) = (f, g)
    f = -s * v**2 - 2 * GRAVITY * heyoka.sin(a)
    g = s * u**2 - GRAVITY * heyoka.sin(b)
    determinant = 2 - c**2
    rates = [(a, u), (b, v), (u, (f - c * g) / determinant), (v, (2 * g - c * f) / determinant)]
    return _propagated(heyoka, rates, x0, end)


def _propagated(
    heyoka: Any, rates: Sequence[tuple[Any, Any]], x0: Sequence[float], end: float
) -> Callable[[float], np.ndarray]:
    @cache
    def integrator(tolerance: float) -> Any:
        return heyoka.taylor_adaptive(rates, np.array(x0, float), tol=tolerance)

    def run(tolerance: float) -> np.ndarray:
        found = integrator(tolerance)
        found.time = 0.0
        found.state[:] = x0
        found.propagate_until(end)
        return found.state[: len(x0) // 2].copy()

    return run
