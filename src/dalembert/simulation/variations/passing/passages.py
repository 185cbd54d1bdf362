"""From the events of a run to how changes pass them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, as_expr
from dalembert.simulation.contact.rows import STICK
from dalembert.simulation.variations.equations.constrained import ConstrainedVariation
from dalembert.simulation.variations.passing.resets import Impact
from dalembert.simulation.variations.passing.saltation import (
    GRAZING,
    Condition,
    Passage,
    Reset,
    event_time,
    flow_of,
    is_same,
    through,
)

if TYPE_CHECKING:
    from dalembert.simulation.events.base import ModeChange, Turn, Watcher
    from dalembert.simulation.laws.base import Row
    from dalembert.simulation.variations.equations.setting import Setting
    from dalembert.simulation.variations.equations.variation import Variation
    from dalembert.simulation.variations.passing.resets import ChangeOfState
    from dalembert.types import Scalar

FAINT = 1e-12
"""An impulse that is this part of the largest is none."""

States = Sequence[tuple[float, np.ndarray]]


class Quantity(ABC):
    """What is zero at an event."""

    @abstractmethod
    def slopes(self, variation: Variation, t: float, x: np.ndarray) -> np.ndarray:
        """Return its derivatives by δx, p and time, ``(2 nv + parameters + 1,)``."""

    def condition(self, variation: Variation, t: float, x: np.ndarray, way: States) -> Condition:
        """Return it at an event, with the fastest rate at the states of the way there."""
        rates = [0.0]
        for when, state in way:
            slopes, flow = self.slopes(variation, when, state), flow_of(variation, when, state)
            rates.append(abs(float(slopes[: len(flow)] @ flow + slopes[-1])))
        return Condition(self.slopes(variation, t, x), max(rates))


class OfState(Quantity):
    """An expression of time and state."""

    def __init__(self, setting: Setting, of: Scalar) -> None:
        of, self.nq = as_expr(of), setting.nq
        self._run = setting.compiled(
            ("event", of), lambda: {"by": setting.all_slopes([of])}, law=[of]
        )

    def slopes(self, variation: Variation, t: float, x: np.ndarray) -> np.ndarray:
        return self._run(t, x[: self.nq], x[self.nq :])[0]


class OfForce(Quantity):
    """The force of a held row beside a bound: bound - side z."""

    def __init__(self, setting: Setting, row: int, side: int, bound: Scalar) -> None:
        self.row, self.side, self.bound = row, side, OfState(setting, bound)

    def slopes(self, variation: Variation, t: float, x: np.ndarray) -> np.ndarray:
        assert isinstance(variation, ConstrainedVariation)
        _, _, by = variation.with_forces(t, x)
        force = by[variation.held_places[self.row]]
        return self.bound.slopes(variation, t, x) - self.side * force


def state_after(turn: Turn) -> np.ndarray:
    """Return the state from which the motion goes on after an event."""
    return turn.x if turn.effect.after is None else turn.effect.after


class Passages:
    """Makes passages of the events of one run.

    Args:
        setting: What moves.
        constraints: Velocities of the constraints, independent of each other.
        rows: Contacts and dry frictions.
        crossings: What is zero at a crossing, by its watcher.
        changes: The changes of crossings that have one, by their watchers.
    """

    def __init__(
        self,
        setting: Setting,
        constraints: Sequence[Expr],
        rows: Sequence[Row],
        crossings: Mapping[Watcher, Scalar],
        changes: Mapping[Watcher, ChangeOfState],
    ) -> None:
        self.setting, self.constraints, self.rows = setting, constraints, rows
        self.crossings, self.changes = crossings, changes

    def passage(self, turn: Turn, before: Variation, after: Variation, way: States) -> Passage:
        """Return how changes pass an event.

        Args:
            turn: The event, at a state (q, q̇).
            before: The motion as it comes.
            after: The motion as it goes on.
            way: States of the motion before it.

        Raises:
            EvaluationError: the motion has no derivative there.
        """
        t, x, name = turn.t, turn.x, turn.effect.name
        arriving = flow_of(before, t, x)
        condition = self._quantity(turn, before).condition(before, t, x, way)
        time, reset = event_time(condition, arriving), self._reset(turn)
        leaving = arriving if turn.is_terminal else flow_of(after, t, state_after(turn))
        if reset is None and is_same(arriving, leaving) and not turn.is_terminal:
            return Passage(t, name, arriving, time, None)
        if time is None:
            raise EvaluationError(
                f"expected {name} to pass zero with a speed for sensitivities, got one at "
                f"t = {t:.9g} that passes it by less than {GRAZING:g} of the fastest rate before: "
                "it grazes, and a small change decides whether it takes place"
            )
        whole = reset or Reset.none(len(arriving), len(self.setting.parameters))
        jump = None if turn.is_terminal else through(whole, time, arriving, leaving)
        return Passage(t, name, arriving, time, jump)

    def _reset(self, turn: Turn) -> Reset | None:
        change, modes = turn.effect.modes, turn.before
        if turn.watcher in self.changes and turn.effect.after is not None:
            return self.changes[turn.watcher].reset(turn.t, turn.x)
        if change is None or change.impulses is None or modes is None:
            return None
        return self._impact(turn, change, modes).reset(turn.t, turn.x)

    def _impact(self, turn: Turn, change: ModeChange, modes: np.ndarray) -> Impact:
        assert change.impulses is not None and change.rebounds is not None
        assert turn.modes is not None
        if len(change.hit) > 1:
            raise EvaluationError(
                "expected impacts one after the other for sensitivities, got those at "
                f"{' and '.join(change.hit)} at the same time, t = {turn.t:.9g}: which comes first "
                "depends on the change"
            )
        acts = change.impulses > FAINT * change.impulses.max()
        is_held = (modes == STICK) & (turn.modes == STICK)
        rigid = np.array([row.is_contact for row in self.rows])
        places = np.flatnonzero(rigid & (acts | is_held)).tolist()
        rebounds = [self.rows[k].restitution if change.rebounds[k] else 0 for k in places]
        return Impact(self.setting, self.constraints, [self.rows[k] for k in places], rebounds)

    def _quantity(self, turn: Turn, before: Variation) -> Quantity:
        if turn.watcher in self.crossings:
            return OfState(self.setting, self.crossings[turn.watcher])
        change, modes = turn.effect.modes, turn.before
        assert change is not None and modes is not None
        k = change.trigger
        if k is None:
            raise EvaluationError(
                "expected a motion that begins without an impact for sensitivities, got one that "
                "does: a small change of the start decides when it takes place"
            )
        row, mode = self.rows[k], int(modes[k])
        if row.is_soft:
            return OfState(self.setting, self._border(row, turn))
        if row.is_contact:
            gap = as_expr(row.gap)
            return OfForce(self.setting, k, -1, 0) if mode == STICK else OfState(self.setting, gap)
        if mode == STICK:
            return OfForce(self.setting, k, self._side(before, k, turn), row.static)
        return OfState(self.setting, row.velocity)

    @staticmethod
    def _side(before: Variation, k: int, turn: Turn) -> int:
        assert isinstance(before, ConstrainedVariation)
        _, lam, _ = before.with_forces(turn.t, turn.x)
        return 1 if lam[before.held_places[k]] > 0 else -1

    def _border(self, row: Row, turn: Turn) -> Expr:
        """Return which of gap and grip ends the mode of a soft contact: the one that is zero."""
        gap, grip = as_expr(row.gap), as_expr(row.grip)
        if not grip.symbols:
            return gap
        nq = self.setting.nq
        run = self.setting.compiled(
            ("border", gap, grip), lambda: {"both": [gap, grip]}, law=[gap, grip]
        )
        values = np.abs(run(turn.t, turn.x[:nq], turn.x[nq:]))
        return gap if values[0] <= values[1] else grip
