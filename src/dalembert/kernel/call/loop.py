"""A program that runs again and again on its own results: time steps, iterations of a solver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from dalembert.errors import EvaluationError, InvalidExpression
from dalembert.expr.data import packable
from dalembert.kernel.call.inner import Inner
from dalembert.kernel.call.kernel import Call, Origin, origin_of
from dalembert.kernel.program.program import Port, Program

if TYPE_CHECKING:
    from typing import Self

    from dalembert.types import ArrayLike


@packable
@dataclass(frozen=True)
class Loop:
    """What one step computes, and which of its outputs become inputs of the next.

    Args:
        program: One step; with ``inner`` what comes after the turns.
        carried: Pairs (output, input) of equal shape.
        stop: A scalar output: a sample goes on while it is positive, then keeps what it has.
        sequences: Inputs that have a row of their own for each step.
        inner: Turns inside each step.

    Raises:
        InvalidExpression: a name is unknown or carried twice, or shapes differ.
    """

    program: Program
    carried: tuple[tuple[str, str], ...]
    stop: str | None = None
    sequences: tuple[str, ...] = ()
    inner: Inner | None = None

    def __post_init__(self) -> None:
        if self.inner is not None:
            self.inner.sources(self.program)
        inputs = {port.name: port for port in self.inputs}
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
    def inputs(self) -> tuple[Port, ...]:
        """What the caller gives."""
        return self.head.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """What it computes."""
        return self.program.outputs

    @property
    def name(self) -> str:
        """The name that errors show."""
        return self.program.name

    @property
    def head(self) -> Program:
        """The program that reads them first."""
        return self.program if self.inner is None else self.inner.start

    @property
    def flops(self) -> int:
        """Additions and multiplications of a step, of one turn if it has some."""
        inner = () if self.inner is None else (self.inner.start, self.inner.turn)
        return sum(part.cost.flops for part in (*inner, self.program))

    @property
    def memory(self) -> list[int | None]:
        """For each output the number of the input that it becomes, or None."""
        inputs = [port.name for port in self.inputs]
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
        return self.inputs[number].name in self.sequences

    def __str__(self) -> str:
        turns = "" if self.inner is None else f"{self.inner}\n"
        return f"{self.carried} {self.stop} {self.sequences}\n{turns}{self.program}"


class LoopRun(NamedTuple):
    """The result of a loop.

    ``outputs`` are those of the last step of each sample, ``steps`` how many it took, ``records``
    the carried outputs after every so many steps (empty unless asked for), ``is_finite`` whether
    all outputs are.
    """

    outputs: tuple[Any, ...]
    steps: Any
    records: tuple[Any, ...]
    is_finite: bool


class Recorded(NamedTuple):
    """The carried outputs after every step of one sample, and whether all numbers are finite."""

    records: tuple[Any, ...]
    is_finite: bool


class LoopKernel(ABC):
    """A loop on a machine: a function of arrays and a number of steps."""

    dtype = "float64"

    origin: Origin | None = None

    def __init__(self, loop: Loop) -> None:
        self.loop = loop

    def __reduce__(self) -> Origin:
        """Pickle as the program and where it runs: code is never part of it."""
        return origin_of(self)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

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

    def recorder(self, steps: int) -> Callable[..., Recorded]:
        """Return a function of arrays of one sample that runs so many steps and records each.

        It is for those who call it often with numbers of their own: shapes are not checked.
        """

        def run(*arrays: ArrayLike) -> Recorded:
            found = self(*arrays, steps=steps, record=1)
            return Recorded(found.records, found.is_finite)

        return run

    def with_fast_calls(self, steps: int, fallback: Call) -> Call:
        """Return a function of arrays that runs so many steps of one sample.

        Arrays that need no conversion are given to machine code at once; it returns the outputs
        and then how many steps were taken. All other arguments, and those that lead to a number
        that is not finite, go to ``fallback``. Without such code it is ``fallback`` itself.
        """
        del steps
        return fallback


def check_steps(steps: object, record: object, where: str) -> None:
    """Raise unless both are whole numbers from 0."""
    for name, value in (("steps", steps), ("record", record)):
        if not isinstance(value, SupportsIndex) or isinstance(value, bool) or index(value) < 0:
            raise EvaluationError(
                f"expected a whole number of {name} from 0 for {where}, got {value!r}"
            )


def _find(ports: dict[str, Port], name: str, what: str) -> Port:
    if name not in ports:
        raise InvalidExpression(
            f"expected an {what} of the program, got {name!r}: there are {', '.join(ports)}"
        )
    return ports[name]
