"""Jumps and kinks of a description are hypotheses, and velocities stay outside of functions."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.mechanics.proofs.smoothness import smooth_where

x, y = da.coordinates("x y")
m, k = da.parameters("m k")


def under(potential: da.Expr) -> da.Equations:
    return da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2, potential=potential, coordinates=[x, y]
    ).equations()


WHERE = {
    "jump": (da.sign(x), "x ≠ 0"),
    "kink": (k * abs(x - 1), "x - 1 ≠ 0"),
    "root": (da.sqrt(x**2 + y**2), "x² + y² ≠ 0"),
    "cut": (da.atan2(y, x), "not both y = 0 and x ≤ 0"),
    "end": (da.asin(x / 5), "|x/5| ≠ 1"),
}


@pytest.mark.parametrize("case", WHERE)
def test_energy_is_conserved_only_away_from_jumps_and_kinks(case) -> None:
    potential, condition = WHERE[case]
    eq = under(potential)
    energy = eq.conserved()[-1]
    assert energy.name == "energy"
    assert energy.hypotheses == (condition,)
    for proof in eq.prove():
        assert condition in proof.hypotheses


@pytest.mark.parametrize(
    "potential",
    [k * x**2, da.sqrt(1 + x**2), da.sqrt(m) * x, abs(k) * x, da.sqrt(m**2 + k) * x, da.exp(x)],
)
def test_smooth_potentials_need_no_condition(potential) -> None:
    assert under(potential).conserved()[-1].hypotheses == ()


def test_dry_friction_is_a_force_and_not_differentiated() -> None:
    eq = da.System(
        kinetic=m * x.dot**2 / 2, coordinates=[x], forces=[-k * da.sign(x.dot)]
    ).equations()
    assert all(proof.hypotheses in ((), ("m ≥ 0",), ("m ≥ 0", "parameters > 0"))
               for proof in eq.prove())  # fmt: skip


def test_nothing_is_smooth_everywhere() -> None:
    assert smooth_where([]) == ()


BENT = {
    "modulus": x.dot * abs(x.dot),
    "sign": m * x.dot**2 / 2 + da.sign(x.dot),
    "root": da.sqrt(1 + x.dot**2),
    "cube": x.dot**3,
    "sine": da.sin(x.dot) + x.dot**2,
    "denominator": x.dot**2 / (1 + x.dot**2),
    "mixed": x.dot**2 + y.dot * x.dot * y.dot,
}


@pytest.mark.parametrize("case", BENT)
def test_only_quadratic_lagrangians_have_a_mass_matrix(case) -> None:
    for system in (
        da.System(coordinates=[x, y], kinetic=BENT[case]),
        da.System(coordinates=[x, y], lagrangian=BENT[case]),
    ):
        with pytest.raises(da.InvalidSystem, match="quadratic in the velocities"):
            system.equations()


def test_what_is_quadratic_in_disguise_is_accepted() -> None:
    eq = da.System(kinetic=abs(x.dot) ** 2 + (x.dot**3 + y.dot**2 * x.dot) / x.dot,
                   coordinates=[x, y]).equations()  # fmt: skip
    assert da.equal(eq.M, [[4, 0], [0, 2]])


@pytest.mark.parametrize("phi", [x.dot * abs(x.dot), y.dot + da.sign(x.dot), x.dot + da.sin(y.dot)])
def test_only_linear_velocity_constraints_have_a_jacobian(phi) -> None:
    with pytest.raises(da.InvalidSystem, match="linear in the velocities"):
        da.System(
            kinetic=x.dot**2 + y.dot**2, velocity_constraints=[phi], coordinates=[x, y]
        ).equations()
