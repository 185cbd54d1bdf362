"""How the generated kernel reads and writes one port."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from dalembert.kernel.backends.c.names import comment_text
from dalembert.kernel.program import Port


@dataclass(frozen=True)
class Memory(ABC):
    """A port of the kernel; its parameters are called after ``label``."""

    label: str
    port: Port
    is_output: bool

    def parameters(self) -> Iterator[str]:
        """Yield pointer, distance of samples, distance of the numbers of one sample."""
        constant = "" if self.is_output else "const "
        about = comment_text(f"{self.port.name} {self.port.shape}")
        yield f"/* {about} */ {constant}real* __restrict__ {self.label}"
        yield f"long long {self.label}_batch, long long {self.label}_step"

    @property
    @abstractmethod
    def tile(self) -> int:
        """How many numbers of shared memory a warp needs for it."""

    @abstractmethod
    def at(self, place: int) -> str:
        """Return the number at a place of the thread's own sample, as an lvalue."""

    def fetch(self) -> Iterator[str]:
        """Yield what a warp does before the body."""
        yield from ()

    def start(self) -> Iterator[str]:
        """Yield the declaration of the thread's pointer."""
        yield from ()

    def flush(self) -> Iterator[str]:
        """Yield what a warp does after the body."""
        yield from ()


@dataclass(frozen=True)
class Strided(Memory):
    """Any regular layout: sample i, place k at i · batch + k · step."""

    @property
    def tile(self) -> int:
        return 0

    def start(self) -> Iterator[str]:
        constant = "" if self.is_output else "const "
        yield f"{constant}real* const {self.label}_i = {self.label} + i * {self.label}_batch;"

    def at(self, place: int) -> str:
        return f"{self.label}_i[{place} * {self.label}_step]"


@dataclass(frozen=True)
class Rows(Memory):
    """Samples one after the other, copied by a whole warp so that neighbours read neighbours."""

    offset: int

    @property
    def pitch(self) -> int:
        """Distance of rows in shared memory: odd, so that 32 lanes meet 32 banks."""
        return self.port.size | 1

    @property
    def tile(self) -> int:
        return 32 * self.pitch

    def start(self) -> Iterator[str]:
        yield f"real* const {self.label}_i = warp + {self.offset} + row * {self.pitch};"

    def at(self, place: int) -> str:
        return f"{self.label}_i[{place}]"

    def _copy(self, assignment: str) -> Iterator[str]:
        n = self.port.size
        padded = "j" if self.pitch == n else f"j + j / {n}"
        tile, memory = f"warp[{self.offset} + {padded}]", f"{self.label}[head * {n} + j]"
        yield "#pragma unroll"
        yield f"for (int j = lane; j < {32 * n}; j += 32)"
        yield f"    if (j < count * {n}) {assignment.format(tile=tile, memory=memory)};"

    def fetch(self) -> Iterator[str]:
        if not self.is_output:
            yield from self._copy("{tile} = {memory}")

    def flush(self) -> Iterator[str]:
        if self.is_output:
            yield from self._copy("{memory} = {tile}")
