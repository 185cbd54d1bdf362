"""What an engine must offer to be timed: tasks, and results to check it by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from benchmarks.robots import Array, States
from dalembert.mechanism import Mechanism

TASKS = {
    "inverse_dynamics": "inverse dynamics",
    "mass_matrix": "mass matrix",
    "forward_dynamics": "forward dynamics",
    "inverse_dynamics_derivatives": "∂ inverse dynamics",
    "forward_dynamics_derivatives": "∂ forward dynamics",
    "forward_kinematics": "kinematics",
    "jacobian": "Jacobian",
}
"""What is timed, with a title: kinematics are the poses of all bodies, J is that of the last."""

MAIN_TASKS = tuple(TASKS)[:5]
"""The dynamics and their derivatives."""


class Case(NamedTuple):
    """A robot with the states it is timed at."""

    name: str
    mechanism: Mechanism
    states: States


class Engine(Protocol):
    """One way to compute."""

    @property
    def name(self) -> str:
        """What the tables call it."""
        ...

    @property
    def tasks(self) -> Sequence[str]:
        """Which of `TASKS` it can."""
        ...

    def run(self, task: str, passes: int) -> int:
        """Compute at all states, ``passes`` times; return how many calls or samples it was."""
        ...

    def result(self, task: str, state: int) -> Array:
        """Return the result for one state in dalembert's coordinates.

        τ (n); M (n, n); q̈ (n); ∂/∂q and ∂/∂v (2, n, n); position of the last body (3); its J
        (6, n), linear first, in any axes.
        """
        ...


class Unavailable(Exception):
    """An engine that cannot run here; the message says what is missing."""


def call_all(f: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], passes: int) -> int:
    """Call a function from Python at each state; return how often."""
    for _ in range(passes):
        for x in arguments:
            f(*x)
    return passes * len(arguments)
