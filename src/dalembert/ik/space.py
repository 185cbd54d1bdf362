"""The configurations that a search may visit: bounds, full turns, starting points."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from dalembert.tasks.limits import JointLimits, Limit, followers, intersection

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array

TURN = 2 * np.pi
# stands for "no bound" in compiled code, which takes finite numbers
FAR = 1e9
# half the range of starts for a joint that slides without bounds
SLIDE = 1.0


@dataclass(frozen=True)
class SearchSpace:
    """Bounds of q, and which of its numbers are angles that may change by full turns."""

    model: Model
    lower: Array
    upper: Array

    @cached_property
    def turns(self) -> Array:
        """Tell which numbers of q are angles that nothing else is coupled to."""
        mechanism = self.model.mechanism
        names = self.model.configuration.q_names
        is_angle = np.zeros(self.model.nq, bool)
        if mechanism.couplings:
            return is_angle
        for joint in mechanism.moving_joints:
            if joint.name in names and joint.kind.value in ("revolute", "continuous"):
                is_angle[names.index(joint.name)] = True
        for follower in followers(self.model):
            is_angle[follower.place] = False
        return is_angle

    @cached_property
    def wide(self) -> Array:
        """Tell which numbers of q are such angles with a full turn of room."""
        return self.turns & (self.upper - self.lower >= TURN)

    @cached_property
    def finite(self) -> tuple[Array, Array]:
        """The bounds as compiled code takes them."""
        return np.maximum(self.lower, -FAR), np.minimum(self.upper, FAR)

    @cached_property
    def loose(self) -> tuple[Array, Array]:
        """The same without those of angles with a full turn of room."""
        lower, upper = self.finite
        return np.where(self.wide, -FAR, lower), np.where(self.wide, FAR, upper)

    def clipped(self, q: Array) -> Array:
        """Return q inside the bounds."""
        return np.clip(q, self.lower, self.upper)

    def wrapped(self, q: Array, near: Array) -> Array:
        """Return q with angles changed by full turns: within the bounds as near as can be."""
        angle = self.turns
        at = q[:, angle]
        moved = at + TURN * np.round((near[:, angle] - at) / TURN)
        low, high = self.lower[angle], self.upper[angle]
        # rounding up from the lower bound, then down from the upper: narrow ranges keep what fits
        moved = moved + TURN * np.ceil(np.maximum(low - moved, 0) / TURN)
        moved = moved - TURN * np.ceil(np.maximum(moved - high, 0) / TURN)
        fits = (moved >= low) & (moved <= high)
        result = q.copy()
        result[:, angle] = np.where(fits, moved, at)
        return result

    def starts(self, count: int, seed: int) -> Array:
        """Return configurations that fill the space evenly, ``(count, nq)``: shifted Halton points.

        Angles without bounds lie in a turn about zero, slides within ± a metre, quaternions are
        uniform, and bodies without bounds within a metre of the origin.
        """
        points = halton(count, self.model.nq, seed)
        middle, reach = self._box
        q = middle + (2 * points - 1) * reach
        for k in self.model.configuration.quaternions:
            q[:, k : k + 4] = _uniform_quaternions(points[:, k : k + 3])
        return q

    @property
    def middle(self) -> Array:
        """The configuration in the middle of the bounds; zero where there are none."""
        q = self._box[0].copy()
        for k in self.model.configuration.quaternions:
            q[k : k + 4] = (1.0, 0.0, 0.0, 0.0)
        return q

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        """Middle and half widths of where starts lie."""
        lower, upper = np.maximum(self.lower, -FAR), np.minimum(self.upper, FAR)
        half = np.where(self.turns, np.pi, SLIDE)
        bounded = (lower > -FAR) & (upper < FAR)
        middle = np.where(bounded, (lower + upper) / 2, np.clip(0.0, lower + half, upper - half))
        reach = np.where(bounded, (upper - lower) / 2, half)
        return middle, np.where(self.turns, np.minimum(reach, np.pi), reach)


def space_of(model: Model, limits: Iterable[Limit] | None) -> SearchSpace:
    """Return the space within limits; those of the joints unless given."""
    if limits is not None:
        return SearchSpace(model, *intersection(model, limits))
    # the joints' own limits stay what they are
    return model.once(
        "joint limits", lambda: SearchSpace(model, *intersection(model, [JointLimits()]))
    )


@lru_cache
def halton(count: int, dimensions: int, seed: int) -> Array:
    """Return points of the unit cube, ``(count, dimensions)``, moved by a seeded shift modulo 1.

    J. H. Halton, Numerische Mathematik 2 (1960): coordinate k is the radical inverse of the
    point's number in the k-th prime base.
    """
    columns = []
    for base in _primes(dimensions):
        number, value, scale = np.arange(1, count + 1), np.zeros(count), 1.0
        while number.any():
            scale /= base
            value += scale * (number % base)
            number //= base
        columns.append(value)
    shift = np.random.default_rng(seed).uniform(size=dimensions)
    points = (np.stack(columns, axis=-1) + shift) % 1.0
    points.flags.writeable = False
    return points


def _primes(count: int) -> list[int]:
    found: list[int] = []
    n = 2
    while len(found) < count:
        if all(n % p for p in found):
            found.append(n)
        n += 1
    return found


def _uniform_quaternions(u: Array) -> Array:
    """Return unit quaternions of three uniform numbers (Shoemake, Graphics Gems III, 1992)."""
    a, b = np.sqrt(1 - u[:, 0]), np.sqrt(u[:, 0])
    s, t = TURN * u[:, 1], TURN * u[:, 2]
    return np.stack([a * np.sin(s), a * np.cos(s), b * np.sin(t), b * np.cos(t)], axis=-1)
