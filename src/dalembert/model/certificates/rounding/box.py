"""Where the inputs of a function are: an interval for each of their numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dalembert.errors import EvaluationError, UnknownName, nearest
from dalembert.model.certificates.rounding.intervals import Interval

if TYPE_CHECKING:
    from dalembert.kernel.program.program import Port
    from dalembert.model.configuration import Configuration
    from dalembert.types import Array, ArrayLike

Bounds: TypeAlias = "ArrayLike | tuple[ArrayLike, ArrayLike]"
"""A bound on |x|, for all numbers or for each; or in a tuple the lower and the upper one."""

LETTERS = {"qd": "q̇", "qdd": "q̈", "tau": "τ"}
SHOWN = 8
"""Intervals that are written out one by one, at most."""
USUAL = {"qd": 10.0, "qdd": 10.0, "tau": 100.0, "u": 100.0}
"""Bounds of inputs that have none: rad/s or m/s, rad/s² or m/s², N m or N."""


@dataclass(frozen=True, eq=False)
class InputBox:
    """Lower and upper bounds of every number of the inputs, in row order, by their names.

    ``limited`` names the inputs whose bounds are the limits of their joints.
    """

    lower: Mapping[str, Array]
    upper: Mapping[str, Array]
    limited: frozenset[str] = frozenset()

    def intervals(self) -> list[list[Interval]]:
        """Return an interval for each number of each input."""
        return [
            list(zip(self.lower[name].tolist(), self.upper[name].tolist(), strict=True))
            for name in self.lower
        ]

    def __str__(self) -> str:
        return ", ".join(self._text(name) for name, lower in self.lower.items() if lower.size)

    def _text(self, name: str) -> str:
        letter, lower, upper = LETTERS.get(name, name), self.lower[name], self.upper[name]
        if name in self.limited and len({*zip(lower.tolist(), upper.tolist(), strict=True)}) > 1:
            return f"{letter} within its limits"
        return _text(letter, lower, upper)


def input_box(
    ports: Sequence[Port], configuration: Configuration, given: Mapping[str, Bounds] | None
) -> InputBox:
    """Return the box that is given, and for inputs that are not, one that is usual.

    Without a bound q is within its limits, or between -π and π; q̇ and the forces are within theirs,
    or up to 10 and 100; q̈ up to 10; t from 0 to 10; parameters from 0.5 to 2; quaternions up to 1.

    Raises:
        UnknownName: there is no input of that name.
        EvaluationError: bounds do not fit, are not finite, or the lower is above the upper.
    """
    given = given or {}
    known = [port.name for port in ports]
    for name in given:
        if name not in known:
            raise UnknownName(
                f"expected bounds of {', '.join(known)}, got {name!r} ({nearest(name, known)})"
            )
    lower, upper = {}, {}
    for port in ports:
        ends = _given(port, given[port.name]) if port.name in given else _usual(port, configuration)
        lower[port.name], upper[port.name] = ends
    limited = frozenset(_limits(configuration)) - set(given)
    return InputBox(lower, upper, limited)


def _limits(configuration: Configuration) -> list[str]:
    """Return the inputs for which there are limits."""
    limits = {
        "q": configuration.upper,
        "qd": configuration.velocity,
        "tau": configuration.effort,
    }
    return [name for name, bounds in limits.items() if np.isfinite(bounds).any()]


def _given(port: Port, bounds: Bounds) -> tuple[Array, Array]:
    pair = bounds if isinstance(bounds, tuple) and len(bounds) == 2 else None
    try:
        sides = [np.asarray(x, float) for x in (pair or (bounds,))]
        sides = [np.broadcast_to(x, port.shape).reshape(-1) for x in sides]
    except (TypeError, ValueError):
        raise EvaluationError(
            f"expected bounds of {port.name!r} as a number or as {port.shape} numbers, or a tuple "
            f"(lower, upper) of these, got {bounds!r}"
        ) from None
    lower, upper = sides if pair else (-sides[0], sides[0])
    if not (np.isfinite(lower).all() and np.isfinite(upper).all() and (lower <= upper).all()):
        raise EvaluationError(
            f"expected finite bounds of {port.name!r}, the lower not above the upper, got "
            f"{bounds!r}"
        )
    return lower, upper


def _usual(port: Port, configuration: Configuration) -> tuple[Array, Array]:
    n = port.size
    match port.name:
        case "q":
            lower, upper = configuration.lower.copy(), configuration.upper.copy()
            for k in configuration.quaternions:
                lower[k : k + 4], upper[k : k + 4] = -1.0, 1.0
            return (
                np.where(np.isfinite(lower), lower, -math.pi),
                np.where(np.isfinite(upper), upper, math.pi),
            )
        case "t":
            return np.zeros(n), np.full(n, 10.0)
        case "parameters":
            return np.full(n, 0.5), np.full(n, 2.0)
    limits = {"qd": configuration.velocity, "tau": configuration.effort}.get(port.name)
    size = np.full(n, USUAL.get(port.name, 1.0))
    if limits is not None and limits.size == n:
        size = np.where(np.isfinite(limits), limits, size)
    return -size, size


def _text(name: str, lower: Array, upper: Array) -> str:
    is_centred = bool((lower == -upper).all())
    ends = sorted(set(zip(lower.tolist(), upper.tolist(), strict=True)))
    if len(ends) > 1 and len(lower) > SHOWN:
        return f"{name} in {len(lower)} intervals up to {max(abs(lower).max(), abs(upper).max()):g}"
    highest = _number(upper[0]) if len(ends) == 1 else _numbers(upper)
    if is_centred:
        return f"|{name}| ≤ {highest}"
    lowest = _number(lower[0]) if len(ends) == 1 else _numbers(lower)
    return f"{lowest} ≤ {name} ≤ {highest}"


def _numbers(x: Array) -> str:
    return f"({', '.join(map(_number, x))})"


def _number(x: float) -> str:
    return {math.pi: "π", -math.pi: "-π"}.get(float(x)) or f"{x:.4g}"
