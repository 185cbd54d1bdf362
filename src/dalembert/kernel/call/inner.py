"""An iteration inside each step of a loop: sweeps of a solver that end when they are done."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from dalembert.errors import InvalidExpression
from dalembert.expr.data import packable
from dalembert.kernel.program.program import Port, Program


class Source(NamedTuple):
    """Where an input comes from: an array of the loop, of the start, or of the last turn."""

    kind: str
    number: int


@packable
@dataclass(frozen=True)
class Inner:
    """Turns that each step of a loop takes, until they need no more.

    A step runs ``start``, then ``turn`` again and again, then the program of the loop. Inputs of
    the turn are outputs of the start, by their names; those that are carried change from turn to
    turn. The program of the loop has the inputs of the loop, of the start and of the last turn.

    Args:
        start: From the inputs of the loop to all that turns read.
        turn: One turn.
        carried: Pairs (output, input) of the turn.
        stop: A scalar output of the turn: a sample goes on while it is positive.
        most: How many turns a step takes at most; there is one or more.

    Raises:
        InvalidExpression: a name is unknown, or shapes differ.
    """

    start: Program
    turn: Program
    carried: tuple[tuple[str, str], ...]
    stop: str
    most: int

    def __post_init__(self) -> None:
        if self.most < 1:
            raise InvalidExpression(f"expected turns from 1, got at most {self.most}")
        begin = {port.name: port for port in self.start.outputs}
        inputs = {port.name: port for port in self.turn.inputs}
        outputs = {port.name: port for port in self.turn.outputs}
        for port in self.turn.inputs:
            if begin.get(port.name) != port:
                raise InvalidExpression(
                    f"expected {port.name} {port.shape} among the outputs of the start, got "
                    f"{begin.get(port.name, 'none')}"
                )
        for given, taken in self.carried:
            if given not in outputs or taken not in inputs:
                raise InvalidExpression(
                    f"expected an output and an input of the turn, got {given!r} and {taken!r}"
                )
            if outputs[given].shape != inputs[taken].shape:
                raise InvalidExpression(
                    f"expected {given} and {taken} of one shape, got {outputs[given].shape} and "
                    f"{inputs[taken].shape}"
                )
        if self.stop not in outputs or outputs[self.stop].size != 1:
            raise InvalidExpression(f"expected one number of the turn to stop by, got {self.stop}")

    @cached_property
    def memory(self) -> list[int | None]:
        """For each output of the turn the number of its input that it becomes, or None."""
        inputs = [port.name for port in self.turn.inputs]
        taken = dict(self.carried)
        return [
            inputs.index(taken[port.name]) if port.name in taken else None
            for port in self.turn.outputs
        ]

    @cached_property
    def stop_number(self) -> int:
        """The number of the output of the turn that tells when to stop."""
        return [port.name for port in self.turn.outputs].index(self.stop)

    @cached_property
    def begin(self) -> list[int]:
        """For each input of the turn the number of the output of the start."""
        outputs = [port.name for port in self.start.outputs]
        return [outputs.index(port.name) for port in self.turn.inputs]

    def sources(self, program: Program) -> list[Source]:
        """Return where each input of the program behind the turns comes from.

        Raises:
            InvalidExpression: there is no such array, or it has another shape.
        """
        known: dict[str, tuple[Source, Port]] = {}
        parts = (
            ("loop", self.start.inputs),
            ("start", self.start.outputs),
            ("turn", self.turn.outputs),
        )
        for kind, ports in parts:
            for number, port in enumerate(ports):
                if port.name in known:
                    raise InvalidExpression(f"expected names of their own, got {port.name} twice")
                known[port.name] = Source(kind, number), port
        found = []
        for port in program.inputs:
            if port.name not in known or known[port.name][1] != port:
                raise InvalidExpression(
                    f"expected {port.name} {port.shape} of the loop, the start or the turn, got "
                    f"{known[port.name][1] if port.name in known else 'none'}"
                )
            found.append(known[port.name][0])
        return found

    def __str__(self) -> str:
        return f"{self.start}\n{self.carried} {self.stop} {self.most}\n{self.turn}"
