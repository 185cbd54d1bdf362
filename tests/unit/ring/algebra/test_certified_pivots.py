"""Elimination takes nothing for nonzero that it does not know to be."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.ring import canonical_matrix, is_zero, rank, ring_of, row_reduce

x, y, z = da.coordinates("x y z")
KINETIC = (x.dot**2 + y.dot**2 + z.dot**2) / 2

# zeros that no relation of the ring shows
HIDDEN_ZEROS = {
    "nested roots": da.sqrt(5 + 2 * da.sqrt(6)) - da.sqrt(2) - da.sqrt(3),
    "parts of π": da.cos(da.pi / 7) - da.cos(2 * da.pi / 7) + da.cos(3 * da.pi / 7) - 0.5,
    "tanh and exp": da.tanh(x) * (da.exp(2 * x) + 1) - da.exp(2 * x) + 1,
    "root of a power": da.sqrt(x**4) - x**2,
    "half angles": da.sqrt((1 + da.cos(x)) / 2) - da.abs(da.cos(x / 2)),
    "signs": da.sign(x) * da.abs(x) - x,
}
# a zero for which there is no rule
UNKNOWN = da.log((x**2 + 1) ** 2) - 2 * da.log(x**2 + 1)


def matrix_rank(a: da.Matrix) -> int:
    ring = ring_of(a.entries)
    return rank(ring, canonical_matrix(ring, a))


def with_constraints(*constraints: da.Expr, keep_redundant: bool = False) -> da.System:
    return da.System(
        coordinates=[x, y, z],
        kinetic=KINETIC,
        velocity_constraints=list(constraints),
        keep_redundant=keep_redundant,
    )


@pytest.mark.parametrize("name", HIDDEN_ZEROS)
def test_a_hidden_zero_adds_nothing_to_the_rank(name: str) -> None:
    zero = HIDDEN_ZEROS[name]
    assert matrix_rank(da.Matrix([[1, y], [1, y + zero]])) == 1
    assert matrix_rank(da.Matrix([[zero]])) == 0
    assert matrix_rank(da.Matrix([[zero + y]])) == 1


@pytest.mark.parametrize("name", HIDDEN_ZEROS)
def test_a_holonomic_form_stays_holonomic(name: str) -> None:
    """ẋ + ẏ + 0·x ż = 0 is the rate of x + y."""
    form = x.dot + y.dot + HIDDEN_ZEROS[name] * x * z.dot
    assert with_constraints(form).equations().integrability().is_holonomic


def test_two_spellings_of_one_constraint_count_once() -> None:
    twice = (x * y.dot + z.dot, da.sign(x) * da.abs(x) * y.dot + z.dot)
    with pytest.raises(da.InvalidSystem, match="independent"):
        with_constraints(*twice).equations()
    eq = with_constraints(*twice, keep_redundant=True).equations()
    assert rank(eq.ring, eq.forms.A) == 1


def test_what_cannot_be_decided_is_not_a_pivot() -> None:
    a = da.Matrix([[UNKNOWN, 0], [0, 0]])
    with pytest.raises(da.Undecided, match="log"):
        matrix_rank(a)
    with pytest.raises(da.Undecided):
        da.Matrix([[UNKNOWN]]).solve(da.Matrix([[1]]))
    # another entry is certain: the unknown one is not needed
    ring = ring_of(a.entries)
    _, pivots = row_reduce(ring, canonical_matrix(ring, da.Matrix([[UNKNOWN, 1]])))
    assert pivots == [1]


def test_a_rank_that_differs_from_place_to_place_is_undecided() -> None:
    """x + |x| is zero for x < 0 only."""
    with pytest.raises(da.Undecided):
        matrix_rank(da.Matrix([[x + da.abs(x)]]))


def test_a_singular_matrix_is_seen_behind_functions() -> None:
    a = da.Matrix([[1, da.tanh(x)], [da.exp(2 * x) + 1, da.exp(2 * x) - 1]])
    with pytest.raises(da.SingularSystem):
        a.solve(da.Matrix([[1], [1]]))
    ring = ring_of(a.entries)
    assert is_zero(ring.one - ring.one)
