"""The arrays of a program belong to what is certified: names, shapes and order."""

from __future__ import annotations

from dataclasses import replace

import pytest

import dalembert as da
from dalembert.kernel.program.program import Instruction, Port, Program
from dalembert.model.certificates.certify import Certifier

ARM = da.textbook.robots.planar_arm_nr(2)
MODELS = {
    "arm": da.compile(ARM),
    "loop": da.compile(da.textbook.robots.four_bar()),
    "system": da.compile(da.textbook.rolling_disc()),
    "timed": da.compile(da.textbook.driven_pendulum()),
}


def with_inputs(program: Program, order: list[int]) -> Program:
    """Return the program with its inputs in another order, its instructions following them."""
    place = {old: new for new, old in enumerate(order)}
    code = [
        Instruction("input", (), (place[x.value[0]], x.value[1])) if x.op == "input" else x
        for x in program.code
    ]
    return replace(program, inputs=tuple(program.inputs[k] for k in order), code=tuple(code))


def swapped_inputs(program: Program) -> Program:
    return with_inputs(program, [1, 0, *range(2, len(program.inputs))])


def renamed_ports(program: Program) -> Program:
    """Swap the names only: arrays of equal shape change their meaning."""
    a, b, *rest = program.inputs
    return replace(program, inputs=(Port(b.name, a.shape), Port(a.name, b.shape), *rest))


def extra_input(program: Program) -> Program:
    return replace(program, inputs=(*program.inputs, Port("u2", (1,))))


def extra_output(program: Program) -> Program:
    outputs = (*program.outputs, Port("extra", ()))
    return replace(program, outputs=outputs, results=(*program.results, program.results[0]))


def renamed_output(program: Program) -> Program:
    first, *rest = program.outputs
    return replace(program, outputs=(Port("other", first.shape), *rest))


def flat_output(program: Program) -> Program:
    first, *rest = program.outputs
    return replace(program, outputs=(Port(first.name, (first.size, 1)), *rest))


def missing_entry(program: Program) -> Program:
    first, *rest = program.outputs
    shape = (first.shape[0] - 1, *first.shape[1:])
    lost = first.size - Port("", shape).size
    results = (*program.results[: first.size - lost], *program.results[first.size :])
    return replace(program, outputs=(Port(first.name, shape), *rest), results=results)


CHANGES = [
    swapped_inputs,
    renamed_ports,
    extra_input,
    extra_output,
    renamed_output,
    flat_output,
    missing_entry,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", MODELS)
def test_other_arrays_are_refuted_in_words(kind: str, change) -> None:
    model = MODELS[kind]
    certifier = Certifier(model)
    for name in ("bias", "forward_dynamics"):
        program = model.program(name)
        assert certifier.prove(name, program).is_proved
        proof = certifier.prove(name, change(program))
        assert proof.verdict == "refuted", (kind, name)
        assert "expected the " in proof.method
        assert ", got " in proof.method


def test_swapped_outputs_are_refuted() -> None:
    certifier = Certifier(MODELS["loop"])
    program = MODELS["loop"].program("constraint_dynamics")
    qdd, lam = program.outputs
    results = (*program.results[qdd.size :], *program.results[: qdd.size])
    proof = certifier.prove(
        "constraint_dynamics", replace(program, outputs=(lam, qdd), results=results)
    )
    assert proof.verdict == "refuted"
    assert "outputs qdd[3], lam[2], got lam[2], qdd[3]" in proof.method


def test_what_is_no_program_is_refuted() -> None:
    certifier = Certifier(MODELS["arm"])
    program = MODELS["arm"].program("bias")
    proof = certifier.prove("bias", replace(program, results=program.results[:-1]))
    assert proof.verdict == "refuted"
    assert "no program" in proof.method


def test_the_message_shows_both_signatures() -> None:
    model = MODELS["arm"]
    proof = Certifier(model).prove("bias", swapped_inputs(model.program("bias")))
    assert proof.method == (
        "expected the inputs q[2], qd[2], parameters[9], got qd[2], q[2], parameters[9]"
    )
