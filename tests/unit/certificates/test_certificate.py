"""What certificates say of systems and mechanisms, judged by the checker and in floats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.certificates import Certificate, check
from dalembert.errors import InvalidExpression, InvalidMechanism, InvalidSystem
from tests.cases import num_cases
from tests.random_mechanisms import SCALAR_KINDS, random_mechanism
from tools.certificates.in_floats import ROUNDING, errors

x, y = da.coordinates("x y")
m, k, g, l = da.parameters("m k g l")
(f,) = da.inputs("f")


def judged(certificate: Certificate) -> check.Certificate:
    """Return what the checker read, after both judges have said yes."""
    found, _ = check.check(check.read(certificate.text.encode()))
    worst = errors(certificate.data)
    assert max(worst.values()) < ROUNDING, worst
    return found


def system(**parts: Any) -> da.System:
    return da.System(coordinates=[x], kinetic=m * x.dot**2 / 2, **parts)


# ---- the form


def test_it_is_written_and_read_again(tmp_path: Path) -> None:
    certificate = da.textbook.rp_arm().equations().certificate("rp arm")
    path = tmp_path / "claims.json"
    certificate.save(path)
    data = check.read(path.read_bytes())
    assert data == json.loads(certificate.text)
    assert data["name"] == "rp arm"
    assert "code_computes_the_equations" not in certificate.claims
    assert str(certificate).startswith("certificate of rp arm, ")
    assert "✓ mass matrix is positive" in str(certificate)


def test_the_text_depends_on_nothing_but_the_system() -> None:
    def text() -> str:
        return da.compile(da.textbook.robots.planar_3r()).certificate().text

    first = text()
    # other expressions of the same symbols, made in another order
    q = da.coordinates("q3 q1 q2")
    kept = [da.sin(q[0] + q[1]) * q[2], da.cos(q[1] - q[2]) * q[0]]
    assert text() == first
    del kept


def test_a_mechanism_has_one_too() -> None:
    certificate = da.textbook.robots.planar_3r().equations().certificate()
    assert certificate.data["name"] == "planar_3r"
    assert "newton_euler" in certificate.claims


def test_titles_are_plain() -> None:
    certificate = system().equations().certificate("a/b\nACCEPTED é")
    assert certificate.data["name"] == "a_b_ACCEPTED _"
    certificate.check()


def test_names_that_the_checker_reserves() -> None:
    cos, pi, sign = da.parameters("cos pi sign")
    (sin,) = da.coordinates("sin")
    T = cos * sin.dot**2 / 2
    odd = da.System(coordinates=[sin], kinetic=T, potential=pi * da.cos(sign * sin))
    certificate = odd.equations().certificate()
    assert certificate.data["coordinates"] == ["sin_"]
    assert set(certificate.data["parameters"]) == {"cos_", "pi_", "sign_"}
    assert certificate.data["positive"] == ["cos_"]
    assert "mass_matrix_is_positive" in certificate.claims
    judged(certificate)


# ---- what systems have


FUNCTIONS = {
    "powers of a root": k * da.sqrt((x**2 + 1) ** 3),
    "a root": k * da.sqrt(x**2 + l**2),
    "a quotient": -k / (x**2 + l**2),
    "an inverse root": -k / da.sqrt(x**2 + l**2),
    "an inverse of halves": k / da.sqrt((x**2 + 1) ** 3),
    "a tangent": k * da.tan(x) ** 2,
    "a hyperbolic tangent": k * da.tanh(x / l),
    "sines of multiples": k * da.sin(3 * x / 2) * da.cos(x / 3 + l),
    "a sine of a product": k * da.cos(l * x * da.time),
    "a sine of a root": k * da.cos(da.sqrt(x**2 + 1)),
    "a sine of a quotient": k * da.cos(x / l),
    "a sine of a number": k * da.cos(x + 1) * da.sin(1 + 2 * x),
    "fractions of a turn": k * da.cos(x + 2 * da.pi / 3) * da.sin(da.pi / 4 - x),
    "twelfths of a turn": k * da.cos(x + da.pi / 12) * da.sin(7 * da.pi / 12 - 2 * x),
    "odd fractions of a turn": k * da.cos(x + da.pi / 7),
    "a high power": k * x**130,
    "the time": k * x * da.sin(l * da.time),
    "large numbers": 10**9 * k * x**2 + k * x**4 / 10**9,
    "a number with many digits": da.parse("0.123456789012345678901234567890", []) * k * x**2,
}


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_functions(kind: str) -> None:
    judged(da.compile(system(potential=FUNCTIONS[kind], forces=[f])).certificate())


@pytest.mark.parametrize(
    "V", [k * da.log(x), k * da.exp(x), k * da.atan2(x, l), k * da.asin(x / l)]
)
def test_functions_without_a_rule_are_told(V: da.Expr) -> None:
    with pytest.raises(InvalidExpression, match="a certificate has rules for"):
        system(potential=V).equations().certificate()


def test_a_hyperbolic_tangent_in_the_inertia() -> None:
    """Whether 1 + tanh(x)/2 > 0 is seen at the state that the certificate names."""
    T = m * (1 + da.tanh(x) / 2) * x.dot**2 / 2
    judged(da.compile(da.System(kinetic=T, coordinates=[x])).certificate())


def test_a_kink_in_an_energy_is_told() -> None:
    with pytest.raises(InvalidSystem, match="it has no derivative: rely on prove"):
        system(potential=k * abs(x)).equations().certificate()


def test_kinks_outside_of_what_is_differentiated() -> None:
    drag = -k * abs(x.dot) * x.dot - m * da.sign(x.dot)
    found = judged(da.compile(system(forces=[drag + f])).certificate())
    assert "force on x -abs(x.dot) k x.dot + f - m sign(x.dot)" in check.described(found)


def test_a_kink_inside_of_what_is_differentiated_is_told() -> None:
    with pytest.raises(InvalidSystem, match="kink"):
        system(potential=k * abs(x)).equations().certificate()


def test_a_lagrangian_alone() -> None:
    L = m * (x.dot**2 + y.dot**2) / 2 + k * (x * y.dot - y * x.dot) - g * x**2
    found = judged(da.System(coordinates=[x, y], lagrangian=L).equations().certificate())
    assert found.is_bare
    assert "energy_balance" in found.data["claims"]


def test_a_frame_that_turns_has_jacobis_integral() -> None:
    (W,) = da.parameters("Omega")
    T = m * (x.dot**2 + W**2 * x**2) / 2
    certificate = da.System(coordinates=[x], kinetic=T).equations().certificate()
    assert "jacobi_balance" in certificate.claims
    assert "jacobi_balance" in certificate.missing["energy_balance"]


def test_energy_at_rest_needs_no_sign() -> None:
    (W,) = da.parameters("Omega")
    T = m * x.dot**2 / 2 + m * da.sin(x) * W * (W * da.cos(x)) ** 2
    claims = da.System(coordinates=[x], kinetic=T).equations().certificate().claims
    assert "mass_matrix_is_positive" in claims


def test_constraints_that_move() -> None:
    T = m * (x.dot**2 + y.dot**2) / 2
    moving = da.System(
        coordinates=[x, y],
        kinetic=T,
        constraints=[x**2 + y**2 - (l + da.sin(da.time)) ** 2],
        velocity_constraints=[da.sin(da.time) * x.dot + y.dot * da.cos(x) - k],
        dissipation=k * x.dot**2 / 2,
        keep_redundant=True,
    )
    found = judged(moving.equations().certificate())
    assert len(check.described(found)) > 5


def test_bodies_in_the_plane_and_in_space() -> None:
    I = da.Matrix.diagonal(da.parameters("Ix Iy Iz"))
    R = da.rotation_z(x) @ da.rotation_x(y)
    r = R @ da.Matrix.column([l, 0, da.sin(x)])
    top = da.System.from_bodies(
        [da.Body(m, r, I, R), da.Body(k, [x, y, x * y])],
        coordinates=[x, y],
        gravity=(0, 0, -g),
        potential=k * x**2,
    )
    found = judged(top.equations().certificate())
    assert "other potential energy k x^2" in check.described(found)
    assert "newton_euler" in found.data["claims"]


def test_a_body_whose_mass_changes_is_given_by_its_energies() -> None:
    rocket = da.System.from_bodies([da.Body(m - k * da.time, [x, 0])], coordinates=[x])
    certificate = rocket.equations().certificate()
    judged(certificate)
    assert certificate.data["description"]["bodies"] == []


def test_forces_between_inputs_and_friction() -> None:
    # inverse dynamics of a mechanism counts dry friction, of a system it does not
    slide = da.Builder("slide").link("a", mass=2).prismatic("j", "a", friction=3, damping=4).build()
    certificate = da.compile(slide).certificate()
    functions = {code["function"] for code in certificate.data["code"]}
    assert functions == {"mass_matrix", "inverse_dynamics_with_friction", "forward_dynamics"}
    judged(certificate)


def test_a_model_without_springs_and_friction_has_none() -> None:
    slide = da.Builder("slide").link("a", mass=2).prismatic("j", "a", friction=3).build()
    with pytest.raises(InvalidMechanism, match="passive=True"):
        da.compile(slide, passive=False).certificate()


def test_a_free_joint_is_told() -> None:
    with pytest.raises(InvalidMechanism, match="with_euler_angles"):
        da.compile(da.textbook.robots.quadrotor()).certificate()


def test_products_of_inertia_by_name() -> None:
    a, b, c, d = da.parameters("Ix Iy Iz Ixy")
    I = da.Matrix([[a, d, 0], [d, b, 0], [0, 0, c]])
    body = da.Body(m, [l, 0, 0], I, da.rotation_x(x) @ da.rotation_z(y))
    top = da.System.from_bodies([body], coordinates=[x, y])
    certificate = top.equations().certificate()
    reason = certificate.missing["mass_matrix_is_nonnegative"]
    assert "products of inertia" in reason
    assert "mass_matrix_is_positive" in certificate.missing
    judged(certificate)


# ---- mechanisms


def test_random_mechanisms(rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(2, scale)):
        mechanism = random_mechanism(rng, 3, kinds=("fixed", *SCALAR_KINDS))
        judged(da.compile(mechanism).certificate())


def test_springs_with_inertia_and_rotors_that_turn() -> None:
    a, b = da.parameters("a b")
    arm = (
        da.Builder("arm", gravity=(0, 0, -10))
        .link("one", mass=2, com=(0, 0, 1), inertia=(3, 4, 5))
        .revolute("j1", "one", axis=(0, 1, 0))
        .link("two", mass=1, inertia=(1, 1, 1))
        .prismatic("j2", "two", parent="one", axis=(1, 0, 0), armature=a)
        .actuator("motor", "j1", gear_ratio=7, rotor_inertia=b, gyroscopic=True)
        .spring("rope", ("two", (1, 0, 0)), ("world", (0, 3, 0)), stiffness=k, armature=m)
        .build()
    )
    certificate = da.compile(arm).certificate()
    found = judged(certificate)
    text = "\n".join(check.described(found))
    assert "rotor at q2 a" in text
    assert "other kinetic energy" in text
    assert "other potential energy" in text
    assert "newton_euler" in certificate.claims
    # the inertia of the rope has the weight m/l², and l² is no sum of even powers
    assert "sign" in certificate.missing["mass_matrix_is_nonnegative"]
