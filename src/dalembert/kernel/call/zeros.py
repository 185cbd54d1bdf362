"""Searches for the sign changes of a quantity along polynomials."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dalembert.types import Array


class Reading(NamedTuple):
    """A quantity, its rate, and what cannot be told from zero."""

    value: float
    rate: float
    noise: float


class SignChange(NamedTuple):
    """Where a quantity passes through zero: the time (s), the side after it, and the state.

    ``side`` is 1 or -1, ``step`` the number of the step, ``x`` the state there, ``(n,)``.
    """

    t: float
    side: int
    step: int
    x: Array


class Look(NamedTuple):
    """What is known before a search.

    Args:
        side: Of zero, where the quantity cannot be told from it: 1, -1, or 0 if it is not known.
        t: When it was last looked at, in seconds; the quantity then had this
        value: and this
        rate: 1/s; a part of its way since then is noise.
        arrival_noise: More of it, in the first step.
        stop: The first change to this side ends the search, to either if it is 0; None: none does.
    """

    side: int
    t: float
    value: float
    rate: float
    arrival_noise: float
    stop: int | None


class Reason(IntEnum):
    """Why a search ended: at the end of the last step, at a sign change that it was to stop at,
    with no room for more of them, or at the start of a step where the quantity is zero and the side
    is not known, or where it is not finite.
    """

    DONE = 0
    STOPPED = 1
    FULL = 2
    NO_SIDE = 3
    NOT_FINITE = 4


class Outlook(NamedTuple):
    """What a search found.

    Args:
        changes: In the order of the steps.
        readings: Value, rate, noise and side at the start of each step that was looked at,
            ``(N, 4)``.
        end: The step in which it ended, N if it came to the end.
        reason: Why it ended.
    """

    changes: Sequence[SignChange]
    readings: Array
    end: int
    reason: Reason


class SignSearch(ABC):
    """Looks for the sign changes of one quantity; not for use by several threads at once."""

    @abstractmethod
    def read(self, t: float, x: Array, xd: Array) -> Reading:
        """Return the quantity at a time (s) and a state ``(n,)`` that changes with ẋ.

        Raises:
            EvaluationError: it or its rate is not finite.
        """

    @abstractmethod
    def along(self, look: Look, t: Array, series: Array, first: int = 0) -> Outlook:
        """Look at steps from the first one on.

        Args:
            look: What is known before.
            t: N + 1 times in seconds; they may run backwards.
            series: Coefficients of powers of the time since the start of each step,
                ``(N, degree + 1, n)``; entries of one order are neighbours.
            first: The number of the first step to look at.
        """
