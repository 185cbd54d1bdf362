"""Faults in programs are refuted: in every kind of instruction, in ports, and hidden ones.

A fault changes one thing in the program of a function. Whether that changes what is computed is
decided here, by ball arithmetic at random points, and never by the checker. `inject` counts.
"""

from __future__ import annotations

import functools
import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import flint
import pytest

import dalembert as da
from dalembert.kernel.program.interpret import interpret
from dalembert.kernel.program.program import PI, Instruction, Port, Program
from dalembert.mechanism.parts.resistance import Resistance
from dalembert.model.certificates.certify import Certifier
from dalembert.model.certificates.in_balls import BALLS, precision
from tests.effort import effort
from tests.laws.test_equation_faults import driven_and_rolling

robots = da.textbook.robots
x, y, z = da.coordinates("x y z")
m, k, c = da.parameters("m k c")


def rough() -> da.System:
    """A system with roots, signs and functions: a spring of length √, dry and quadratic drag."""
    length = da.sqrt(x**2 + y**2 + 1)
    return da.System(
        kinetic=m * (x.dot**2 + (1 + y**2) * y.dot**2 + x.dot * y.dot) / 2,
        potential=k * (length - 1) ** 2 / 2 + k * da.exp(x * y),
        forces=[-c * da.sign(x.dot), -c * da.abs(y.dot) * y.dot],
        coordinates=[x, y],
    )


def rubbing_loop() -> da.Mechanism:
    loop = robots.four_bar()
    resistance = Resistance(Fraction(1, 3), Fraction(2, 5))
    joints = tuple(replace(j, resistance=resistance) if j.nv else j for j in loop.joints)
    return replace(loop, joints=joints)


DESCRIPTIONS: dict[str, Callable[[], da.System | da.Mechanism]] = {
    "planar_2r": lambda: robots.planar_arm_nr(2),
    "ur5e": robots.ur5e,
    "quadrotor": robots.quadrotor,
    "rubbing_loop": rubbing_loop,
    "driven_and_rolling": driven_and_rolling,
    "rolling_disc": da.textbook.rolling_disc,
    "rough": rough,
}


LONG = {"ur5e": 20}
"""Fewer faults where programs are long."""


@functools.cache
def certifier(name: str) -> Certifier:
    return Certifier(da.compile(DESCRIPTIONS[name]()))


# ---- faults: each returns a changed program, or None where it does not apply

Fault = Callable[[Program, random.Random], Program | None]
SIGNS = {"add": "sub", "sub": "add", "fma": "fnma", "fms": "fma", "fnma": "fma"}
ORDERED = ("sub", "div", "fms", "fnma", "atan2")


def _pick(program: Program, draw: random.Random, *ops: str) -> int | None:
    places = [i for i, instruction in enumerate(program.code) if instruction.op in ops]
    return draw.choice(places) if places else None


def _with(program: Program, i: int, instruction: Instruction) -> Program:
    code = list(program.code)
    code[i] = instruction
    return program.with_code(code, program.results)


def _instead(program: Program, i: int, other: int) -> Program:
    """Return the program in which an earlier number stands for an instruction."""
    code = [
        Instruction(op, tuple(other if a == i else a for a in args), value)
        for op, args, value in program.code
    ]
    return program.with_code(code, [other if r == i else r for r in program.results])


def constant(program: Program, draw: random.Random) -> Program | None:
    i = _pick(program, draw, "const")
    if i is None or program.code[i].value == PI:
        return None
    value = program.code[i].value
    changes = (value + Fraction(1, 1000), -value, value * 2, value * (1 + Fraction(1, 10**30)))
    return _with(program, i, Instruction("const", (), draw.choice(changes)))


def sign_of_a_term(program: Program, draw: random.Random) -> Program | None:
    i = _pick(program, draw, *SIGNS)
    if i is None:
        return None
    op, args, value = program.code[i]
    return _with(program, i, Instruction(SIGNS[op], args, value))


def missing_term(program: Program, draw: random.Random) -> Program | None:
    i = _pick(program, draw, "add", "sub", "fma", "fnma")
    return None if i is None else _instead(program, i, draw.choice(program.code[i].args))


def missing_minus(program: Program, draw: random.Random) -> Program | None:
    i = _pick(program, draw, "neg")
    return None if i is None else _instead(program, i, program.code[i].args[0])


def order_of_operands(program: Program, draw: random.Random) -> Program | None:
    i = _pick(program, draw, *ORDERED)
    if i is None:
        return None
    op, args, value = program.code[i]
    return _with(program, i, Instruction(op, (args[-1], *args[1:-1], args[0]), value))


