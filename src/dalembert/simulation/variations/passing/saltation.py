"""How changes of a motion pass an event whose time moves with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.simulation.variations.equations.jump import Jump

if TYPE_CHECKING:
    from dalembert.simulation.variations.equations.variation import Variation

GRAZING = 1e-6
"""An event whose quantity passes zero by this part of its fastest rate in the motion touches it."""

SAME = 1e-9
"""Rates whose difference is this part of them are the same: the event changes nothing."""


class Passage(NamedTuple):
    """An event on a motion, and how changes pass it.

    Attributes:
        t: When, in seconds.
        name: What the trajectory calls it.
        flow: (q̇, q̈) when the motion arrives, ``(2 nv,)``.
        time: The derivatives of its time by changes δx on arrival and by p; None where it has none
            because the quantity only touches zero, which changes nothing.
        jump: How changes go on; None where they do so as they are.
    """

    t: float
    name: str
    flow: np.ndarray
    time: np.ndarray | None
    jump: Jump | None


class Condition(NamedTuple):
    """The quantity that is zero at an event, on arrival.

    Attributes:
        slopes: Its derivatives by δx, by p and by time, ``(2 nv + parameters + 1,)``.
        fastest: The largest |rate| that it had on the way.
    """

    slopes: np.ndarray
    fastest: float


class Reset(NamedTuple):
    """A change of the state at an event: derivatives by δx ``(2 nv, 2 nv)``, by p and time."""

    by_state: np.ndarray
    others: np.ndarray

    @classmethod
    def none(cls, size: int, parameters: int) -> Reset:
        """Return that of an event which leaves the state as it is."""
        return cls(np.eye(size), np.zeros((size, parameters + 1)))


def event_time(condition: Condition, flow: np.ndarray) -> np.ndarray | None:
    """Return the derivatives of the time of an event by δx and by p: -(∂g/∂x, ∂g/∂p) / ġ.

    None where the quantity only touches zero.
    """
    slopes = condition.slopes
    rate = float(slopes[: len(flow)] @ flow + slopes[-1])
    return -slopes[:-1] / rate if abs(rate) > GRAZING * condition.fastest else None


def through(reset: Reset, time: np.ndarray, before: np.ndarray, after: np.ndarray) -> Jump:
    """Return δx⁺ = R_x δx + R_p δp + (R_x f⁻ + R_t - f⁺) δt: the saltation matrix.

    ``before`` and ``after`` are (q̇, q̈) on both sides. M. Aizerman & F. Gantmakher, On the stability
    of periodic motions, Journal of Applied Mathematics and Mechanics 22 (1958).
    """
    n = len(before)
    step = reset.by_state @ before + reset.others[:, -1] - after
    D = reset.by_state + np.outer(step, time[:n])
    return Jump(D, reset.others[:, :-1] + np.outer(step, time[n:]))


def is_same(before: np.ndarray, after: np.ndarray) -> bool:
    """Tell whether two rates differ by rounding only."""
    size = max(np.abs(before).max(), np.abs(after).max())
    return bool(np.abs(after - before).max() <= SAME * size)


def flow_of(variation: Variation, t: float, x: np.ndarray) -> np.ndarray:
    """Return (q̇, q̈) at a state."""
    return np.concatenate([x[variation.nq :], variation.at(t, x).rate[variation.nq :]])
