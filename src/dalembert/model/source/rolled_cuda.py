"""Rolled CUDA: loops over joints and constant tables, for robots of any length.

The text is that of the rolled C; one thread runs the loops of a sample. Code does not grow with
the robot, so that compiling takes seconds, and memory of a thread grows with it only linearly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import Template
from typing import NamedTuple

from dalembert.errors import EvaluationError, InvalidMechanism
from dalembert.kernel.backends.c.names import comment_text
from dalembert.kernel.backends.c.reals import Real, real_type
from dalembert.kernel.backends.cuda.compiling import THREADS_OF_TEXT
from dalembert.kernel.backends.cuda.launch import CudaKernel
from dalembert.kernel.backends.cuda.memory import Direct
from dalembert.kernel.backends.cuda.statements import constant, global_function, indent
from dalembert.kernel.program.program import Port, Program
from dalembert.mechanism import Mechanism
from dalembert.model.source.rolled_c.bodies import moving_bodies
from dalembert.model.source.rolled_c.functions import parts_of
from dalembert.model.source.rolled_c.source import check, filled, passive_part
from dalembert.recursions.lump import lumped
from dalembert.recursions.tree import Tree

FROM_VELOCITIES = 64
"""Velocities from which on loops are preferred to straight lines."""
PREFIX = "rolled"
POSES = "    $real R[$NB][9], p[$NB][3];\n    ${p}_poses(q, R, p);\n"


class Rolled(NamedTuple):
    """A function: what it is called, its inputs and its output, and its body.

    ``passive`` says with which sign springs and friction act on the output or the torques,
    ``memory`` how many numbers a thread keeps for each body and for each velocity.
    """

    inputs: tuple[str, ...]
    output: str
    body: str
    passive: str = ""
    memory: tuple[int, int] = (27, 4)


FUNCTIONS = {
    "inverse_dynamics": Rolled(
        ("q", "qd", "qdd"), "tau", "    ${p}_newton_euler(R, p, qd, qdd, tau);\n", "tau[k] -= f[k];"
    ),
    "bias": Rolled(("q", "qd"), "h", "    ${p}_newton_euler(R, p, qd, 0, h);\n", "h[k] -= f[k];"),
    "gravity": Rolled(("q",), "g", "    ${p}_newton_euler(R, p, 0, 0, g);\n"),
    "mass_matrix": Rolled(("q",), "M", "    ${p}_composite(R, p, M, step);\n"),
    "forward_dynamics": Rolled(
        ("q", "qd", "tau"),
        "qdd",
        "    ${p}_articulated(R, p, qd, tau, qdd);\n",
        "tau[k] += f[k];",
        (69, 12),
    ),
}
MAX_BYTES = 500_000
"""Of local memory of a thread: a little less than CUDA allows."""


def rolled_kernel(
    mechanism: Mechanism, name: str, dtype: str, *, passive: bool
) -> CudaKernel | None:
    """Return a function of a long robot as loops; None for short ones, and where loops fail."""
    if name not in FUNCTIONS or mechanism.nv < FROM_VELOCITIES:
        return None
    try:
        return rolled_again(mechanism, name, dtype, passive)
    except InvalidMechanism:
        return None


def rolled_again(mechanism: Mechanism, name: str, dtype: str, passive: bool) -> CudaKernel:
    """Return the kernel of a function as loops, also in another process."""
    program, text = rolled_cuda(mechanism, name, dtype, passive=passive)
    kernel = CudaKernel(program, dtype, text)
    kernel.origin = rolled_again, (mechanism, name, dtype, passive)
    return kernel


def rolled_cuda(
    mechanism: Mechanism, name: str, dtype: str = "float32", *, passive: bool = True
) -> tuple[Program, str]:
    """Return a function as a program without instructions, for its ports, and the CUDA text.

    The kernel is called ``kernel``; its parameters are those of `cuda_source`.

    Args:
        mechanism: With numbers for all its parameters.
        name: One of `FUNCTIONS`.
        dtype: "float32" or "float64".
        passive: Whether springs, dampers and friction act.

    Raises:
        InvalidMechanism: what the loops do not carry, as `rolled_source` says; besides joints that
            share a velocity, in forward dynamics.
        EvaluationError: a robot too long for the memory of a thread.
    """
    real, function = real_type(dtype), FUNCTIONS[name]
    check(mechanism, [name])
    tree = lumped(Tree.of(mechanism)).map(float)
    bodies = moving_bodies(tree, [])
    own = [body.v for body in bodies.bodies]
    if name == "forward_dynamics" and len(own) != len(set(own)):
        raise InvalidMechanism(
            f"expected a velocity of its own for every joint of {mechanism.name} in rolled forward "
            "dynamics, got joints that follow others, or rotors that spin"
        )
    need = real.size * (function.memory[0] * len(own) + function.memory[1] * mechanism.nv)
    if need > MAX_BYTES:
        raise EvaluationError(
            f"expected a robot for which {name} keeps at most {MAX_BYTES} bytes in a thread, got "
            f"{mechanism.name} with {mechanism.nv} velocities and {need} bytes in {dtype}: use "
            "dtype='float32', or the backend 'llvm'"
        )
    program = _signature(name, function, mechanism)
    fill = filled(tree, bodies, PREFIX, real) | {"stride": ", long long step", "step": "*step"}
    body = POSES + function.body
    parts = parts_of([body])
    resists = passive and bool(function.passive)
    if resists:
        parts.append(passive_part(tree, fill, real))
        parts.append("\nstatic void ${p}_passive(const $real *q, const $real *v, $real *f)$passive")
    text = Template("".join(parts)).substitute(fill)
    ports = _ports(program)
    parameters = [p for port in ports for p in port.parameters()]
    parameters += ["long long samples", "unsigned long long* __restrict__ not_finite"]
    return program, global_function(
        f"{comment_text(mechanism.name)}: {name}, by loops over joints",
        real,
        str(THREADS_OF_TEXT),
        "kernel",
        parameters,
        _samples(function, ports, Template(body).substitute(fill), real, resists=resists),
        [_on_device(text)],
    )


def _signature(name: str, function: Rolled, mechanism: Mechanism) -> Program:
    sizes = {"q": (mechanism.nq,), "M": (mechanism.nv, mechanism.nv)}
    ports = [Port(x, sizes.get(x, (mechanism.nv,))) for x in (*function.inputs, function.output)]
    return Program(name, tuple(ports[:-1]), (ports[-1],), (), ())


def _ports(program: Program) -> list[Direct]:
    inputs = [Direct(f"in{k}", port, False, 0) for k, port in enumerate(program.inputs)]
    return [*inputs, Direct("out0", program.outputs[0], True, 0)]


def _on_device(text: str) -> str:
    """Return tables and functions for the device."""
    lines = text.splitlines()
    return "\n".join(
        line.replace("static ", "static __device__ ", 1) if line.startswith("static ") else line
        for line in lines
    )


def _samples(
    function: Rolled, ports: Sequence[Direct], body: str, real: Real, *, resists: bool
) -> Iterator[str]:
    """Yield the loop over the samples of a thread; M is written where it lies."""
    *inputs, output = ports
    is_matrix = len(output.port.shape) > 1
    yield "const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;"
    yield "const long long stride = (long long)gridDim.x * blockDim.x;"
    for name, port in zip(function.inputs, inputs, strict=True):
        yield f"real {name}[{port.port.size}];"
    if is_matrix:
        yield "const long long step = out0_step;"
    else:
        yield f"real {function.output}[{output.port.size}];"
    yield "for (long long i = first; i < samples; i += stride) {"
    for name, port in zip(function.inputs, inputs, strict=True):
        yield f"    for (int k = 0; k < {port.port.size}; ++k) {name}[k] = {_at(port)};"
    if is_matrix:
        yield f"    real* const {function.output} = out0 + i * out0_batch;"
    resistance = [f"    for (int k = 0; k < {inputs[-1].port.size}; ++k) {function.passive}"]
    if resists:
        yield f"    real f[{output.port.size}];"
        yield f"    {PREFIX}_passive(q, qd, f);"
    acts_on_input = function.passive.startswith(function.inputs[-1])
    yield from resistance if resists and acts_on_input else []
    yield from indent(iter(body.splitlines()))
    yield from resistance if resists and not acts_on_input else []
    yield "    real watch = 0;"
    yield f"    for (int k = 0; k < {output.port.size}; ++k) {{"
    value = f"{function.output}[k{' * step' if is_matrix else ''}]"
    yield f"        watch += {constant(0, real)} * {value};"
    if not is_matrix:
        yield f"        {_at(output)} = {value};"
    yield "    }"
    yield "    if (!(watch == 0)) *not_finite = i + 1;"
    yield "}"


def _at(port: Direct) -> str:
    return f"{port.label}[i * {port.label}_batch + k * {port.label}_step]"
