"""Maximal coordinates of mechanisms reduce to the equations of the joints."""

from __future__ import annotations

import pytest

import dalembert as da

m1, m2, l, I1, I2, I3, g = da.parameters("m1 m2 l I1 I2 I3 g")


def two_links(kind: str, axis: str) -> da.Mechanism:
    builder = da.Builder("arm", gravity=(0, 0, -g))
    builder.link("a", mass=m1, com=(l / 2, 0, 0), inertia=(I1, I2, I3))
    builder.revolute("first", "a", axis="z")
    builder.link("b", mass=m2, com=(0, l / 3, 0), inertia=(I1, I2, I3))
    return builder.joint(kind, "second", "b", origin=(l, 0, 0), axis=axis).build()


@pytest.mark.parametrize(
    ("kind", "axis"), [("prismatic", "x"), ("revolute", "y"), ("revolute", "-z"), ("fixed", "z")]
)
def test_reduction_equals_the_generalized_equations(kind: str, axis: str) -> None:
    arm = two_links(kind, axis)
    form = arm.maximal()
    assert len(form.system.coordinates) == 24
    assert len(form.system.constraints) == (23 if kind == "fixed" else 22)
    generalized = arm.equations()
    reduced = form.system.equations().change_coordinates(form.positions, generalized.coordinates)
    assert len(reduced.lam) == 0
    assert da.equal(reduced.residual, generalized.residual)


def test_mass_matrix_is_constant() -> None:
    eq = two_links("revolute", "y").maximal().system.equations()
    assert all(x == 0 for x in eq.C)


def test_prove_includes_the_equivalence() -> None:
    proofs = two_links("revolute", "y").prove()
    assert all(p.is_proved for p in proofs)
    assert any("maximal coordinates" in p.statement for p in proofs)


def test_what_has_no_coordinates_of_its_own_is_refused() -> None:
    builder = da.Builder("arm").link("a", mass=1, inertia=(1, 1, 1))
    screw = builder.helical("screw", "a", pitch=0.1).build()
    with pytest.raises(da.InvalidMechanism, match="helical joint 'screw'"):
        screw.maximal()


def test_stribeck_friction_is_refused() -> None:
    builder = da.Builder("arm").link("a", mass=1, inertia=(1, 1, 1))
    arm = builder.revolute("hinge", "a", stribeck=2).build()
    with pytest.raises(da.InvalidMechanism, match="no stribeck for maximal coordinates"):
        arm.maximal()
