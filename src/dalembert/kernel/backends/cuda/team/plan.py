"""Which warp of a block computes what, and where in shared memory its values lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from dalembert.kernel.program.liveness import MEMORY
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.stages import Stage, cut_into_stages

RUN = 32
"""Places of an output that are written together: a line of memory for each sample."""


def pitch(samples: int) -> int:
    """Return the distance of slots: odd, so that numbers of one sample meet different banks."""
    return samples | 1


class Run(NamedTuple):
    """The places ``RUN * number`` and following of an output, written when all are known."""

    output: int
    number: int


class TeamPlan:
    """A program in stages, with a slot of shared memory for each value that leaves its part.

    A slot is free again in the stage behind the last one that reads it. A run of outputs is
    written during the stage behind the one in which its last number is computed.
    """

    def __init__(self, program: Program, warps: int, size: int) -> None:
        self.program, self.warps = program, warps
        # constants and inputs that are shown need a stage, too
        self.stages: tuple[Stage, ...] = cut_into_stages(program, warps, size) or (((),) * warps,)
        self._home = {
            i: (s, w)
            for s, stage in enumerate(self.stages)
            for w, part in enumerate(stage)
            for i in part
        }

    @cached_property
    def writes(self) -> list[list[Run]]:
        """The runs that are written in each stage; there is one stage more, of writes alone."""
        found: list[list[Run]] = [[] for _ in range(len(self.stages) + 1)]
        for k, (_, numbers) in enumerate(self.program.output_results()):
            for run in range(-(-len(numbers) // RUN)):
                shown = numbers[RUN * run : RUN * (run + 1)]
                found[1 + max(self._born(i) for i in shown)].append(Run(k, run))
        return found

    def shown(self, run: Run) -> Sequence[int]:
        """Return the instructions of a run."""
        numbers = list(self.program.output_results())[run.output][1]
        return numbers[RUN * run.number : RUN * (run.number + 1)]

    @cached_property
    def constants(self) -> list[int]:
        """Constants that an output shows."""
        code = self.program.code
        return [i for i in dict.fromkeys(self.program.results) if code[i].op == "const"]

    @cached_property
    def slots(self) -> dict[int, int]:
        """The slot of each value in shared memory; the numbers of inputs are first, in order."""
        last = self._last_stages()
        slots: dict[int, int] = {}
        ends: dict[int, list[int]] = {}
        size = sum(port.size for port in self.program.inputs)
        for i, slot in self._inputs():
            slots[i] = slot
        by_stage: dict[int, list[int]] = {}
        for i in last:
            if i not in slots:
                by_stage.setdefault(self._born(i), []).append(i)
        # an input that nothing reads is free at once
        used = dict(zip(slots.values(), slots, strict=True))
        for slot in range(size):
            ends.setdefault(last.get(used.get(slot, -1), -1) + 1, []).append(slot)
        free: list[int] = []
        for s in range(len(self.stages) + 1):
            free += ends.pop(s, [])
            for i in by_stage.get(s, ()):
                if not free:
                    free.append(size)
                    size += 1
                slots[i] = free.pop()
                ends.setdefault(last[i] + 1, []).append(slots[i])
        self._num_slots = size
        return slots

    @cached_property
    def num_slots(self) -> int:
        """How many slots there are."""
        assert self.slots is not None
        return self._num_slots

    def _inputs(self) -> Iterator[tuple[int, int]]:
        """Yield each instruction that reads an input, with the slot of that number."""
        starts = [0]
        for port in self.program.inputs:
            starts.append(starts[-1] + port.size)
        for i, (op, _, value) in enumerate(self.program.code):
            if op == "input":
                port, place = value
                yield i, starts[port] + place

    def _born(self, i: int) -> int:
        return self._home[i][0] if i in self._home else 0

    def _last_stages(self) -> dict[int, int]:
        """Return the last stage that reads each value from shared memory."""
        code = self.program.code
        last: dict[int, int] = {}
        for i, (stage, _) in self._home.items():
            for a in code[i].args:
                if code[a].op in MEMORY or self._home[a] != self._home[i]:
                    last[a] = max(last.get(a, 0), stage)
        last = {a: s for a, s in last.items() if code[a].op not in ("const", "sincos")}
        for stage, runs in enumerate(self.writes):
            for run in runs:
                for i in self.shown(run):
                    last[i] = max(last.get(i, 0), stage)
        return last
