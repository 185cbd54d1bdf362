"""Which angles are independent does not depend on the order in which they occur, if asked for."""

from __future__ import annotations

import itertools
from fractions import Fraction

import dalembert as da
from dalembert.ring.choose.angles import independent_angles

q1, q2, q3 = da.coordinates("q1 q2 q3")
FORMS = [
    {q1: Fraction(1), q2: Fraction(1)},
    {q2: Fraction(2), q3: Fraction(1)},
    {q1: Fraction(1)},
    {q2: Fraction(1), q3: Fraction(-1)},
    {q2: Fraction(1), q3: Fraction(1)},
]


def test_ordered_angles_are_the_same_for_every_order() -> None:
    found = {
        str(independent_angles(order, ordered=True)) for order in itertools.permutations(FORMS)
    }
    assert len(found) == 1


def test_angles_in_the_order_of_appearance_are_not() -> None:
    found = {str(independent_angles(order)) for order in itertools.permutations(FORMS)}
    assert len(found) > 1
