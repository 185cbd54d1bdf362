"""Bounds of a configuration."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array
from dalembert.model.distances.call import listed_pairs, pairs_of

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.model.distances import Distances, ShapePair
    from dalembert.types import Array, ArrayLike

Bounds: TypeAlias = "tuple[Array, Array]"


class Limit(ABC):
    """Bounds of q; where several are given all of them hold."""

    @abstractmethod
    def bounds(self, model: Model) -> Bounds:
        """Return lower and upper bounds, ``(nq,)`` each, ±∞ where there is none."""


@dataclass(frozen=True)
class JointLimits(Limit):
    """The limits of the description, also those of joints that follow others.

    Args:
        margin: Distance to keep from each bound, in the joint's unit.
    """

    margin: float = 0.0

    def bounds(self, model: Model) -> Bounds:
        space = model.configuration
        lower, upper = space.lower.copy(), space.upper.copy()
        for joint in followers(model):
            place, k, c = joint.place, joint.multiplier, joint.offset
            ends = [(end - c) / k for end in (joint.lower, joint.upper)]
            lower[place] = max(lower[place], min(ends))
            upper[place] = min(upper[place], max(ends))
        return lower + self.margin, upper - self.margin


@dataclass(frozen=True, eq=False)
class Box(Limit):
    """Given bounds: a number for all of q, or one for each of its entries."""

    lower: ArrayLike
    upper: ArrayLike

    def bounds(self, model: Model) -> Bounds:
        lower, upper = (np.asarray(x, float) for x in (self.lower, self.upper))
        return np.broadcast_to(lower, model.nq).copy(), np.broadcast_to(upper, model.nq).copy()


@dataclass(frozen=True, eq=False)
class Clearance(Limit):
    """Links keep a distance from each other.

    Args:
        margin: That distance in m.
        pairs: Pairs of links. Default: all with collision shapes that are neither welded to each
            other nor joined by a joint.
        exclude: Pairs that are left out, such as ``semantics.disabled_collisions``.
    """

    margin: float = 0.0
    pairs: Iterable[tuple[str, str]] | None = None
    exclude: Iterable[tuple[str, str]] = ()

    def __post_init__(self) -> None:
        finite_array(self.margin, "the margin of a clearance", ())
        if self.pairs is not None:
            object.__setattr__(self, "pairs", listed_pairs(self.pairs, "pairs="))
        object.__setattr__(self, "exclude", listed_pairs(self.exclude, "exclude="))

    def bounds(self, model: Model) -> Bounds:
        """Return no bounds: what clearances leave of q is no box."""
        none = np.full(model.nq, np.inf)
        return -none, none

    def distances(self, model: Model, q: Array) -> Distances:
        """Return the distances of its pairs."""
        return model.distances(q, self.pairs, exclude=self.exclude)

    def shapes(self, model: Model) -> tuple[ShapePair, ...]:
        """Return its pairs of shapes for compiled code."""
        return pairs_of(model, self.pairs, self.exclude)


def clearances_of(limits: Iterable[Limit]) -> tuple[Clearance, ...]:
    """Return the clearances among limits."""
    return tuple(limit for limit in limits if isinstance(limit, Clearance))


def intersection(model: Model, limits: Iterable[Limit]) -> Bounds:
    """Return the bounds that satisfy all limits.

    Raises:
        EvaluationError: two of them exclude each other.
    """
    lower, upper = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
    for limit in limits:
        low, high = limit.bounds(model)
        lower, upper = np.maximum(lower, low), np.minimum(upper, high)
    empty = np.flatnonzero(lower > upper)
    if empty.size:
        k = int(empty[0])
        raise EvaluationError(
            f"expected bounds with room between them, got [{lower[k]:g}, {upper[k]:g}] for "
            f"{model.configuration.q_names[k]}: widen the limits or their margin"
        )
    return lower, upper


@dataclass(frozen=True)
class Follower:
    """A joint with the position multiplier · q[place] + offset."""

    place: int
    multiplier: float
    offset: float
    lower: float
    upper: float


def followers(model: Model) -> Sequence[Follower]:
    """Return the mimic joints of a mechanism; those that never move are left out."""
    mechanism, found = model.mechanism, []
    for joint in mechanism.joints:
        master, k, c = mechanism.master_of(joint)
        if joint.mimic is not None and k:
            low, high = joint.limits.lower, joint.limits.upper
            found.append(
                Follower(
                    model.configuration.q_names.index(master.name),
                    float(k),
                    float(c),
                    -np.inf if low is None else float(low),
                    np.inf if high is None else float(high),
                )
            )
    return found
