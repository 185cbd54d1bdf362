from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

robots = da.textbook.robots
q1, q2, q3, q4, q5, q6 = da.coordinates("q1 q2 q3 q4 q5 q6")
a1, a2, a3, d3, d4 = da.parameters("a1 a2 a3 d3 d4")
sin, cos = da.sin, da.cos


def test_two_links():
    found = robots.planar_arm_nr(2).singularities("tip", rows=(0, 1))
    assert da.equal(found.determinant, a1 * a2 * sin(q2))
    assert [(str(e), n) for e, n in found.factors] == [("s₂", 1)]
    assert str(found.constant) == "a₁ a₂"
    assert str(found).splitlines()[1:] == ["det J = a₁ a₂ s₂", "singular where s₂ = 0"]


def test_pumas_three_singularities_come_out_as_factors():
    found = robots.puma560_symbolic().singularities("link6")
    # wrist, elbow, shoulder (Craig, Introduction to Robotics, in modified DH frames)
    expected = [
        sin(q5),
        a3 * sin(q3) + d4 * cos(q3),
        a2 * cos(q2) + a3 * cos(q2 + q3) - d4 * sin(q2 + q3),
    ]
    assert len(found.factors) == 3
    for e in expected:
        assert any(da.equal(e, f) or da.equal(e, -f) for f, _ in found.factors)
    assert da.equal(found.determinant, -a2 * expected[0] * expected[1] * expected[2])


@pytest.mark.parametrize("name", ["puma560", "ur5e", "stanford_arm"])
def test_determinant_is_that_of_the_numerical_jacobian(name, rng):
    mechanism = getattr(robots, name)()
    model = da.compile(mechanism)
    q = rng.uniform(-2, 2, (20, 6))
    J = model.jacobian(q, "link6")
    det = mechanism.singularities("link6").determinant
    values = {x: q[:, i] for i, x in enumerate((q1, q2, q3, q4, q5, q6))}
    np.testing.assert_allclose(
        da.Matrix([[det]]).evaluate(values)[:, 0, 0], np.linalg.det(J), rtol=1e-9, atol=1e-14
    )


def test_position_of_the_wrist_has_no_wrist_singularity():
    found = robots.puma560_symbolic().singularities("link6", rows=(0, 1, 2))
    assert not found.is_square
    assert len(found.factors) == 2
    assert found.rest == ()
    assert not any(q5 in e.symbols for e, _ in found.factors)
    with pytest.raises(da.InvalidExpression, match="square Jacobian"):
        _ = found.determinant


def test_redundant_arm_is_singular_where_all_minors_vanish(rng):
    found = robots.planar_arm_nr(3).singularities("tip", rows=(0, 1))
    assert found.factors == ()
    assert len(found.rest) == 3
    # the arm stretched or folded on one line: s2 = s3 = 0; nowhere else for general lengths
    for e in found.rest:
        for second in (0, da.pi):
            for third in (0, da.pi):
                assert da.equal(e.subs({q2: second, q3: third}), 0)
    lengths = {a1: 1.0, a2: 0.7, a3: 0.4}
    at = {q1: 0.3, q2: 0.0, q3: 0.8, **lengths}
    assert max(abs(float(da.Matrix([[e]]).evaluate(at)[0, 0])) for e in found.rest) > 0.1


def test_slider():
    found = robots.rp_mechanism().singularities("tip", rows=(0, 1))
    (l,) = da.parameters("l")
    assert da.equal(found.determinant, -(l + q2))
    assert "det J = -(l + q₂)" in str(found)
    assert robots.stanford_arm().singularities("link6").factors[-1].exponent == 2


def test_never_singular():
    text = str(robots.planar_arm_nr(2).singularities("tip"))
    assert text.endswith("never singular while its parameters are not zero")


def test_what_cannot_be_answered_is_refused():
    arm = robots.planar_arm_nr(2)
    with pytest.raises(da.SingularSystem, match=r"rank 2 somewhere.*rows="):
        arm.singularities("tip", rows=(0, 1, 2, 3)[2:4])
    with pytest.raises(da.InvalidExpression, match="different rows out of 0 … 5"):
        arm.singularities("tip", rows=(0, 7))
    with pytest.raises(da.UnknownName, match="did you mean tip"):
        arm.singularities("tipp")
    with pytest.raises(da.InvalidMechanism, match="loops or couplings"):
        robots.four_bar().singularities("coupler")
