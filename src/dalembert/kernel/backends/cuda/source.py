"""A program as the text of one CUDA kernel: one thread for each sample, in a grid-stride loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalembert.kernel.backends.c.names import comment_text
from dalembert.kernel.backends.c.reals import real_type
from dalembert.kernel.backends.cuda.memory import (
    WARP,
    Direct,
    PortMemory,
    Rows,
    Staged,
    Tiled,
)
from dalembert.kernel.backends.cuda.pieces import MAX_INSTRUCTIONS, Pieces, watched
from dalembert.kernel.backends.cuda.slots import LocalSlots, Slots
from dalembert.kernel.backends.cuda.statements import global_function, indent, statements
from dalembert.kernel.program.program import Program

THREADS = 128
"""Threads of a block."""
ACCESS: dict[str, type[PortMemory]] = {
    "direct": Direct,
    "tiled": Tiled,
    "staged": Staged,
    "rows": Rows,
    "slots": Slots,
    "local": LocalSlots,
}
"""How the memory of a port is reached."""


def cuda_source(
    program: Program,
    dtype: str = "float32",
    name: str | None = None,
    *,
    access: Sequence[str] = (),
    threads: int = THREADS,
    min_blocks: int | None = None,
    max_instructions: int = MAX_INSTRUCTIONS,
) -> str:
    """Return CUDA C++ that NVRTC and nvcc compile: ``extern "C" __global__ void name(…)``.

    Parameters, for every input and then every output: a pointer, the distance of samples and the
    distance of the numbers of one sample (in numbers, 64 bits); at last the number of samples, and
    a place that receives 1 + the number of some sample with an output that is not finite.
    Distance 0 between samples broadcasts.

    Args:
        program: What a thread computes.
        dtype: ``float32`` or ``float64``.
        name: The kernel's, unless it is that of the program.
        access: For each port, inputs first, how its memory is reached: ``direct``, or through
            shared memory (`shared_bytes`): ``staged``, or ``rows`` for samples that lie one after
            the other without gaps; large outputs by ``slots`` there, or by ``local`` ones; values
            between kernels are ``tiled``.
        threads: Size of a block, a multiple of 32.
        min_blocks: How many blocks must fit on a multiprocessor, which bounds the registers.
        max_instructions: A longer program is cut into functions.

    Raises:
        UnknownName: another dtype.
        InvalidExpression: a constant that the type cannot hold.
    """
    real = real_type(dtype)
    ports = memories(program, access)
    bounds = f"{threads}" if min_blocks is None else f"{threads}, {min_blocks}"
    parameters = [p for port in ports for p in port.parameters()]
    parameters += ["long long samples", "unsigned long long* __restrict__ not_finite"]
    about = f"{comment_text(program.name)}: {program.cost}"
    title = program.name if name is None else name
    before = [line for port in ports for line in port.declarations()]
    inputs, outputs = ports[: len(program.inputs)], ports[len(program.inputs) :]
    targets = _targets(program, outputs)

    def place(k: int, j: int) -> str:
        return inputs[k].at(j)

    if len(program.code) > max_instructions:
        named = dict.fromkeys(x for port in ports for x in port.variables())
        pieces = Pieces(program, real, place, targets, list(named), max_instructions)
        before += pieces.functions()
        arithmetic = pieces.calls()
    else:
        arithmetic = watched(statements(program, real, place), targets, real, {})
    body = _loop(ports, arithmetic)
    return global_function(about, real, bounds, title, parameters, body, before)


def memories(program: Program, access: Sequence[str]) -> list[PortMemory]:
    """Return how each port is reached, inputs first."""
    labels = [f"in{k}" for k in range(len(program.inputs))]
    labels += [f"out{k}" for k in range(len(program.outputs))]
    shown = [() for _ in program.inputs] + [numbers for _, numbers in program.output_results()]
    found: list[PortMemory] = []
    offset = 0
    ports = (*program.inputs, *program.outputs)
    ways = access or ["direct"] * len(ports)
    for label, port, way, results in zip(labels, ports, ways, shown, strict=True):
        found.append(ACCESS[way](label, port, label.startswith("out"), offset, results))
        offset += found[-1].tile
    return found


def shared_bytes(
    program: Program, dtype: str, access: Sequence[str], threads: int = THREADS
) -> int:
    """Return the dynamic shared memory that one block needs."""
    tile = sum(port.tile for port in memories(program, access))
    return threads // WARP * tile * real_type(dtype).size


def _loop(ports: Sequence[PortMemory], arithmetic: Iterator[str]) -> Iterator[str]:
    """Yield the loop over the samples, in which a warp stays together."""
    tile = sum(port.tile for port in ports)
    if tile:
        yield "extern __shared__ real tiles[];"
        yield f"real* const warp = tiles + threadIdx.x / {WARP} * {tile};"
    yield f"const int lane = threadIdx.x % {WARP};"
    yield "const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x - lane;"
    yield "const long long stride = (long long)gridDim.x * blockDim.x;"
    for port in ports:
        yield from port.locals()
    yield "for (long long head = first; head < samples; head += stride) {"
    yield "    // lanes behind the end repeat the last sample"
    yield f"    const int count = samples - head < {WARP} ? (int)(samples - head) : {WARP};"
    yield "    const int row = lane < count ? lane : count - 1;"
    yield "    const long long i = head + row;"
    for port in ports:
        yield from indent(port.before())
    yield "    __syncwarp();"
    yield from indent(arithmetic)
    yield "    if (!(watch == 0)) *not_finite = i + 1;"
    yield "    __syncwarp();"
    for port in ports:
        yield from indent(port.after())
    yield "    __syncwarp();"
    yield "}"


def _targets(program: Program, outputs: Sequence[PortMemory]) -> dict[int, list[str]]:
    """Return where the results go, by their instructions; equal results may share a slot."""
    found: dict[int, dict[str, None]] = {}
    for port, (_, numbers) in zip(outputs, program.output_results(), strict=True):
        for place, k in enumerate(numbers):
            found.setdefault(k, {})[port.at(place)] = None
    return {k: list(places) for k, places in found.items()}
