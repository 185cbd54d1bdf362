"""A program on a machine: a function of arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from dalembert.kernel.program.program import Cost, Port, Program


class Kernel(ABC):
    """Call it with one array for each input; leading axes are a batch and broadcast.

    One output is returned as an array, several as a tuple of arrays.
    """

    def __init__(self, program: Program) -> None:
        self.program = program

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.program.name

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Name and shape of every input."""
        return self.program.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Name and shape of every output."""
        return self.program.outputs

    @property
    def cost(self) -> Cost:
        """Operations and bytes of one run."""
        return self.program.cost

    @abstractmethod
    def __call__(self, *arrays: Any) -> Any:
        """Return the outputs for these inputs."""

    def when_loaded(self, tell: Callable[[Kernel], None]) -> None:
        """Call ``tell`` when code for a quick way in is there; this kernel has none."""
        del tell

    def __repr__(self) -> str:
        def listed(ports: tuple[Port, ...]) -> str:
            return ", ".join(f"{port.name}{list(port.shape)}" for port in ports)

        return f"{self.name}({listed(self.inputs)}) -> {listed(self.outputs)}: {self.cost}"
