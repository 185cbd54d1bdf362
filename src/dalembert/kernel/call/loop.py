"""A program that runs again and again on its own results: time steps, iterations of a solver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from dalembert.errors import EvaluationError, InvalidExpression
from dalembert.kernel.program.program import Port, Program

if TYPE_CHECKING:
    from dalembert.types import ArrayLike


@dataclass(frozen=True)
class Loop:
    """What one step computes, and which of its outputs become inputs of the next.

    Args:
        program: One step.
        carried: Pairs (output, input) of equal shape.
        stop: A scalar output: a sample goes on while it is positive, then keeps what it has.
        sequences: Inputs that have a row of their own for each step.

    Raises:
        InvalidExpression: a name is unknown or carried twice, or shapes differ.
    """

    program: Program
    carried: tuple[tuple[str, str], ...]
    stop: str | None = None
    sequences: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        inputs = {port.name: port for port in self.program.inputs}
        outputs = {port.name: port for port in self.program.outputs}
        for side, names in zip(("output", "input"), zip(*self.carried, strict=True), strict=False):
            twice = [name for name in names if names.count(name) > 1]
            if twice:
                raise InvalidExpression(
                    f"expected each {side} to be carried once, got {twice[0]} twice"
                )
        for given, taken in self.carried:
            a, b = _find(outputs, given, "output"), _find(inputs, taken, "input")
            if a.shape != b.shape:
                raise InvalidExpression(
                    f"expected {given} and {taken} of one shape, got {a.shape} and {b.shape}"
                )
            if taken in self.sequences:
                raise InvalidExpression(f"expected {taken} either carried or a sequence, got both")
        for name in self.sequences:
            _find(inputs, name, "input")
        if self.stop is not None and _find(outputs, self.stop, "output").size != 1:
            raise InvalidExpression(f"expected one number to stop by, got the array {self.stop}")

    @property
    def memory(self) -> list[int | None]:
        """For each output the number of the input that it becomes, or None."""
        inputs = [port.name for port in self.program.inputs]
        taken = dict(self.carried)
        return [
            inputs.index(taken[port.name]) if port.name in taken else None
            for port in self.program.outputs
        ]

    @property
    def recorded(self) -> list[int]:
        """The numbers of the outputs that are carried: those that a record shows."""
        return [k for k, number in enumerate(self.memory) if number is not None]

    def is_sequence(self, number: int) -> bool:
        """Tell whether an input has a row for each step."""
        return self.program.inputs[number].name in self.sequences

    def __str__(self) -> str:
        return f"{self.carried} {self.stop} {self.sequences}\n{self.program}"


class LoopRun(NamedTuple):
    """What a loop leaves behind.

    ``outputs`` are those of the last step of each sample, ``steps`` how many it took, ``records``
    the carried outputs after every so many steps (empty unless asked for), ``is_finite`` whether
    all outputs are.
    """

    outputs: tuple[Any, ...]
    steps: Any
    records: tuple[Any, ...]
    is_finite: bool


class LoopKernel(ABC):
    """A loop on a machine: a function of arrays and a number of steps."""

    dtype = "float64"

    def __init__(self, loop: Loop) -> None:
        self.loop = loop

    @abstractmethod
    def __call__(self, *arrays: ArrayLike, steps: int, record: int = 0) -> LoopRun:
        """Run the steps; leading axes are a batch and broadcast.

        Args:
            arrays: One for each input; a sequence has one more axis before its own, of length
                ``steps`` or more.
            steps: How many, unless the samples stop by themselves.
            record: Keep the carried outputs after every so many steps.

        Raises:
            EvaluationError: a shape, type or number does not fit, or an input is not finite.
        """


def run_reference(
    loop: Loop, arrays: Sequence[Any], steps: int, record: int = 0
) -> tuple[tuple[Any, ...], Any, tuple[Any, ...]]:
    """Return outputs, steps and records by the reference backend, one step after the other."""
    import numpy as np

    from dalembert.kernel.program.reference import run

    program = loop.program
    values = [np.asarray(a, float) for a in arrays]
    batch = np.broadcast_shapes(
        *(
            a.shape[: a.ndim - len(port.shape) - loop.is_sequence(k)]
            for k, (a, port) in enumerate(zip(values, program.inputs, strict=True))
        )
    )
    outputs = [np.zeros((*batch, *port.shape)) for port in program.outputs]
    for k, number in enumerate(loop.memory):
        if number is not None:
            outputs[k] = np.broadcast_to(values[number], outputs[k].shape).copy()
    active, count = np.ones(batch, bool), np.zeros(batch)
    names = [port.name for port in program.outputs]
    records: list[list[Any]] = [[] for _ in loop.recorded]
    for step in range(steps):
        now = [
            a[(..., step, *(slice(None),) * len(port.shape))] if loop.is_sequence(k) else a
            for k, (a, port) in enumerate(zip(values, program.inputs, strict=True))
        ]
        for k, value in enumerate(run(program, now)):
            chosen = active.reshape((*batch, *(1,) * (value.ndim - len(batch))))
            outputs[k] = np.where(chosen, value, outputs[k])
            number = loop.memory[k]
            if number is not None:
                values[number] = outputs[k]
        count += active
        if loop.stop is not None:
            active = active & (outputs[names.index(loop.stop)].reshape(batch) > 0)
        if record and (step + 1) % record == 0:
            for place, k in enumerate(loop.recorded):
                records[place].append(outputs[k])
    stacked = tuple(
        np.stack(r, axis=len(batch)) if r else np.zeros((*batch, 0, *program.outputs[k].shape))
        for r, k in zip(records, loop.recorded, strict=True)
    )
    return tuple(outputs), count, stacked if record else ()


def check_steps(steps: object, record: object, where: str) -> None:
    """Raise unless both are whole numbers from 0."""
    for name, value in (("steps", steps), ("record", record)):
        is_number = isinstance(value, SupportsIndex) and not isinstance(value, bool)
        if not (is_number and index(value) >= 0):
            raise EvaluationError(
                f"expected a whole number of {name} from 0 for {where}, got {value!r}"
            )


def _find(ports: dict[str, Port], name: str, what: str) -> Port:
    if name not in ports:
        raise InvalidExpression(
            f"expected an {what} of the program, got {name!r}: there are {', '.join(ports)}"
        )
    return ports[name]
