"""The first time in a step at which a quantity falls through zero."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

NUM_PARTS = 8
"""Parts of a step that are looked at: a step of a tight integrator bends less than that."""

NOISE = 1e-13
"""A value that is below this part of the largest one seen is zero but for rounding."""

DIP = 0.2
"""A parabola through three values that falls to this part of them calls for a closer look."""

SHRINK = (3 - math.sqrt(5)) / 2
MAX_MINIMISATIONS = 60
MAX_HALVINGS = 52


def nodes(t0: float, t1: float) -> np.ndarray:
    """Return the times of a step at which to look."""
    return t0 + (t1 - t0) * np.linspace(0.0, 1.0, NUM_PARTS + 1)


def first_fall(
    f: Callable[[float], float], times: np.ndarray, values: np.ndarray, floor: float
) -> float | None:
    """Return the first time at which f has fallen through zero, or None.

    f is taken to be positive at the first time, where it may be zero but for rounding: an event has
    just been there. It has fallen once it is below ``-floor``. A dip below zero between two looks
    is found by the parabolas through three of them.
    """
    dips = _dips(values, floor)
    for j in range(1, len(times)):
        if values[j] < -floor:
            return root(f, float(times[j - 1]), values[j - 1], float(times[j]), floor)
        if j + 1 < len(times) and values[j + 1] >= -floor and dips[j - 1]:
            lowest = _below(f, float(times[j - 1]), float(times[j + 1]), floor)
            if lowest is not None:
                return root(f, float(times[j - 1]), values[j - 1], lowest, floor)
    return None


def may_fall(values: np.ndarray, floor: np.ndarray) -> np.ndarray:
    """Tell of many quantities, columns of values at the `nodes`, which ones `first_fall` looks at.

    The others stay above zero, and no parabola through three of their values comes near it.
    """
    falls = (values[1:] < -floor).any(axis=0)
    return np.asarray(falls | _dips(values, floor).any(axis=0))


def _dips(values: np.ndarray, floor: float | np.ndarray) -> np.ndarray:
    """Tell of three equidistant values after the other whether a parabola comes near zero there."""
    a, b, c = values[:-2], values[1:-1], values[2:]
    bend, slope = (a - 2 * b + c) / 2, (c - a) / 2
    bends = (bend > 0) & (np.abs(slope) <= 2 * bend)
    lowest = np.minimum(np.minimum(a, b), c)
    with np.errstate(divide="ignore", invalid="ignore"):
        dip = b - slope**2 / (4 * bend)
    return bends & (dip < np.where(lowest > floor, DIP * lowest, -floor))


def root(f: Callable[[float], float], a: float, value: float, b: float, floor: float) -> float:
    """Return the time between a and b at which f falls through zero; f(b) is negative.

    Where f(a) is zero but for rounding, a is where the last event was: f rises from there, and the
    root sought is the later one. If f does not rise, it is a itself.
    """
    from scipy.optimize import brentq

    if value <= floor:
        for k in range(1, MAX_HALVINGS):
            s = a + (b - a) * 0.5**k
            if f(s) > max(value, 0.0):
                a = s
                break
        else:
            if value <= 0:
                return a
    # as near as floats of the time are, counted from a
    least = math.ulp(max(abs(a), abs(b)))
    return a + float(brentq(lambda s: f(a + s), 0.0, b - a, xtol=least, rtol=1e-15))  # type: ignore[arg-type]


def landing(
    f: Callable[[float, np.ndarray], float],
    rate: Callable[[float, np.ndarray], np.ndarray],
    t: float,
    x: np.ndarray,
    floor: float,
    nudge: float,
) -> float:
    """Return the time near t at which f vanishes, by a step of Newton; t if it does already.

    The slope of f(t, x) is a difference along ẋ over ``nudge`` seconds to both sides.
    """
    value = f(t, x)
    if abs(value) <= floor:
        return t
    before, after, xd = t - nudge, t + nudge, rate(t, x)[: x.size]
    up, down = x + (after - t) * xd, x - (t - before) * xd
    change = (f(after, up) - f(before, down)) / (after - before)
    return t if change == 0 else t - value / change


def _below(f: Callable[[float], float], a: float, b: float, floor: float) -> float | None:
    """Return a time between a and b at which f is below -floor, by sections of the golden mean."""
    x, y = a + SHRINK * (b - a), b - SHRINK * (b - a)
    fx, fy = f(x), f(y)
    for _ in range(MAX_MINIMISATIONS):
        if min(fx, fy) < -floor:
            return x if fx < -floor else y
        if fx <= fy:
            b, y, fy = y, x, fx
            x = a + SHRINK * (b - a)
            fx = f(x)
        else:
            a, x, fx = x, y, fy
            y = b - SHRINK * (b - a)
            fy = f(y)
        if abs(b - a) <= 4 * math.ulp(max(abs(a), abs(b))):
            break
    return None