def other_operand(program: Program, draw: random.Random) -> Program | None:
    i = draw.randrange(len(program.code))
    op, args, value = program.code[i]
    others = [a for a in range(i) if program.code[a].op != "sincos" and a not in args]
    if not args or not others or op in ("sin_of", "cos_of"):
        return None
    place = draw.randrange(len(args))
    changed = (*args[:place], draw.choice(others), *args[place + 1 :])
    return _with(program, i, Instruction(op, changed, value))


def other_input(program: Program, draw: random.Random) -> Program | None:
    i = _pick(program, draw, "input")
    if i is None:
        return None
    port = draw.randrange(len(program.inputs))
    if not program.inputs[port].size:
        return None
    place = (port, draw.randrange(program.inputs[port].size))
    return (
        None
        if place == program.code[i].value
        else _with(program, i, Instruction("input", (), place))
    )


def sine_for_cosine(program: Program, draw: random.Random) -> Program | None:
    swap = {"sin_of": "cos_of", "cos_of": "sin_of", "sin": "cos", "cos": "sin"}
    i = _pick(program, draw, *swap)
    if i is None:
        return None
    op, args, value = program.code[i]
    return _with(program, i, Instruction(swap[op], args, value))


def root_of_either_sign(program: Program, draw: random.Random) -> Program | None:
    """√x becomes -√x."""
    return _negated(program, _pick(program, draw, "sqrt"))


def sign_of_a_number(program: Program, draw: random.Random) -> Program | None:
    """sign(v) becomes 1, -1 or 0."""
    i = _pick(program, draw, "sign")
    return (
        None
        if i is None
        else _with(program, i, Instruction("const", (), Fraction(draw.randint(-1, 1))))
    )


def opposite_sign(program: Program, draw: random.Random) -> Program | None:
    return _negated(program, _pick(program, draw, "sign"))


def no_absolute_value(program: Program, draw: random.Random) -> Program | None:
    i = _pick(program, draw, "abs")
    return None if i is None else _instead(program, i, program.code[i].args[0])


def other_function(program: Program, draw: random.Random) -> Program | None:
    i = _pick(program, draw, "exp", "tanh", "sqrt", "sign", "abs")
    if i is None:
        return None
    op, args, _ = program.code[i]
    names = [name for name in ("exp", "tanh", "sign", "abs", "sin") if name != op]
    return _with(program, i, Instruction(draw.choice(names), args))


def _negated(program: Program, i: int | None) -> Program | None:
    """Return the program with -x where instruction i gave x."""
    if i is None:
        return None
    code, number = [], {}
    for j, instruction in enumerate(program.code):
        code.append(instruction.renumbered([number[n] for n in range(j)]))
        number[j] = len(code) - 1
        if j == i:
            code.append(Instruction("neg", (number[j],)))
            number[j] = len(code) - 1
    return program.with_code(code, [number[r] for r in program.results])


def results_exchanged(program: Program, draw: random.Random) -> Program | None:
    results = list(program.results)
    if len(results) < 2:
        return None
    a, b = draw.sample(range(len(results)), 2)
    results[a], results[b] = results[b], results[a]
    return program.with_code(program.code, results)


def _added(
    program: Program, draw: random.Random, make: Callable[[list[Instruction]], int]
) -> Program:
    """Return the program with something added to one of its results."""
    code, results = list(program.code), list(program.results)
    place = draw.randrange(len(results))
    extra = make(code)
    code.append(Instruction("add", (results[place], extra)))
    results[place] = len(code) - 1
    return program.with_code(code, results)


def zero_at_small_rationals(program: Program, draw: random.Random) -> Program | None:
    """Π (x - a) over all small fractions a is added: small numbers do not show it."""
    i = _pick(program, draw, "input")
    if i is None:
        return None

    def make(code: list[Instruction]) -> int:
        total = i
        for a in sorted({Fraction(p, q) for p in range(-3, 4) for q in (1, 2, 3)}):
            code.append(Instruction("const", (), a))
            code.append(Instruction("sub", (i, len(code) - 1)))
            code.append(Instruction("mul", (total, len(code) - 1)))
            total = len(code) - 1
        return total

    return _added(program, draw, make)


def multiple_of_many_primes(program: Program, draw: random.Random) -> Program | None:
    """A whole number that has many prime factors is added: zero in all those fields."""

    def make(code: list[Instruction]) -> int:
        code.append(Instruction("const", (), Fraction(math.factorial(500))))
        return len(code) - 1

    return _added(program, draw, make)


def root_of_a_square(program: Program, draw: random.Random) -> Program | None:
    """u - √(u²) is added: zero for every positive u, and in a field with its root."""
    i = _pick(program, draw, "input")
    if i is None:
        return None

    def make(code: list[Instruction]) -> int:
        code.append(Instruction("mul", (i, i)))
        code.append(Instruction("sqrt", (len(code) - 1,)))
        code.append(Instruction("sub", (i, len(code) - 1)))
        return len(code) - 1

    return _added(program, draw, make)


