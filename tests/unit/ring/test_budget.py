"""What is too large is refused at once, or answered without being expanded."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dalembert as da
from dalembert.ring import budget, canonical, ring_of
from dalembert.ring.budget import allowance
from tests.effort import at_once, refused_at_once

x, y, z = da.coordinates("x y z")
a, b, d, e, f = da.parameters("a b d e f")
c, s = da.cos, da.sin


def expand(expr: da.Expr) -> int:
    return len(canonical(ring_of([expr]), expr))


@pytest.mark.parametrize(
    "expr",
    [
        (a + b + d + e + f + x + y) ** 60,
        (Fraction("1.234567890123") * a + Fraction("2.345678901234") * b * c(x) + s(y)) ** 200,
    ],
    ids=["power", "digits"],
)
def test_a_form_too_large_names_the_limit(expr: da.Expr) -> None:
    error = refused_at_once(da.TooLarge, lambda: expand(expr))
    assert "expected" in str(error)
    assert "got" in str(error)
    assert "instead" in str(error) or "give numbers" in str(error) or "rescale" in str(error)


def test_large_elements_are_counted_while_they_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MAX_BYTES_HELD", 3_000_000)
    ring = ring_of([a + b + d + e + f + x + y + z])
    base = canonical(ring, a + b + d + e + f + x + y + z)
    # 19,448 terms, each with a coefficient and a word for eight exponents
    power = base**10
    assert len(power) == 19_448
    assert ring.meter.held == 19_448 * 16
    # what is not kept does not count
    for k in range(2, 30):
        assert len(power * k) == 19_448
    with pytest.raises(da.TooLarge, match="3,000,000 bytes together"):
        [power * k for k in range(2, 30)]
    del power
    assert not ring.meter.held


def test_fractions_stay_apart_and_too_many_are_not_put_over_one_denominator() -> None:
    terms = (1 / (a * i + b * c(i * x) + d * s(i * y) + e * c(z)) for i in range(1, 12))
    expr = sum(terms, 0 * a)
    element = at_once(lambda: canonical(ring_of([expr]), expr))
    assert len(element.fractions or ()) == 11
    error = refused_at_once(da.TooLarge, element.over_one)
    assert "expected" in str(error)
    assert "numerically" in str(error) or "give numbers" in str(error)


def test_unequal_quotients_are_refuted_before_they_are_expanded() -> None:
    k = Fraction("1.001")
    left = c(x) * c(y) / (1 + c(z))
    right = c(k * x) * c(k * y) / (1 + c(k * z))
    assert at_once(lambda: da.equal(left, right)) is False


@pytest.mark.parametrize(
    "expr",
    [c(300 * x) * c(300 * y) * c(300 * z) * c(x) * c(y) * c(z), c(5000 * x) + c(x)],
    ids=["products", "sums"],
)
def test_large_multiples_of_an_angle_have_short_forms(expr: da.Expr) -> None:
    assert at_once(lambda: expand(expr)) <= 2


def test_large_multiples_of_angles_are_decided() -> None:
    left = c(1001 * x) * c(1001 * y) * c(1001 * z) * c(x) * c(y) * c(z)
    right = (c(1001 * x + 1001 * y) + c(1001 * x - 1001 * y)) / 2 * c(1001 * z)
    assert at_once(lambda: da.equal(left, right * c(x) * c(y) * c(z)))
    assert not at_once(lambda: da.equal(left, right * c(x) * c(y) * s(z)))


def test_equal_forms_too_large_to_expand_are_undecided() -> None:
    u, v = a + b * c(x) + d, e * s(y) + f * z + 1
    refused_at_once(
        da.Undecided, lambda: da.equal((u - v) ** 40 * (u + v) ** 40, (u**2 - v**2) ** 40)
    )


def test_a_large_mass_matrix_is_refused_as_an_expression() -> None:
    eq = da.textbook.robots.planar_arm_nr(12).equations()
    refused_at_once(da.TooLarge, lambda: eq.M)


def test_the_hamiltonian_of_a_symbolic_arm_is_refused() -> None:
    eq = da.textbook.robots.planar_arm_nr(4).equations()
    refused_at_once(da.TooLarge, eq.hamiltonian)


def test_many_small_steps_share_an_allowance() -> None:
    u, v = (canonical(ring_of([x]), x) for x in (a + b, a - b))
    with allowance(10):
        # four pairs each
        assert len(u * u) == 3
        v = v * v
        with pytest.raises(da.TooLarge, match="bounded number"):
            _ = v * v
    # outside nothing is counted
    assert len(v * v * v) > 3


def test_a_search_for_symmetries_ends() -> None:
    """Conditions over one denominator took 3.4 gigabytes of a potential of four terms."""
    far = (b * x - y / 5 + a) ** 12
    V = da.sqrt(2 + (b * x**2 + a * x + b) ** 2 / far) + d * c(x + 99 * y) * c(3 * x + 872 * y)
    V = V + da.sqrt(1 + b**2 / ((a * x**2 - b * x + d) ** 2 + (b * x**2 + d * x + a) ** 2))
    T = e * (x.dot**2 + y.dot**2 + 2 * c(x - y) * x.dot * y.dot + y.dot**2) / 2
    eq = da.System(kinetic=T, potential=V, coordinates=[x, y]).equations()
    assert [item.name for item in at_once(eq.conserved)] == ["energy"]
