"""Lumped parameters: M of the 2R arm as p₁ + 2 p₂ c₂, with the table behind it."""

from __future__ import annotations

import pytest

import dalembert as da


def test_planar_arm_reads_as_in_textbooks() -> None:
    eq = da.textbook.planar_arm().equations()
    m1, m2, a1, a_c1, a_c2, I1, I2, g = da.parameters("m1 m2 a1 a_c1 a_c2 I1 I2 g")
    result = eq.lumped()
    p1, p2, p3, p4, p5 = result.table
    _, q2 = eq.coordinates
    assert da.equal(result.M[0, 0], p1 + 2 * p2 * da.cos(q2))
    assert da.equal(result.M[0, 1], p3 + p2 * da.cos(q2))
    assert result.M[1, 1] is p3
    # the published lumps of the 2R arm
    assert da.equal(result.table[p1], m1 * a_c1**2 + m2 * (a1**2 + a_c2**2) + I1 + I2)
    assert da.equal(result.table[p2], m2 * a1 * a_c2)
    assert da.equal(result.table[p3], m2 * a_c2**2 + I2)
    assert da.equal(result.table[p4] + result.table[p5], g * (m1 * a_c1 + m2 * (a1 + a_c2)))


def test_equations_of_numbers_alone_have_nothing_to_lump() -> None:
    """A hinge about its own centre of mass: M = 1/10, and neither parameters nor coordinates."""
    hinge = da.Builder("hinge").link("a", mass=1, inertia=(1, 1, 0.1)).revolute("j", "a").build()
    result = hinge.equations().lumped()
    assert result.table == {}
    assert [str(x) for part in result[:3] for x in part] == ["1/10", "0", "0"]


@pytest.mark.parametrize("name", ["rp_arm", "cart_pole", "spherical_pendulum", "elastic_joint"])
def test_putting_the_table_back_gives_the_equations(name: str) -> None:
    eq = getattr(da.textbook, name)().equations()
    result = eq.lumped()
    for part, original in zip(result[:3], (eq.M, eq.C, eq.N), strict=True):
        assert da.equal(part.subs(result.table), original)
