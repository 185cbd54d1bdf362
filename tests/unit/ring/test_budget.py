"""What is too large is refused at once, or answered without being expanded."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dalembert as da
from dalembert.ring import canonical, ring_of
from tests.effort import at_once, refused_at_once

x, y, z = da.coordinates("x y z")
a, b, d, e, f = da.parameters("a b d e f")
c, s = da.cos, da.sin


def expand(expr: da.Expr) -> int:
    return len(canonical(ring_of([expr]), expr))


@pytest.mark.parametrize(
    "expr",
    [
        c(300 * x) * c(300 * y) * c(300 * z) * c(x) * c(y) * c(z),
        (a + b + d + e + f + x + y) ** 60,
        (Fraction("1.234567890123") * a + Fraction("2.345678901234") * b * c(x) + s(y)) ** 200,
        c(5000 * x) + c(x),
        sum((1 / (a * i + b * c(i * x) + d * s(i * y) + e * c(z)) for i in range(1, 12)), 0 * a),
    ],
    ids=["angles", "power", "digits", "multiple", "denominators"],
)
def test_a_form_too_large_names_the_limit(expr: da.Expr) -> None:
    error = refused_at_once(da.TooLarge, lambda: expand(expr))
    assert "expected" in str(error)
    assert "got" in str(error)
    assert "instead" in str(error) or "give numbers" in str(error) or "rescale" in str(error)


def test_unequal_quotients_are_refuted_before_they_are_expanded() -> None:
    k = Fraction("1.001")
    left = c(x) * c(y) / (1 + c(z))
    right = c(k * x) * c(k * y) / (1 + c(k * z))
    assert at_once(lambda: da.equal(left, right)) is False


def test_equal_forms_too_large_to_expand_are_undecided() -> None:
    left = c(1001 * x) * c(1001 * y) * c(1001 * z) * c(x) * c(y) * c(z)
    right = (c(1001 * x + 1001 * y) + c(1001 * x - 1001 * y)) / 2 * c(1001 * z)
    refused_at_once(da.Undecided, lambda: da.equal(left, right * c(x) * c(y) * c(z)))


def test_a_large_mass_matrix_is_refused_as_an_expression() -> None:
    eq = da.textbook.robots.planar_arm_nr(12).equations()
    refused_at_once(da.TooLarge, lambda: eq.M)


def test_the_hamiltonian_of_a_symbolic_arm_is_refused() -> None:
    eq = da.textbook.robots.planar_arm_nr(4).equations()
    refused_at_once(da.TooLarge, eq.hamiltonian)
