"""How a program runs on a CUDA device, in words."""

from __future__ import annotations

from dalembert.kernel.backends.cuda.compiling import (
    FEW_THREADS,
    MANY_VALUES,
    fitted,
    registers,
)
from dalembert.kernel.backends.cuda.layout import Layout
from dalembert.kernel.backends.cuda.pieces import MAX_INSTRUCTIONS
from dalembert.kernel.backends.cuda.plan import access
from dalembert.kernel.backends.cuda.source import THREADS
from dalembert.kernel.backends.cuda.split.choose import Split, split
from dalembert.kernel.program.liveness import live_counts
from dalembert.kernel.program.program import Program


def explained(program: Program, dtype: str, limit: int) -> str:
    """Return what is chosen for a batch in packed rows, and why.

    Args:
        program: What to compute.
        dtype: "float32" or "float64".
        limit: Bytes of shared memory that a block may have.
    """
    alive = max(live_counts(program), default=0)
    parts = split(program, dtype)
    lines = [f"{program.name}: " + (_alone(alive, dtype) if parts is None else _several(parts))]
    lines.append(
        f"{len(program.code)} instructions, at most {alive} values of {dtype} alive at once"
    )
    if parts is not None:
        counts = ", ".join(str(len(link.program.code)) for link in parts.links)
        lines.append("so many that one kernel would keep them in local memory")
        lines.append(f"instructions of the kernels: {counts}")
        return "\n".join(lines)
    lines += _outputs(program, dtype, limit)
    if len(program.code) > MAX_INSTRUCTIONS:
        lines.append(
            f"more than {MAX_INSTRUCTIONS} instructions: cut into functions, which exchange values "
            "through local memory"
        )
    return "\n".join(lines)


def _alone(alive: int, dtype: str) -> str:
    threads = FEW_THREADS if alive > MANY_VALUES else THREADS
    return (
        f"one thread for each sample, {threads} in a block, with about {registers(alive, dtype)} "
        "registers"
    )


def _several(parts: Split) -> str:
    count = len(parts.links)
    if not parts.num_values:
        return f"{count} kernels, each for some rows of the outputs"
    return (
        f"{count} kernels one after the other, which hand on {parts.num_values} values of a sample "
        "through memory of the device"
    )


def _outputs(program: Program, dtype: str, limit: int) -> list[str]:
    """Return how large outputs are written."""
    packed = [Layout(port.size, 1) for port in (*program.inputs, *program.outputs)]
    ways, _ = fitted(program, dtype, access(program, packed), limit)
    words = {"slots": "shared memory", "local": "local memory, since shared memory is short"}
    return [
        f"{port.name} waits in {words[way]}, then warps write it side by side"
        for port, way in zip(program.outputs, ways[len(program.inputs) :], strict=True)
        if way in words
    ]