def renamed_port(program: Program, draw: random.Random) -> Program | None:
    places = list(range(len(program.outputs)))
    place = draw.choice(places)
    ports = list(program.outputs)
    ports[place] = Port(f"{ports[place].name}2", ports[place].shape)
    return replace(program, outputs=tuple(ports))


def exchanged_inputs(program: Program, draw: random.Random) -> Program | None:
    if len(program.inputs) < 2:
        return None
    a, b = draw.sample(range(len(program.inputs)), 2)
    ports = list(program.inputs)
    ports[a], ports[b] = ports[b], ports[a]
    to = {a: b, b: a}
    code = [
        Instruction("input", (), (to.get(i.value[0], i.value[0]), i.value[1]))
        if i.op == "input"
        else i
        for i in program.code
    ]
    return replace(program, inputs=tuple(ports), code=tuple(code))


def extra_output(program: Program, draw: random.Random) -> Program | None:
    outputs = (*program.outputs, Port("more", ()))
    return replace(program, outputs=outputs, results=(*program.results, program.results[0]))


OF_PORTS: tuple[Fault, ...] = (renamed_port, exchanged_inputs, extra_output)
FAULTS: tuple[Fault, ...] = (
    constant,
    sign_of_a_term,
    missing_term,
    missing_minus,
    order_of_operands,
    other_operand,
    other_input,
    sine_for_cosine,
    root_of_either_sign,
    sign_of_a_number,
    opposite_sign,
    no_absolute_value,
    other_function,
    results_exchanged,
    zero_at_small_rationals,
    multiple_of_many_primes,
    root_of_a_square,
    *OF_PORTS,
)


# ---- what a fault does, by ball arithmetic


def differs(model: da.Model, program: Program, other: Program, draw: random.Random) -> bool:
    """Tell whether two programs certainly compute other numbers at one of some random points."""
    places = model.configuration.quaternions
    for _ in range(6):
        inputs = [
            [Fraction(draw.choice((-1, 1)) * draw.randint(1, 99), 37) for _ in range(port.size)]
            for port in program.inputs
        ]
        for port, values in zip(program.inputs, inputs, strict=True):
            if port.name == "parameters":
                values[:] = map(abs, values)
            for at in places if port.name == "q" else ():
                # (1 - t·t, 2t) / (1 + t·t) has length one
                t = values[at + 1 : at + 4]
                square = sum((v * v for v in t), Fraction(0))
                values[at : at + 4] = [
                    (1 - square) / (1 + square),
                    *(2 * v / (1 + square) for v in t),
                ]
        with precision(400):
            balls = [[flint.arb(flint.fmpq(v.numerator, v.denominator)) for v in p] for p in inputs]
            a, b = interpret(program, balls, BALLS), interpret(other, balls, BALLS)
        for p, q in zip(a, b, strict=True):
            if p.is_finite() and q.is_finite() and not p.overlaps(q):
                return True
    return False


def inject(name: str, seed: int, count: int) -> dict[str, int]:
    """Inject faults into the programs of all functions of a description; return what became of it.

    Returns:
        Faults that change what is computed, and of these refuted, undecided (with a reason) and
        proved; faults without effect, and of these refuted.
    """
    certify, draw, seen = certifier(name), random.Random(f"{name} {seed}"), Counter[str]()
    reasons = []
    while seen["faults"] < count:
        function, fault = draw.choice(certify.names), draw.choice(FAULTS)
        program = certify.model.program(function)
        changed = fault(program, draw)
        if changed is None or changed == program:
            continue
        of_ports = fault in OF_PORTS
        proof = certify.prove(function, changed)
        if of_ports or differs(certify.model, program, changed, draw):
            seen["faults"] += 1
            seen[proof.verdict] += 1
            if proof.verdict == "proved":
                reasons.append(f"{function} {fault.__name__} {proof}")
            elif proof.verdict == "undecided":
                assert proof.method
        else:
            seen["without effect"] += 1
            seen[f"without effect, {proof.verdict}"] += 1
            # a point shows a difference that was not found here
            assert proof.verdict != "refuted" or proof.counterexample, (function, fault, proof)
    assert not reasons, reasons
    return dict(seen)


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_no_fault_is_proved_and_all_are_refuted(name: str, figures) -> None:
    seen = inject(name, 0, effort(LONG.get(name, 60)))
    figures.count("faults in programs", seen["faults"])
    figures.count("faults in programs refuted", seen["refuted"])
    figures.count("faults in programs undecided", seen.get("undecided", 0))
    assert "proved" not in seen
    assert seen["refuted"] + seen.get("undecided", 0) == seen["faults"]
    assert seen["refuted"] >= 0.98 * seen["faults"], seen


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_without_faults_all_is_proved(name: str) -> None:
    certify = certifier(name)
    assert {
        f: certify.prove(f).verdict for f in certify.names if not certify.prove(f).is_proved
    } == {}
