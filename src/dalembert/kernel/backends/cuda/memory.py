"""How the generated kernel reads and writes one port.

A warp of 32 threads works on 32 samples. Before the arithmetic it fetches its inputs into shared
memory, so that all reads are under way at once; without that the compiler, short of registers, puts
each read where the number is used, and the warp waits there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from dalembert.kernel.backends.c.names import comment_text
from dalembert.kernel.backends.cuda.pieces import Variable
from dalembert.kernel.program.program import Port

WARP = 32


@dataclass(frozen=True)
class PortMemory(ABC):
    """A port of the kernel; its parameters are called after ``label``.

    ``offset`` is the place of its tile in the shared memory of a warp, ``results`` are the
    instructions that an output shows.
    """

    label: str
    port: Port
    is_output: bool
    offset: int
    results: tuple[int, ...] = ()

    def parameters(self) -> Iterator[str]:
        """Yield pointer, distance of samples, distance of the numbers of one sample."""
        constant = "" if self.is_output else "const "
        about = comment_text(f"{self.port.name} {self.port.shape}")
        yield f"/* {about} */ {constant}real* __restrict__ {self.label}"
        yield f"long long {self.label}_batch, long long {self.label}_step"

    @abstractmethod
    def variables(self) -> Iterator[Variable]:
        """Yield the variables that `at` names."""

    def declarations(self) -> Iterator[str]:
        """Yield what stands before the kernel."""
        yield from ()

    def locals(self) -> Iterator[str]:
        """Yield the variables of a thread."""
        yield from ()

    @property
    @abstractmethod
    def tile(self) -> int:
        """How many numbers of shared memory a warp needs for it."""

    @abstractmethod
    def at(self, place: int) -> str:
        """Return the number at a place of the thread's own sample, as an lvalue."""

    @abstractmethod
    def copy(self, assignment: str) -> Iterator[str]:
        """Yield the copy of the warp's samples, from {memory} to {tile} or back."""

    def before(self) -> Iterator[str]:
        """Yield what a warp does before the arithmetic."""
        if not self.is_output:
            yield from self.copy("{tile} = {memory};")

    def after(self) -> Iterator[str]:
        """Yield what a warp does after the arithmetic."""
        if self.is_output:
            yield from self.copy("{memory} = {tile};")


@dataclass(frozen=True)
class Direct(PortMemory):
    """No tile: sample i, place k at i · batch + k · step."""

    def variables(self) -> Iterator[Variable]:
        yield Variable("real*" if self.is_output else "const real*", self.label)
        for part in ("batch", "step"):
            yield Variable("long long", f"{self.label}_{part}")
        yield Variable("long long", "i")

    @property
    def tile(self) -> int:
        return 0

    def at(self, place: int) -> str:
        return f"{self.label}[i * {self.label}_batch + {place} * {self.label}_step]"

    def copy(self, assignment: str) -> Iterator[str]:
        yield from ()


@dataclass(frozen=True)
class Tiled(PortMemory):
    """Values between kernels: places of 32 samples, batch numbers for each 32 samples.

    A warp reads and writes whole lines, at distances that an instruction can hold.
    """

    def variables(self) -> Iterator[Variable]:
        yield Variable("real*" if self.is_output else "const real*", f"{self.label}_tile")

    @property
    def tile(self) -> int:
        return 0

    def at(self, place: int) -> str:
        # what a kernel reads here it does not write, so reads need not wait for writes
        number = f"{self.label}_tile + {WARP * place}"
        return f"*({number})" if self.is_output else f"__ldg({number})"

    def before(self) -> Iterator[str]:
        kind = "real*" if self.is_output else "const real*"
        start = f"{self.label} + head / {WARP} * {self.label}_batch + row"
        yield f"{kind} {self.label}_tile = {start};"
        # else the compiler relates each of a thousand places to the loop, for half a minute
        yield f'asm("" : "+l"({self.label}_tile));'

    def copy(self, assignment: str) -> Iterator[str]:
        yield from ()


@dataclass(frozen=True)
class Staged(PortMemory):
    """Each thread copies its own sample: right when neighbours lie side by side."""

    def variables(self) -> Iterator[Variable]:
        yield from (Variable("real*", "warp"), Variable("int", "lane"))

    @property
    def tile(self) -> int:
        return WARP * self.port.size

    def at(self, place: int) -> str:
        return f"warp[{self.offset + WARP * place} + lane]"

    def copy(self, assignment: str) -> Iterator[str]:
        tile = f"warp[{self.offset} + {WARP} * k + lane]"
        memory = f"{self.label}[i * {self.label}_batch + k * {self.label}_step]"
        yield "#pragma unroll"
        yield f"for (int k = 0; k < {self.port.size}; ++k)"
        yield f"    {assignment.format(tile=tile, memory=memory)}"


@dataclass(frozen=True)
class Rows(PortMemory):
    """Samples one after the other, copied by the whole warp so that neighbours read neighbours."""

    def variables(self) -> Iterator[Variable]:
        yield from (Variable("real*", "warp"), Variable("int", "row"))

    @property
    def pitch(self) -> int:
        """Distance of rows in shared memory: odd, so that 32 lanes meet 32 banks."""
        return self.port.size | 1

    @property
    def tile(self) -> int:
        return WARP * self.pitch

    def at(self, place: int) -> str:
        return f"warp[{self.offset + place} + row * {self.pitch}]"

    def copy(self, assignment: str) -> Iterator[str]:
        n = self.port.size
        padded = "j" if self.pitch == n else f"j + j / {n}"
        tile, memory = f"warp[{self.offset} + {padded}]", f"{self.label}[head * {n} + j]"
        yield "#pragma unroll"
        yield f"for (int j = lane; j < {WARP * n}; j += {WARP})"
        yield f"    if (j < count * {n}) {assignment.format(tile=tile, memory=memory)}"
