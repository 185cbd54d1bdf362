"""The certificates of models: true programs are proved, and changed ones are refuted."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.kernel.program.program import PI, Instruction, Program
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.model.certificates.certify import Certifier
from dalembert.model.certificates.defined import NO_POLE
from dalembert.model.certificates.degrees import degree_bound
from dalembert.model.certificates.in_field import FieldPoint, run_in_field
from dalembert.model.certificates.in_ring import run_in_ring
from tests.random_mechanisms import random_mechanism
from tests.unit.kernel.random_programs import interpret

robots = da.textbook.robots


def verdicts(description: Any, **options: Any) -> dict[str, str]:
    certifier = Certifier(da.compile(description, **options))
    return {name: certifier.prove(name).verdict for name in certifier.names}


def all_proved(found: dict[str, str]) -> bool:
    return set(found.values()) == {"proved"}


@pytest.mark.parametrize("name", ["puma560", "ur5e", "iiwa14", "panda", "stanford_arm"])
def test_programs_of_industrial_arms_are_lagranges_equations(name: str) -> None:
    found = verdicts(getattr(robots, name)())
    assert len(found) == 11
    assert all_proved(found), found


@pytest.mark.parametrize(
    "mechanism",
    [
        robots.planar_arm_nr(2).symbolic(),
        robots.planar_arm_nr(3).symbolic(),
        robots.planar_arm_nr(9),
        robots.scara(),
        robots.four_bar(),
        robots.slider_crank(),
        robots.quadrotor(),
        robots.biped(),
    ],
    ids=lambda m: f"{m.name}-{m.nv}",
)
def test_programs_of_other_mechanisms(mechanism: Any) -> None:
    found = verdicts(mechanism)
    assert len(found) >= 9
    assert all_proved(found), found


@pytest.mark.parametrize(
    "name",
    [
        "double_pendulum",
        "cart_pole",
        "spherical_pendulum",
        "driven_pendulum",
        "rolling_disc",
        "knife_edge",
        "rp_arm_maximal",
        "geared_link",
    ],
)
def test_programs_of_systems(name: str) -> None:
    found = verdicts(getattr(da.textbook, name)())
    assert len(found) == 12
    assert all_proved(found), found


def test_a_bare_lagrangian_has_the_energy_function() -> None:
    (x,) = da.coordinates("x")
    m, k = da.parameters("m k")
    found = verdicts(da.System(coordinates=[x], lagrangian=m * x.dot**2 / 2 - k * x**4))
    assert "energy" in found
    assert "kinetic_energy" not in found
    assert all_proved(found), found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("passive", [True, False])
def test_programs_of_random_trees(seed: int, passive: bool) -> None:
    tree = random_mechanism(np.random.default_rng(seed), 3, mimic=0.3)
    found = verdicts(tree, passive=passive)
    assert len(found) >= 9
    assert all_proved(found), found


def test_springs_and_friction_are_part_of_what_is_proved() -> None:
    arm = robots.planar_arm_nr(2)
    resistance = Resistance(Fraction(1, 3), Fraction(2, 5), stiffness=7)
    joints = tuple(replace(j, resistance=resistance) for j in arm.joints if j.nv)
    arm = replace(arm, joints=joints)
    for options in ({}, {"smoothing": 0.05}, {"passive": False}):
        assert all_proved(verdicts(arm, **options))
    stiff = Certifier(da.compile(arm)).prove
    soft = da.compile(arm, passive=False)
    for name in ("bias", "inverse_dynamics", "potential_energy", "forward_dynamics"):
        assert not stiff(name, soft.kernel(name).program).is_proved


def test_springs_and_friction_of_a_free_body_are_part_of_what_is_proved() -> None:
    """Joints with quaternions are compared with another recursion, and resist as well."""

    def swimmer(**resistance: Any) -> da.Mechanism:
        return (
            da.Builder("swimmer")
            .link("body", mass=3, inertia=(2, 3, 4))
            .floating("free", "body")
            .link("fin", mass=1, com=(0.25, 0, 0), inertia=(0.5, 0.5, 0.5))
            .revolute("hinge", "fin", axis="y", **resistance)
            .build()
        )

    resisting = swimmer(damping=0.5, friction=0.25, stiffness=2, rest=0.1)
    assert all_proved(verdicts(resisting))
    certifier = Certifier(da.compile(resisting))
    for other in (swimmer(), swimmer(damping=0.5, friction=0.25, stiffness=2.5, rest=0.1)):
        model = da.compile(other)
        for name in ("potential_energy", "energy", "bias", "inverse_dynamics", "forward_dynamics"):
            assert certifier.prove(name, model.program(name)).verdict == "refuted"


def test_signs_of_friction_are_part_of_what_is_proved_in_loops() -> None:
    """Of sign(v) no value is assumed; that of a pivot is 1 where constraints are independent."""
    loop = robots.four_bar()
    resistance = Resistance(Fraction(1, 3), Fraction(2, 5))
    joints = tuple(replace(j, resistance=resistance) if j.nv else j for j in loop.joints)
    model = da.compile(replace(loop, joints=joints))
    certifier = Certifier(model)
    for name in ("bias", "forward_dynamics", "constraint_dynamics"):
        program = model.program(name)
        proof = certifier.prove(name, program)
        assert proof.is_proved
        solved = ("constraints independent of each other", NO_POLE)
        assert proof.hypotheses == (() if name == "bias" else solved)
        places = [k for k, x in enumerate(program.code) if x.op == "sign"]
        of_velocities = [k for k in places if program.code[program.code[k].args[0]].op == "input"]
        assert len(of_velocities) == 3
        for k in places:
            for value in (1, -1, 0):
                code = list(program.code)
                code[k] = Instruction("const", (), Fraction(value))
                verdict = certifier.prove(name, program.with_code(code, program.results)).verdict
                assert verdict == ("proved" if value == 1 and k not in of_velocities else "refuted")


def test_the_bound_on_errors_is_stated() -> None:
    certifier = Certifier(da.compile(robots.planar_arm_nr(2)))
    method = certifier.prove("forward_dynamics").method
    chance = int(method.split("below 2^-")[1].split()[0])
    assert chance > 128


# ---- mutants


SIGNS = {"add": "sub", "sub": "add", "fma": "fnma", "fms": "fma", "fnma": "fma"}


def mutant(program: Program, rng: random.Random) -> Program:
    """Return the program with one operand, sign or constant changed."""
    code = list(program.code)
    while True:
        k = rng.randrange(len(code))
        op, args, value = code[k]
        kind = rng.choice(("operand", "sign", "constant"))
        if kind == "constant" and op == "const" and value != PI:
            code[k] = Instruction(op, args, value + Fraction(rng.choice((-1, 1)), 1000))
        elif kind == "sign" and op in SIGNS:
            code[k] = Instruction(SIGNS[op], args, value)
        elif kind == "operand" and op not in ("sin_of", "cos_of") and args:
            others = [i for i in range(k) if code[i].op != "sincos" and i not in args]
            if not others:
                continue
            place = rng.randrange(len(args))
            new = (*args[:place], rng.choice(others), *args[place + 1 :])
            code[k] = Instruction(op, new, value)
        else:
            continue
        return program.with_code(code, program.results)


def numbers(program: Program, rng: random.Random) -> np.ndarray:
    """Return the outputs at a random point, in floats."""
    inputs = [[rng.uniform(-1.5, 1.5) for _ in range(port.size)] for port in program.inputs]
    return np.array(interpret(program, *inputs))


def changes(program: Program, other: Program) -> bool:
    """Tell whether two programs give other numbers somewhere."""
    for seed in range(3):
        expected = numbers(program, random.Random(seed))
        try:
            found = numbers(other, random.Random(seed))
        except (ZeroDivisionError, OverflowError):
            return True
        error = np.abs(found - expected).max() / np.abs(expected).max()
        # nothing between rounding and the change of a constant by 1/1000
        assert error < 1e-12 or error > 1e-10 or math.isnan(error)
        if not error < 1e-12:
            return True
    return False


@pytest.mark.parametrize(
    ("robot", "functions", "count"),
    [
        ("planar_3r", ("mass_matrix", "coriolis", "gravity", "bias", "inverse_dynamics"), 10),
        ("puma560", ("coriolis", "inverse_dynamics", "forward_dynamics"), 20),
        ("ur5e", ("mass_matrix", "bias", "inverse_dynamics_derivatives"), 15),
        ("panda", ("mass_matrix", "inverse_dynamics", "forward_dynamics"), 10),
        ("scara", ("energy", "forward_dynamics", "forward_dynamics_derivatives"), 10),
    ],
)
def test_every_mutant_that_computes_something_else_is_refuted(
    robot: str, functions: tuple[str, ...], count: int
) -> None:
    model = da.compile(getattr(robots, robot)())
    certifier = Certifier(model)
    for function in functions:
        program = model.kernel(function).program
        rng = random.Random(f"{robot} {function}")
        for _ in range(count):
            changed = mutant(program, rng)
            verdict = certifier.prove(function, changed).verdict
            assert verdict == ("refuted" if changes(program, changed) else "proved")


@pytest.mark.parametrize(
    ("op", "value"), [("log", -1), ("asin", 5), ("sqrt", -1), ("div", 0), ("tan", 0), ("exp", 3)]
)
def test_programs_that_no_ring_can_run_get_a_verdict(op: str, value: int) -> None:
    """What has no value, or one that the ring of the equations does not have, is never proved."""
    model = da.compile(robots.planar_3r())
    program = model.program("gravity")
    n, first = len(program.code), program.results[0]
    code = [*program.code, Instruction("const", (), Fraction(value))]
    code.append(Instruction(op, (first, n) if op == "div" else (n,)))
    code.append(Instruction("add", (first, n + 1)))
    changed = program.with_code(code, [n + 2, *program.results[1:]])
    proof = Certifier(model).prove("gravity", changed)
    assert proof.verdict == {"exp": "refuted", "tan": "proved"}.get(op, "undecided")


def test_half_of_an_angle_of_the_equations_is_refuted() -> None:
    """The ring of the equations has sin q₂ and cos q₂, and nothing of q₂/2."""
    model = da.compile(robots.planar_arm_nr(2))
    program = model.program("mass_matrix")
    n, first = len(program.code), program.results[0]
    code = [
        *program.code,
        Instruction("input", (), (0, 1)),
        Instruction("const", (), Fraction(1, 2)),
        Instruction("mul", (n, n + 1)),
        Instruction("sincos", (n + 2,)),
        Instruction("sin_of", (n + 3,)),
        Instruction("add", (first, n + 4)),
    ]
    changed = program.with_code(code, [n + 5, *program.results[1:]])
    assert Certifier(model).prove("mass_matrix", program).verdict == "proved"
    assert Certifier(model).prove("mass_matrix", changed).verdict == "refuted"


# ---- the two arithmetics


def test_ring_and_field_agree_with_an_identity_and_its_denial() -> None:
    x, y = da.coordinates("x y")
    function = da.compile_function(
        [da.sin(2 * x + y), da.sin(2 * x) * da.cos(y) + da.cos(2 * x) * da.sin(y)],
        {"q": [x, y]},
    )
    inputs = {"q": (x, y)}
    point = FieldPoint(7)
    a, b = run_in_field(function.program, inputs, point)["y"]
    assert a == b
    s, c = point.sincos({x: Fraction(1)})
    assert (s * s + c * c) % point.p == 1
    ring = da.System(
        coordinates=[x, y], kinetic=x.dot**2 + y.dot**2, potential=da.sin(x) + da.sin(y)
    )
    a, b = run_in_ring(function.program, inputs, ring.equations().ring)["y"]
    assert a == b


def test_a_field_does_not_refute_what_it_cannot_know() -> None:
    # equal, but the field sees two unrelated angles
    x, y = da.coordinates("x y")
    function = da.compile_function(
        [da.sin((x + y) * (x + y)), da.sin(x * x + 2 * x * y + y * y)], {"q": [x, y]}
    )
    point = FieldPoint(7)
    run_in_field(function.program, {"q": (x, y)}, point)
    assert not point.is_algebraic


def test_degree_of_a_quotient_by_hand() -> None:
    # (x y + 1) / (x³ - y) over one denominator: 2 above (as x³ - y is below), 3 below
    x, y = da.coordinates("x y")
    function = da.compile_function([(x * y + 1) / (x * x * x - y)], {"q": [x, y]})
    assert degree_bound(function.program) == 5
