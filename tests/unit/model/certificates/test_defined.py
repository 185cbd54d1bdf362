"""A program that has no value at some states says at which: it may not be the code of all."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import dalembert as da
from dalembert.kernel.program.program import Instruction, Program
from dalembert.kernel.program.trace import trace
from dalembert.mechanics.proofs.proof import Proof
from dalembert.model.certificates.certify import NOWHERE, Certifier
from dalembert.model.certificates.defined import ALL_VALUES, NO_POLE, DefinedNowhere, lost_by

(x, y), (m, k) = da.coordinates("x y"), da.parameters("m k")
sqrt = da.sqrt


def spring(potential: da.Expr = k * x**2 / 2) -> Certifier:
    """Return who proves programs of a mass on a spring."""
    system = da.System(kinetic=m * x.dot**2 / 2, potential=potential, coordinates=[x])
    return Certifier(da.compile(system))


def gravity(value: da.Expr) -> Program:
    """Return a program that claims to compute ∂V/∂q."""
    return trace("gravity", {"q": [x], "parameters": [k, m]}, {"g": [value]})


def divided(program: Program) -> Program:
    """Return the program with its result times x/x, which expressions would cancel."""
    place = next(i for i, c in enumerate(program.code) if c.op == "input" and c.value == (0, 0))
    (result,), n = program.results, len(program.code)
    ratio = Instruction("div", (place, place))
    return program.with_code([*program.code, ratio, Instruction("mul", (result, n))], (n + 1,))


WHERE = {
    "root": (gravity(k * sqrt(x) ** 2), ("x ≥ 0",)),
    "root that adds nothing": (gravity(k * x + sqrt(x) - sqrt(x)), ("x ≥ 0",)),
    "quotient": (divided(gravity(k * x)), ("x ≠ 0",)),
    "quotient that is defined": (gravity(k * x * (1 + x**2) / (1 + x**2)), ()),
    "parameters": (gravity(k * x * sqrt(k - m) ** 2 / (k - m)), ("k - m ≥ 0", "k - m ≠ 0")),
}


@pytest.mark.parametrize("name", WHERE)
def test_what_a_program_demands_is_a_hypothesis(name: str) -> None:
    program, where = WHERE[name]
    proof: Proof = spring().prove("gravity", program)
    assert proof.verdict == "proved", proof
    assert proof.hypotheses == where


def test_what_the_description_demands_is_none() -> None:
    by_root = spring(k * x**2 * sqrt(x) * 2 / 5)
    proof = by_root.prove("gravity")
    assert proof.verdict == "proved", proof
    assert proof.hypotheses == ()


def test_a_program_that_has_values_nowhere_is_not_proved() -> None:
    ratio = Instruction("div", (1, 1))
    program = gravity(k * x)
    zero, n = Instruction("sub", (0, 0)), len(program.code)
    for extra in ([zero, ratio._replace(args=(1, n))], [zero, Instruction("log", (n,))]):
        code = [*program.code, *extra]
        wrong = program.with_code([*code, Instruction("add", (2, n + 1))], (n + 2,))
        assert spring().prove("gravity", wrong).verdict != "proved"
    empty = gravity(k * x + sqrt(-1 - x**2) ** 2)
    with pytest.raises(DefinedNowhere):
        lost_by(empty, gravity(k * x), {"q": [x], "parameters": [k, m]})
    assert "no state" in NOWHERE


def names(count: int) -> Sequence[da.Expr]:
    return da.coordinates(" ".join(f"q{i}" for i in range(count)))


def test_many_and_long_conditions_are_summed_up() -> None:
    q = names(6)
    inputs = {"q": list(q)}
    reference = trace("f", inputs, {"y": [sum(q)]})
    many = trace("f", inputs, {"y": [sum(1 / a for a in q) + sum(sqrt(a) for a in q)]})
    assert lost_by(many, reference, inputs) == (NO_POLE, ALL_VALUES)
    long = trace("f", inputs, {"y": [1 / sum(da.sin(a) * b for a in q for b in q)]})
    assert lost_by(long, reference, inputs) == (NO_POLE,)
    assert lost_by(many, many, inputs) == ()


def test_forward_dynamics_divides_by_what_is_positive() -> None:
    cart = Certifier(da.compile(da.textbook.cart_pole()))
    assert cart.prove("forward_dynamics").hypotheses == ()
    # a spherical pendulum at its pole has no inertia about the vertical axis
    ball = Certifier(da.compile(da.textbook.spherical_pendulum()))
    (where,) = ball.prove("forward_dynamics").hypotheses
    assert "sin" in where
    assert "≠ 0" in where


def test_of_a_long_program_the_kinds_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalembert.model.certificates.defined.MAX_CODE", 2)
    q = names(2)
    inputs = {"q": list(q)}
    reference = trace("f", inputs, {"y": [sum(q)]})
    assert lost_by(reference, reference, inputs) == ()
    by_root = trace("f", inputs, {"y": [sum(q) + sqrt(q[0] - q[1])]})
    assert lost_by(by_root, reference, inputs) == (ALL_VALUES,)
    quotient = trace("f", inputs, {"y": [q[0] / q[1]]})
    assert lost_by(quotient, reference, inputs) == (NO_POLE,)
