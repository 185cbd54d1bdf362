"""What a trajectory holds, and the checks that every one passes, simulated or read from a file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.simulation.trajectory.trajectory import Trajectory

BLOCKS = {
    "t": None,
    "q": "q_names",
    "qd": "v_names",
    "qdd": "v_names",
    "tau": "input_names",
    "lam": "constraint_names",
    "controller_state": "state_names",
    "position_error": None,
    "velocity_error": None,
}
"""The arrays, each with the names of its columns; None for one number a row."""

ENERGIES = ("total", "work", "dissipated", "kinetic", "potential")
NAMES = ("q_names", "v_names", "input_names", "constraint_names", "warnings")
TEXTS = ("name", "method", *NAMES, "events", "ok", "status")

# a state without a value is none; accelerations and reactions have none at singular points
ALWAYS_FINITE = ("t", "q", "qd")


def check(motion: Trajectory) -> None:
    """Refuse arrays that do not belong together, values that are not real, times out of order.

    Raises:
        EvaluationError: with what was expected and what came.
    """
    for name in ("name", "method", "status"):
        _require(isinstance(getattr(motion, name), str), f"{name} to be text")
    for name in NAMES:
        texts = getattr(motion, name)
        _require(
            isinstance(texts, tuple) and all(isinstance(x, str) for x in texts),
            f"{name} to be a tuple of text",
        )
    _require(isinstance(motion.ok, bool), "ok to be True or False")
    for event in motion.events:
        is_event = len(event) == 2 and isinstance(event[1], str) and math.isfinite(event[0])
        _require(is_event, "events to be pairs of a finite time and a name")
    count = len(motion.t) if isinstance(motion.t, np.ndarray) and motion.t.ndim == 1 else 0
    _require(count > 0, "t to be an array of at least one time")
    for name, names in BLOCKS.items():
        array = getattr(motion, name)
        if names == "state_names":
            # the state of a controller has no names, and any number of columns
            width: tuple[int, ...] = np.shape(array)[1:2] or (0,)
        else:
            width = () if names is None else (len(getattr(motion, names)),)
        _check_array(name, array, (count, *width))
    for name in ENERGIES:
        if (energy := getattr(motion.energy, name)) is not None:
            _check_array(f"energy.{name}", energy, (count,))
    steps = np.diff(motion.t)
    _require(
        bool((steps >= 0).all() or (steps <= 0).all()),
        "times in order, all forwards or all backwards",
    )


def _check_array(name: str, array: object, shape: tuple[int, ...]) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.shape != shape:
        got = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else f"{array!r:.40}"
        raise EvaluationError(
            f"expected {name} of a trajectory to be real numbers (float64) of shape {shape}, got "
            f"{got}"
        )
    if name in ALWAYS_FINITE:
        _require(bool(np.isfinite(array).all()), f"finite numbers in {name}")


def _require(condition: bool, expected: str) -> None:
    if not condition:
        raise EvaluationError(f"expected {expected} of a trajectory, got something else")
