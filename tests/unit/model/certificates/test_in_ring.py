"""Programs over the ring of the equations: canonical forms, or a reason why there is none."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dalembert as da
from dalembert.errors import TooLarge
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.trace import trace
from dalembert.model.certificates import in_ring
from dalembert.model.certificates.in_ring import run_in_ring
from dalembert.ring import canonical, ring_of

x, y = da.coordinates("x y")
root = da.sqrt(x**2 + 1)


def program_of(*values: da.Expr) -> Program:
    return trace("f", {"q": [x, y]}, {"y": list(values)})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (x**3 + x**-2, x * x * x + 1 / (x * x)),
        ((x**2 + 1) ** Fraction(3, 2), (x**2 + 1) * root),
        (root**2 * y - y, x**2 * y),
        (da.sin(x) ** 2 + da.cos(x) ** 2 + da.pi - da.pi, 1 + 0 * x),
        (da.sin(2 * x), 2 * da.sin(x) * da.cos(x)),
        (da.sign(y) * y + da.sign(y), da.sign(y) * (y + 1)),
        (x / (x + y) - x / (y + x) + Fraction(1, 3), Fraction(1, 3) + 0 * x),
    ],
)
def test_values_are_canonical(value: da.Expr, expected: da.Expr) -> None:
    ring = ring_of([value, expected, root, da.sign(y), da.sin(x), da.pi + 0 * x])
    (found,) = run_in_ring(program_of(value), {"q": (x, y)}, ring)["y"]
    assert (found - canonical(ring, expected)).is_surely_zero
    assert not (found - canonical(ring, expected + 1)).is_surely_zero


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (da.exp(x), x),
        (da.sin(y), da.sin(x)),
        (root, x),
        # parts of what the ring has: whole numbers of them would be something else
        (da.sin(x / 2), da.sin(x)),
        (da.cos(x / 2), da.cos(x)),
        (da.sin(x + y / 3), da.sin(x) + da.sin(y)),
        (da.exp(x / 2), da.exp(x)),
        ((x**2 + 1) ** Fraction(1, 4), root),
        ((x**2 + 1) ** Fraction(5, 6), root),
    ],
)
def test_functions_that_the_ring_does_not_have_are_refused(value: da.Expr, known: da.Expr) -> None:
    with pytest.raises(TooLarge, match="compare over a prime field instead"):
        run_in_ring(program_of(value), {"q": (x, y)}, ring_of([x, y, known]))


def test_too_many_terms_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = ring_of([x, y])
    program = program_of((x + y) ** 3)
    assert len(run_in_ring(program, {"q": (x, y)}, ring)["y"][0]) == 4
    monkeypatch.setattr(in_ring, "MAX_TERMS", 3)
    with pytest.raises(TooLarge, match="at most 3 terms in f, got 4"):
        run_in_ring(program, {"q": (x, y)}, ring)
