"""When the warps of a block share a program, and how many samples a block then takes."""

from __future__ import annotations

from typing import NamedTuple

from dalembert.kernel.backends.c.reals import real_type
from dalembert.kernel.backends.cuda.memory import WARP
from dalembert.kernel.backends.cuda.team.plan import TeamPlan, pitch
from dalembert.kernel.program.program import Program

MOST_ALIVE = 1200
"""Bytes of values alive at once above which a thread alone would keep them in local memory."""
WARPS = 16
"""Warps of a block: four for each of the schedulers of a multiprocessor."""
SIZES = (64, 32)
"""Instructions of a part, the more the better where shared memory allows it."""
FEWEST_SAMPLES = 8
"""Samples of a block below which most lanes of a warp would do what others do, too."""
REGISTERS = 96
"""Registers that a thread of a team shall have at least."""
REGISTERS_OF_A_MULTIPROCESSOR = 65536


class Team(NamedTuple):
    """A plan; of a block the samples and the bytes of shared memory; blocks side by side."""

    plan: TeamPlan
    samples: int
    shared: int
    blocks: int

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return WARP * self.plan.warps


def wants_team(alive: int, dtype: str) -> bool:
    """Tell whether a thread alone would keep many of the values alive at once in local memory."""
    return alive * real_type(dtype).size > MOST_ALIVE


def team_for(program: Program, dtype: str, limit: int) -> Team | None:
    """Return the team for a program, with ``limit`` bytes of shared memory; None if it is short."""
    teams = [_team(TeamPlan(program, WARPS, size), dtype, limit) for size in SIZES]
    best = max(teams, key=lambda team: team.samples)
    return best if best.samples >= FEWEST_SAMPLES else None


def _team(plan: TeamPlan, dtype: str, limit: int) -> Team:
    bytes_of_a_sample = plan.num_slots * real_type(dtype).size
    samples = max(n for n in range(WARP + 1) if pitch(n) * bytes_of_a_sample <= limit or n == 0)
    shared = pitch(samples) * bytes_of_a_sample
    threads = WARP * plan.warps
    blocks = min(limit // max(1, shared), REGISTERS_OF_A_MULTIPROCESSOR // (threads * REGISTERS))
    return Team(plan, samples, shared, max(1, blocks))
