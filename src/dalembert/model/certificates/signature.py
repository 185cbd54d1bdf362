"""The inputs and outputs of a program: names, shapes and order, as its function promises them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.kernel.program.program import Port, Program
from dalembert.kernel.program.spec import BrokenProgram, validate
from dalembert.model.certificates.expected.base import Promise

SIZES = {"q": "q", "qd": "v", "qdd": "v", "tau": "u", "u": "u"}
"""The word of a `Promise` for the size of each input."""


def fault_of(
    program: Program, promise: Promise, sizes: Mapping[str, int], extra: Sequence[Port]
) -> str | None:
    """Return how the arrays of a program differ from those of its function, or None.

    Args:
        program: Any program.
        promise: What the function takes and gives.
        sizes: What the words of shapes stand for.
        extra: The inputs after those of the function: the time, open parameters.
    """
    try:
        validate(program, after="all passes")
    except BrokenProgram as error:
        return f"it is no program: {error}"
    takes = [Port(name, (sizes[SIZES[name]],)) for name in promise.takes]
    gives = [
        Port(name, tuple(sizes[word] for word in words.split()))
        for name, words in promise.gives.items()
    ]
    for kind, expected, found in (
        ("inputs", (*takes, *extra), program.inputs),
        ("outputs", tuple(gives), program.outputs),
    ):
        if expected != found:
            return f"expected the {kind} {_text(expected)}, got {_text(found)}"
    return None


def _text(ports: Sequence[Port]) -> str:
    return ", ".join(f"{port.name}{list(port.shape) or ''}" for port in ports) or "none"
