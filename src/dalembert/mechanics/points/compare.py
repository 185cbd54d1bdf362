"""Compare expressions pair by pair: at points of a prime field, in balls, and last in the ring."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

import flint

from dalembert.errors import DalembertError
from dalembert.expr import Expr, free_symbols
from dalembert.mechanics.points.field import BITS, POINTS, FieldPoint, Graph
from dalembert.mechanics.points.free_size import free_size_of
from dalembert.mechanics.points.surds import TooManyRoots
from dalembert.ring import Point, equal, random_point, refute
from dalembert.ring.balls import defined_balls
from dalembert.ring.prime_point import Pole, random_prime

TRIES = 8
"""Points of prime fields that are tried where some are poles."""


REAL_POINTS, DIGITS = 3, 60
"""Real points at which what nothing decides is compared, and how many digits must agree."""


class Comparison(NamedTuple):
    """What was found: equal by a method, different at a point, or neither.

    "alike" are expressions that agree at real points to many digits, and that nothing decides.
    """

    verdict: Literal["equal", "different", "alike", "unknown"]
    method: str
    place: int = 0
    point: Point | None = None


@cache
def _prime() -> int:
    """Return the prime of this process: its points are drawn anew for every comparison."""
    return random_prime(random.SystemRandom(), BITS)


def compare(pairs: Sequence[tuple[Expr, Expr]], rng: random.Random) -> Comparison:
    """Decide whether both expressions of each pair are equal.

    Equal at random points of a prime field, where functions are tables and roots have no sign, is
    equal up to a chance that the method states. What differs there may still be equal, as
    √(4x) and 2√x are: balls at real points separate what is not, and the ring decides the rest.
    """
    open_pairs = [i for i, (a, b) in enumerate(pairs) if a is not b]
    if not open_pairs:
        return Comparison("equal", "the same expressions")
    method, unequal = _at_prime_points([pairs[i] for i in open_pairs], rng)
    if not unequal:
        return Comparison("equal", method)
    for k in unequal:
        place = open_pairs[k]
        a, b = pairs[place]
        point = refute(a - b)
        if point is not None:
            return Comparison("different", "the values differ", place, point)
    for k in unequal:
        place = open_pairs[k]
        try:
            if not equal(*pairs[place]):
                return Comparison("different", "the canonical forms differ", place)
        except DalembertError as error:
            if _are_alike(*pairs[place], rng):
                words = f"equal to {DIGITS} digits at {REAL_POINTS} points, decided by nothing"
                return Comparison("alike", words, place)
            return Comparison("unknown", str(error), place)
    return Comparison("equal", f"{method}; where functions have relations, in the ring")


def _are_alike(a: Expr, b: Expr, rng: random.Random) -> bool:
    """Tell whether the values agree at random real points where both are defined."""
    symbols = free_symbols([a, b])
    seen = 0
    for _ in range(10 * REAL_POINTS):
        values = defined_balls([a, b], random_point(symbols, rng), 8 * DIGITS)
        if values is None:
            continue
        x, y = values
        if not abs(x - y) < (1 + abs(x)) * flint.arb(10) ** -DIGITS:
            return False
        seen += 1
        if seen == REAL_POINTS:
            return True
    return False


def _at_prime_points(
    pairs: Sequence[tuple[Expr, Expr]], rng: random.Random
) -> tuple[str, list[int]]:
    """Return how pairs were compared, and the numbers of those that were not found equal."""
    graph = Graph([e for pair in pairs for e in pair])
    places = [(graph.place[a], graph.place[b]) for a, b in pairs]
    everything = list(range(len(pairs)))
    unequal: set[int] = set()
    done = 0
    for _ in range(TRIES):
        try:
            values = FieldPoint(rng, free=True, p=_prime()).values(graph)
        except Pole:
            continue
        except TooManyRoots:
            return "too many roots for formal ones", everything
        unequal |= {k for k, (a, b) in enumerate(places) if values[a] != values[b]}
        done += 1
        if done == POINTS or len(unequal) == len(pairs):
            break
    if done < POINTS and not unequal:
        return "every point was a pole", everything
    return str(free_size_of(graph)), sorted(unequal)
