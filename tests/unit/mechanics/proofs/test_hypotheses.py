"""Hypotheses of proofs: numbers are decided, contradictions carry nothing."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dalembert as da
from dalembert.mechanics.proofs.hypotheses import Hypothesis, examine, nonnegative

x, y, q = da.coordinates("x y q")
m, k, a, b, c, d = da.parameters("m k a b c d")


def of_particles(*masses) -> dict[str, da.Proof]:
    places = [(x, 0), (0, y)][: len(masses)]
    used = [x, y][: len(masses)]
    # also masses that nobody has: nothing may follow from them
    bodies = [
        da.Body(mass, place, accept_nonphysical=True)
        for mass, place in zip(masses, places, strict=True)
    ]
    eq = da.System.from_bodies(bodies, coordinates=used).equations()
    return {proof.statement.split(" where")[0]: proof for proof in eq.prove()}


def of_body(inertia: da.Matrix) -> dict[str, da.Proof]:
    R = da.rotation_x(x) @ da.rotation_y(y)
    eq = da.System.from_bodies(
        [da.Body(0, (0, 0, 0), inertia, R, accept_nonphysical=True)], coordinates=[x, y]
    ).equations()
    return {proof.statement.split(" where")[0]: proof for proof in eq.prove()}


FALSE = {
    "number": [da.sqrt(2) - 3],
    "nearly zero": [da.sqrt(2) - Fraction(14142135623730950488016887242097, 10**31)],
    "negative sum": [-m - k],
    "contradiction": [m - k, k - m - 1],
    "never a square": [-(m**2) - 1],
}


@pytest.mark.parametrize("case", FALSE)
def test_nothing_follows_from_a_false_hypothesis(case) -> None:
    proofs = of_particles(*FALSE[case])
    assert proofs["M ⪰ 0"].verdict == "refuted"
    assert not any(name.startswith("M ≻ 0") and p.is_proved for name, p in proofs.items())


def test_a_hypothesis_that_may_hold_is_stated() -> None:
    assert of_particles(m - k)["M ⪰ 0"].hypotheses == ("m - k ≥ 0",)
    # together they leave k ≤ m ≤ k + 1
    proof = of_particles(m - k, 1 + k - m)["M ⪰ 0"]
    assert proof.is_proved
    assert len(proof.hypotheses) == 2


def test_a_true_number_needs_no_hypothesis() -> None:
    proof = of_particles(3 - da.sqrt(2))["M ⪰ 0"]
    assert proof.is_proved
    assert proof.hypotheses == ()


def test_a_mass_that_depends_on_the_motion_is_no_hypothesis() -> None:
    assert of_particles(x)["M ⪰ 0"].verdict == "refuted"
    assert of_particles(1 + x**2)["M ⪰ 0"].is_proved
    assert of_particles(da.sin(x) ** 2 + 1)["M ⪰ 0"].is_proved


def test_inertia_tensors_of_numbers_are_decided() -> None:
    # eigenvalues 3 and -1 in the plane of x and y
    indefinite = da.Matrix([[1, 2, 0], [2, 1, 0], [0, 0, 1]])
    assert of_body(indefinite)["M ⪰ 0"].verdict == "refuted"
    # eigenvalues 1 ± 0.6 and 1
    positive = da.Matrix([[1, da.sqrt(9) / 5, 0], [da.sqrt(9) / 5, 1, 0], [0, 0, 1]])
    proof = of_body(positive)["M ⪰ 0"]
    assert proof.is_proved
    assert proof.hypotheses == ()
    # rank one: the determinant and two minors are zero, and that is allowed
    flat = da.Matrix([[1, 1, 0], [1, 1, 0], [0, 0, 0]])
    assert of_body(flat)["M ⪰ 0"].is_proved


def test_symbolic_inertia_tensor_is_a_hypothesis() -> None:
    tensor = da.Matrix([[a, d, 0], [d, b, 0], [0, 0, c]])
    proof = of_body(tensor)["M ⪰ 0"]
    assert proof.is_proved
    assert proof.hypotheses == ("inertia tensor [a, d, 0; d, b, 0; 0, 0, c] ⪰ 0",)
    moments = of_body(da.Matrix.diagonal([a, b, c]))["M ⪰ 0"]
    assert moments.hypotheses == ("a, b, c ≥ 0",)
    impossible = da.Matrix([[a, 2 * a, 0], [2 * a, a, 0], [0, 0, c]])
    assert of_body(impossible)["M ⪰ 0"].verdict == "refuted"


def test_triangle_inequality_is_a_statement_of_its_own() -> None:
    name = "no principal moment of inertia exceeds the sum of the other two"
    impossible = of_body(da.Matrix.diagonal([1, 1, 3]))
    assert impossible["M ⪰ 0"].is_proved
    assert impossible[name].verdict == "refuted"
    assert of_body(da.Matrix.diagonal([1, 1, 2]))[name].is_proved
    assert of_body(da.Matrix([[2, 1, 0], [1, 2, 0], [0, 0, 4]]))[name].is_proved
    # principal moments 2 ± √2 and 1: 2 + √2 > 1 + 2 - √2
    assert of_body(da.Matrix([[3, 1, 0], [1, 1, 0], [0, 0, 1]]))[name].verdict == "refuted"
    assert name not in of_body(da.Matrix.diagonal([a, b, c]))


def test_examine_finds_a_point_where_all_hold() -> None:
    needed = [nonnegative(m - 50 * k), nonnegative(a - b), nonnegative(b - a + 1)]
    found = examine(needed)
    assert found.witness is not None
    at = found.witness
    assert at[m] >= 50 * at[k]
    assert at[b] <= at[a] <= at[b] + 1


def test_examine_of_nothing_assumes_nothing() -> None:
    assert examine([]) == ((), {}, "", False)


def test_a_number_that_cannot_be_decided_is_not_assumed() -> None:
    # (√(5 + 2√6) - √2 - √3)² is zero: nobody may call its negative negative, or nonnegative
    hidden = da.sqrt(5 + 2 * da.sqrt(6)) - da.sqrt(2) - da.sqrt(3)
    found = examine([Hypothesis("hidden", da.Matrix([[hidden]]))])
    assert not found.are_false
    assert found.witness in (None, {})


def test_massless_direction_and_undecided_rank_are_not_dropped() -> None:
    # det M is zero in disguise: singular or undecided, but neither definite nor left out
    hidden = da.sqrt(5 + 2 * da.sqrt(6)) - da.sqrt(2) - da.sqrt(3)
    eq = da.System(kinetic=x.dot**2 / 2 + hidden**2 * y.dot**2 / 2, coordinates=[x, y]).equations()
    (proof,) = [p for p in eq.prove() if p.statement.startswith("M ≻ 0")]
    assert not proof.is_proved


def test_what_holds_for_every_number_is_no_assumption() -> None:
    always = Hypothesis("0 ≥ 0", da.Matrix([[m * k - k * (m + 1) + k]]))
    assert examine([always, nonnegative(m)]).texts == ("m ≥ 0",)
    # the lengths of planar_3r are such that its links have no inertia about their centres
    for proof in da.textbook.robots.planar_3r().equations().prove():
        assert "0 ≥ 0" not in proof.hypotheses
