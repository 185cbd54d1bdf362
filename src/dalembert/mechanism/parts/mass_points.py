"""The inertia of a beam as a rigid link and a few points that move against it, exactly.

A point of the beam at s, from 0 to 1, moves by q₁ f₁(s) + q₂ f₂(s) + …. All that kinetic energy and
weight need are the integrals of products of 1, s and the fₖ. With functions χₖ made orthogonal of
these, each is a point of mass (∫χ)²/∫χ² at the place ∫sχ/∫χ that moves by ∫χ²/∫χ times its q: so it
has the integrals of χ, sχ and χ². What is left of 1, s and s² is rigid, and has a mass by Schwarz'
inequality.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, isqrt
from typing import NamedTuple

from dalembert.mechanism.parts.shape_functions import Polynomial, inner

ONE, PLACE = [Fraction(1)], [Fraction(0), Fraction(1)]


class MassPoint(NamedTuple):
    """A point with its share of the mass, its place s, and how far it moves with each function."""

    mass: Fraction
    place: Fraction
    moves: tuple[Fraction, ...]


class MassPoints(NamedTuple):
    """The points, and the mass, first and second moment of the rigid rest: ∫1, ∫s and ∫s²."""

    points: list[MassPoint]
    mass: Fraction
    first: Fraction
    second: Fraction


class Orthogonal(NamedTuple):
    """A function χ with ∫χ², and how much of it is in each of the functions it comes from."""

    function: Polynomial
    square: Fraction
    parts: tuple[Fraction, ...]

    @property
    def mean(self) -> Fraction:
        """∫χ ds."""
        return inner(self.function, ONE)

    @property
    def moment(self) -> Fraction:
        """∫s χ ds."""
        return inner(self.function, PLACE)


def mass_points(functions: Sequence[Polynomial]) -> MassPoints:
    """Return points that move as a beam of mass and length 1 does along these functions.

    >>> points, mass, first, second = mass_points([[Fraction(0), Fraction(0), Fraction(1)]])
    >>> print(*points[0][:2], *points[0].moves, mass, first, second)
    5/9 3/4 3/5 4/9 1/12 1/48
    """
    found = orthogonal(functions)
    own = [x for x in found if x.mean]
    points = [
        MassPoint(
            x.mean**2 / x.square,
            x.moment / x.mean,
            tuple(k * x.square / x.mean for k in x.parts),
        )
        for x in own
    ]
    even = [x for x in found if not x.mean]
    # mass and place of what is left of 1: a share for each pair, and one for the link
    mass, first, _ = _rest(points)
    place = first / mass
    for x in even:
        points += _pair(x, mass / (len(even) + 1), place)
    return MassPoints(points, *_rest(points))


def orthogonal(functions: Sequence[Polynomial]) -> list[Orthogonal]:
    """Return orthogonal functions that span the given ones, by Gram and Schmidt."""
    found: list[tuple[Polynomial, Fraction, list[Fraction]]] = []
    for j, f in enumerate(functions):
        rest, parts = list(f), [Fraction(0)] * len(functions)
        for chi, square, of in found:
            k = inner(rest, chi) / square
            of[j] = k
            size = max(len(rest), len(chi))
            rest = [_at(rest, i) - k * _at(chi, i) for i in range(size)]
        if square := inner(rest, rest):
            parts[j] = Fraction(1)
            found.append((rest, square, parts))
    return [Orthogonal(chi, square, tuple(parts)) for chi, square, parts in found]


def _pair(x: Orthogonal, most: Fraction, place: Fraction) -> list[MassPoint]:
    """Return two points that move oppositely, of a function without a mean."""
    # by ± c with the mass ∫χ² / c², not more than there is
    c = Fraction(isqrt(ceil(x.square / most)) + 1)
    mass, away = x.square / c**2, x.moment * c / x.square
    return [
        MassPoint(mass / 2, place + sign * away, tuple(sign * c * k for k in x.parts))
        for sign in (1, -1)
    ]


def _rest(points: Sequence[MassPoint]) -> tuple[Fraction, Fraction, Fraction]:
    """Return mass, first and second moment of a beam without some points."""
    mass, first, second = Fraction(1), Fraction(1, 2), Fraction(1, 3)
    for point in points:
        mass -= point.mass
        first -= point.mass * point.place
        second -= point.mass * point.place**2
    return mass, first, second


def _at(p: Polynomial, i: int) -> Fraction:
    return p[i] if i < len(p) else Fraction(0)
