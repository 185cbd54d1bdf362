"""Large outputs of a kernel: every different number once, spread over its places at the end.

A mass matrix of 30 freedoms has 900 places and 226 different numbers. Written one by one, the
numbers of neighbouring threads lie far apart, and each touches a sector of memory of its own. So a
thread keeps them in slots, and when all are known the warp writes them out side by side, by a table
of the slot of each place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from dalembert.kernel.backends.cuda.memory import WARP, PortMemory
from dalembert.kernel.backends.cuda.pieces import Variable
from dalembert.kernel.backends.cuda.statements import indent

PITCH = WARP + 1
"""Distance of slots in shared memory: odd, so that 32 slots of one sample meet 32 banks."""
GROUP = 32
"""Numbers that a thread reads before it writes them: a compiler must keep reads behind writes."""
FEW = 8
"""The same where other threads do not share the places."""
NUMBERS_OF_A_LINE = 16
MAX_SHORT = 1 << 16


@dataclass(frozen=True)
class Slots(PortMemory):
    """Slots in the shared memory of the warp."""

    def variables(self) -> Iterator[Variable]:
        yield from (Variable("real*", "warp"), Variable("int", "lane"))

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The slot of each different instruction shown, in the order of places."""
        return {k: slot for slot, k in enumerate(dict.fromkeys(self.results))}

    @property
    def tile(self) -> int:
        return PITCH * len(self.numbers)

    def at(self, place: int) -> str:
        return f"warp[{self.offset + PITCH * self.numbers[self.results[place]]} + lane]"

    def declarations(self) -> Iterator[str]:
        numbers = self.numbers
        slots = [str(numbers[k]) for k in self.results]
        kind = "short" if len(numbers) <= MAX_SHORT else "int"
        yield f"__device__ const unsigned {kind} {self.label}_slot[{self.port.size}] = {{"
        for start in range(0, len(slots), NUMBERS_OF_A_LINE):
            yield f"    {', '.join(slots[start : start + NUMBERS_OF_A_LINE])},"
        yield "};"

    def after(self) -> Iterator[str]:
        yield f"if ({self.label}_step == 1) {{"
        yield from indent(self._write_rows())
        yield "} else {"
        yield from indent(self._write_columns(f"warp[{self.offset} + {PITCH} * {{}} + lane]"))
        yield "}"

    def copy(self, assignment: str) -> Iterator[str]:
        yield from ()

    def _slot(self, place: str) -> str:
        return f"{self.label}_slot[{place}]"

    def _write_rows(self) -> Iterator[str]:
        """Yield what writes the places of all samples; lanes have neighbouring places.

        What a warp writes at once begins at a multiple of 128 bytes, where packed rows let it:
        samples that start at the same distance behind such a place go together.
        """
        n, batch = self.port.size, f"{self.label}_batch"
        period = WARP // math.gcd(n, WARP)
        start = f"lane - c * {n % WARP} % {WARP}"
        yield f"for (int c = 0; c < {period}; ++c)"
        yield f"for (int first = {start}; first < {n}; first += {WARP * GROUP}) {{"
        yield f"    int slot[{GROUP}];"
        yield "    #pragma unroll"
        yield f"    for (int g = 0; g < {GROUP}; ++g) {{"
        yield f"        const int k = first + {WARP} * g;"
        yield f"        slot[g] = 0 <= k && k < {n} ? {PITCH} * {self._slot('k')} : -1;"
        yield "    }"
        yield f"    for (int s = c; s < count; s += {period}) {{"
        yield f"        real* const to = {self.label} + (head + s) * {batch} + first;"
        yield f"        real x[{GROUP}];"
        yield "        #pragma unroll"
        yield f"        for (int g = 0; g < {GROUP}; ++g)"
        yield f"            x[g] = slot[g] < 0 ? 0 : warp[{self.offset} + slot[g] + s];"
        yield "        #pragma unroll"
        yield f"        for (int g = 0; g < {GROUP}; ++g)"
        yield f"            if (slot[g] >= 0) to[{WARP} * g] = x[g];"
        yield "    }"
        yield "}"

    def _write_columns(self, value: str) -> Iterator[str]:
        """Yield what writes all places of the thread's own sample."""
        n = self.port.size
        yield f"real* to = {self.label} + i * {self.label}_batch;"
        yield f"for (int first = 0; first < {n}; first += {FEW}) {{"
        yield f"    real x[{FEW}] = {{}};"
        yield "    #pragma unroll"
        yield f"    for (int g = 0; g < {FEW}; ++g)"
        yield f"        if (first + g < {n}) x[g] = {value.format(self._slot('first + g'))};"
        yield "    #pragma unroll"
        yield f"    for (int g = 0; g < {FEW}; ++g, to += {self.label}_step)"
        yield f"        if (first + g < {n}) *to = x[g];"
        yield "}"


@dataclass(frozen=True)
class LocalSlots(Slots):
    """Slots in the thread's own memory, for more than the shared one holds."""

    def variables(self) -> Iterator[Variable]:
        yield Variable("real*", f"{self.label}_slots")

    @property
    def tile(self) -> int:
        return PITCH * WARP

    def at(self, place: int) -> str:
        return f"{self.label}_slots[{self.numbers[self.results[place]]}]"

    def locals(self) -> Iterator[str]:
        yield f"real {self.label}_slots[{len(self.numbers)}];"

    def after(self) -> Iterator[str]:
        yield f"if ({self.label}_step == 1) {{"
        yield from indent(self._write_tiles())
        yield "} else {"
        yield from indent(self._write_columns(f"{self.label}_slots[{{}}]"))
        yield "}"

    def _write_tiles(self) -> Iterator[str]:
        """Yield what writes 32 places at a time, turned in shared memory."""
        n = self.port.size
        yield f"for (int first = 0; first < {n}; first += {WARP}) {{"
        yield f"    for (int j = 0; j < {WARP}; j += {FEW}) {{"
        yield f"        real x[{FEW}] = {{}};"
        yield "        #pragma unroll"
        yield f"        for (int g = 0; g < {FEW}; ++g)"
        yield f"            if (first + j + g < {n})"
        yield f"                x[g] = {self.label}_slots[{self._slot('first + j + g')}];"
        yield "        #pragma unroll"
        yield f"        for (int g = 0; g < {FEW}; ++g)"
        yield f"            warp[{self.offset} + {PITCH} * (j + g) + lane] = x[g];"
        yield "    }"
        yield "    __syncwarp();"
        yield f"    real* to = {self.label} + head * {self.label}_batch + first + lane;"
        yield f"    for (int s = 0; s < {WARP}; s += {FEW}) {{"
        yield f"        real x[{FEW}] = {{}};"
        yield "        #pragma unroll"
        yield f"        for (int g = 0; g < {FEW}; ++g)"
        yield f"            x[g] = warp[{self.offset} + {PITCH} * lane + s + g];"
        yield "        #pragma unroll"
        yield f"        for (int g = 0; g < {FEW}; ++g)"
        yield f"            if (s + g < count && first + lane < {n})"
        yield f"                to[(s + g) * {self.label}_batch] = x[g];"
        yield "    }"
        yield "    __syncwarp();"
        yield "}"
