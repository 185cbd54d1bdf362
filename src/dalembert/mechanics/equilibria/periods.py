"""Which coordinates are angles: those that occur inside sines and cosines alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

from dalembert.expr import Expr
from dalembert.ring import ring_of
from dalembert.ring.canonical import canonical_all


def periods(exprs: Sequence[Expr], coordinates: Sequence[Expr]) -> dict[Expr, float]:
    """Return the period of every coordinate in which the expressions are periodic.

    >>> from dalembert import coordinates, sin
    >>> x, y = coordinates("x y")
    >>> periods([sin(x) + y], [x, y])
    {x: 6.283185307179586}
    """
    ring = ring_of(list(exprs), coordinates)
    elements = canonical_all(ring, list(exprs))
    used = {i for x in elements for i in x.used()}
    found = {}
    for q in coordinates:
        inside = [g for i, g in enumerate(ring.generators) if i in used and q in g.symbols]
        angles = [a for a in ring.angles if q in a.form and used & {a.sin, a.cos}]
        pairs = {ring.generators[i] for a in angles for i in (a.sin, a.cos)}
        if angles and all(g in pairs for g in inside):
            k = [abs(a.form[q]) for a in angles]
            common = Fraction(gcd(*(x.numerator for x in k)), lcm(*(x.denominator for x in k)))
            found[q] = 2 * math.pi / float(common)
    return found
