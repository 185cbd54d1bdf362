"""The motion of one joint that comes farthest in a given time, in closed form.

Among all motions from (v₀, a₀) to (v₁, a₁) in the time T with |a| ≤ A and |jerk| ≤ J, the one that
comes farthest rises, holds, falls, holds and rises again: its acceleration is

    a(t) = max(a₁ - J (T - t), -A, min(a₀ + J t, A, c - J t)),

for the one c at which ∫ a dt = v₁ - v₀. Where no bound A holds, it turns at α and β with
α - β = (a₀ - a₁ + J T)/2. Where its velocity would exceed V, it cruises at V between the falls.

With h(z) = z² up to A and 2 A |z| - A² beyond, the condition is h(α) - h(β) = G for levels α and β
that may lie beyond A: a level α > A stands for a stay at A of the time 2 (α - A)/J.

All functions are free of branches: they run on floats, on arrays and as compiled expressions.
"""

from __future__ import annotations

from typing import NamedTuple

from dalembert.spatial.scalar import absolute, larger, square_root, step
from dalembert.spatial.vectors import Scalar

THIN = 1e-12
"""Part of A below which α - β is as good as none: it keeps quotients finite."""


class Ends(NamedTuple):
    """What a joint moves between, and its limits: rad or m, and their rates."""

    v0: Scalar
    a0: Scalar
    v1: Scalar
    a1: Scalar
    V: Scalar
    A: Scalar
    J: Scalar

    def mirrored(self, side: Scalar) -> Ends:
        """Return the ends as seen with positions counted the other way where ``side`` is -1."""
        v0, a0, v1, a1, V, A, J = self
        return Ends(side * v0, side * a0, side * v1, side * a1, V, A, J)


class Phase(NamedTuple):
    """A time with constant jerk."""

    duration: Scalar
    jerk: Scalar


class Passage(NamedTuple):
    """A motion in phases.

    Attributes:
        phases: What it does, in order.
        way: How far it comes.
        slope: How much farther for each second more.
    """

    phases: tuple[Phase, ...]
    way: Scalar
    slope: Scalar


def choose(where: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """Return a where a mask of 0 and 1 is 1, else b; both must be finite."""
    return where * a + (1 - where) * b


def at_most(x: Scalar, bound: Scalar) -> Scalar:
    """Return the smaller of two, one of them to the last digit also where they differ much."""
    return choose(step(x - bound), bound, x)


def at_least(x: Scalar, bound: Scalar) -> Scalar:
    """Return the larger of two, one of them to the last digit also where they differ much."""
    return choose(step(bound - x), bound, x)


def squared_level(z: Scalar, A: Scalar) -> Scalar:
    """Return h(z): z² up to A, 2 A |z| - A² beyond."""
    size = absolute(z)
    inside = at_most(size, A)
    return inside * (2 * size - inside)


def level_of(g: Scalar, A: Scalar) -> Scalar:
    """Return z ≥ 0 with h(z) = g; 0 for negative g."""
    g = larger(g, 0)
    return choose(step(g - A * A), (g + A * A) / (2 * A), square_root(g))


def farthest(T: Scalar, ends: Ends) -> Passage:
    """Return the motion that comes farthest in T, for any velocity on the way."""
    v0, a0, v1, a1, _, A, J = ends
    # α - β = δ and h(α) - h(β) = G
    delta = larger((a0 - a1 + J * T) / 2, 0)
    G = J * (v1 - v0) - (a1 * a1 - a0 * a0) / 2
    is_high = step(G - A * A + squared_level(A - delta, A))
    is_low = step(squared_level(delta - A, A) - A * A - G)
    free = (G / larger(delta, THIN * A) + delta) / 2
    high = delta + A - square_root(larger(2 * A * delta - G, 0))
    low = square_root(larger(2 * A * delta + G, 0)) - A
    both = (G + 2 * A * delta) / (4 * A)
    alpha = choose(is_high, choose(is_low, both, high), choose(is_low, low, free))
    return _passage(ends, alpha, alpha - delta, 0)


def farthest_within(T: Scalar, ends: Ends) -> Passage:
    """Return the motion that comes farthest in T with velocities up to V."""
    longest, alpha, beta = cruise(ends)
    left = larger(T - longest, 0)
    short, long = farthest(at_most(T, longest), ends), _passage(ends, alpha, beta, left)
    is_long = step(left)
    phases = tuple(
        Phase(choose(is_long, b.duration, a.duration), a.jerk)
        for a, b in zip(short.phases, long.phases, strict=True)
    )
    slope = choose(is_long, ends.V, short.slope)
    return Passage(phases, short.way + ends.V * left, slope)


def cruise(ends: Ends) -> tuple[Scalar, Scalar, Scalar]:
    """Return the time of the motion that just reaches V, with its levels α and β."""
    v0, a0, v1, a1, V, A, J = ends
    alpha = level_of(J * (V - v0) + a0 * a0 / 2, A)
    beta = -level_of(J * (V - v1) + a1 * a1 / 2, A)
    return (2 * alpha - a0) / J + (a1 - 2 * beta) / J, alpha, beta


def _passage(ends: Ends, alpha: Scalar, beta: Scalar, cruising: Scalar) -> Passage:
    """Return the motion with the levels α and β, and a stay without acceleration in its fall."""
    v0, a0, _, a1, _, A, J = ends
    top, bottom = at_most(alpha, A), at_least(beta, -A)
    is_cruising = step(cruising)
    # the fall in two parts, where it stops: at zero acceleration, or nowhere
    stop = choose(is_cruising, 0 * A, bottom)
    phases = (
        Phase(larger((top - a0) / J, 0), J),
        Phase(larger(2 * (alpha - A) / J, 0), 0),
        Phase(larger((top - stop) / J, 0), -J),
        Phase(cruising, 0),
        Phase(larger((stop - bottom) / J, 0), -J),
        Phase(larger(2 * (-A - beta) / J, 0), 0),
        Phase(larger((a1 - bottom) / J, 0), J),
    )
    way: Scalar = 0
    v, a, peak = v0, a0, v0
    for k, (t, jerk) in enumerate(phases):
        peak = v if k == 2 else peak
        way, v, a = advanced(way, v, a, t, jerk)
    # the costate of a parabola that vanishes at both ends of the fall
    return Passage(phases, way, peak + top * (top - bottom) / (2 * J))


def advanced(
    p: Scalar, v: Scalar, a: Scalar, t: Scalar, jerk: Scalar
) -> tuple[Scalar, Scalar, Scalar]:
    """Return position, velocity and acceleration after a time of constant jerk."""
    return (
        p + t * (v + t * (a / 2 + t * jerk / 6)),
        v + t * (a + t * jerk / 2),
        a + t * jerk,
    )
