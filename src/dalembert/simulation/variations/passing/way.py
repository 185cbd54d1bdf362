"""What is differentiated: a motion with its parameters, constraints and events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, as_expr
from dalembert.model.dry_friction import has_dry_friction
from dalembert.simulation.constraints.constraints import Constraints
from dalembert.simulation.events.crossing import Crossing
from dalembert.simulation.laws.base import SwitchingLaw
from dalembert.simulation.laws.friction import JointFriction
from dalembert.simulation.laws.mode_changes import rows_of, start_laws
from dalembert.simulation.problem.start import initial_state
from dalembert.simulation.run import INTERRUPTED, Run
from dalembert.simulation.variations.equations.constrained import (
    ConstrainedVariation,
    Mode,
    check_closing,
)
from dalembert.simulation.variations.equations.setting import Setting
from dalembert.simulation.variations.equations.variation import FreeVariation, Variation
from dalembert.simulation.variations.passing.passages import Passages
from dalembert.simulation.variations.passing.resets import ChangeOfState, traced_change

if TYPE_CHECKING:
    from dalembert.expr import BySymbol
    from dalembert.model import Model
    from dalembert.simulation.events.base import Event
    from dalembert.simulation.laws.base import Row
    from dalembert.simulation.methods.base import Integrator
    from dalembert.simulation.problem.forcing import Forcing
    from dalembert.simulation.problem.start import Times
    from dalembert.simulation.variations.changes import DifferentiatedMotion
    from dalembert.types import ArrayLike, Scalar


class Way:
    """A motion with its parameters, constraints and events, ready to be differentiated.

    Args:
        model: What moves.
        drive: What drives it.
        parameters: Values of all open parameters.
        events: Crossings, contacts and dry frictions.
        costs: Expressions whose parameters count too.
        is_forward: Whether time increases: then dry friction of joints sticks.

    Attributes:
        setting: What is differentiated.
    """

    def __init__(
        self,
        model: Model,
        drive: Forcing,
        parameters: BySymbol[float] | None,
        events: Sequence[Event | SwitchingLaw],
        costs: Sequence[Scalar],
        *,
        is_forward: bool,
    ) -> None:
        self.laws = [event for event in events if isinstance(event, SwitchingLaw)]
        self.crossings = [
            _checked(event) for event in events if not isinstance(event, SwitchingLaw)
        ]
        has_own = has_dry_friction(model)
        if has_own and is_forward and not any(isinstance(x, JointFriction) for x in self.laws):
            self.laws.append(JointFriction())
        has_own = has_own and any(isinstance(x, JointFriction) for x in self.laws)
        self.rows = tuple(rows_of(model, self.laws, not has_own))
        _check_friction(self.rows)
        self.changed = [x.change and traced_change(model, x) for x in self.crossings]
        others = [
            *(as_expr(x.of) for x in self.crossings),
            *(x for change in self.changed for x in change or ()),
            *(x for row in self.rows for x in row if isinstance(x, Expr)),
        ]
        self.setting = Setting(
            model, drive, parameters, costs, others, has_dry_friction=not has_own
        )
        self.constraints = (
            Constraints(self.setting.model) if model.description.has_constraints else None
        )
        self._variations: dict[tuple[int, ...], Variation] = {}

    def start(
        self,
        span: tuple[float, float],
        q0: ArrayLike,
        qd0: ArrayLike | None,
        initial: Literal["check", "project"],
    ) -> np.ndarray:
        """Return the state at the start, and find the rank of the constraints."""
        start, end = span
        model, constraints = self.setting.model, self.constraints
        x = initial_state(model, constraints, start, abs(end - start), q0, qd0, initial)
        if constraints is not None:
            constraints.find_rank(start, x[: model.nq])
            if constraints.is_redundant:
                check_closing(self.setting, constraints, start, x)
        return x

    def run(
        self, motion: DifferentiatedMotion, method: Integrator, span: Times, x: np.ndarray
    ) -> Run:
        """Return the motion from a state, run to its end.

        Raises:
            EvaluationError: it stops before, or has no derivative at an event.
        """
        motion.find_rank(float(span.all[0]), x[: self.setting.nq])
        changes = start_laws(motion, method, span.all, self.laws) if self.laws else None
        run = Run(motion, method, span, x, self._numeric_crossings(), changes)
        motion.passages = self._passages(run)
        ok, status = run.go(lambda t: None)
        if motion.fault is not None:
            raise motion.fault
        if status.endswith(INTERRUPTED):
            raise KeyboardInterrupt
        if not ok:
            raise EvaluationError(f"expected a motion to differentiate, got one that {status}")
        return run

    def variation(self, modes: np.ndarray | None) -> Variation:
        """Return the equations in a mode of contacts and dry frictions."""
        key = () if modes is None else tuple(modes.tolist())
        if key not in self._variations:
            mode = Mode(self.rows if key else (), key)
            if key and not mode.acts:
                self._variations[key] = self.variation(None)
            elif self.constraints is None and not key:
                self._variations[key] = FreeVariation(self.setting)
            else:
                rows = () if self.constraints is None else self.constraints.independent
                self._variations[key] = ConstrainedVariation(self.setting, rows, mode)
        return self._variations[key]

    def _numeric_crossings(self) -> list[Crossing]:
        return [
            replace(event, change=ChangeOfState(self.setting, change).after) if change else event
            for event, change in zip(self.crossings, self.changed, strict=True)
        ]

    def _passages(self, run: Run) -> Passages:
        constraints = self.variation(None).velocities
        watchers = run.watchers[: len(self.crossings)]
        triples = list(zip(watchers, self.crossings, self.changed, strict=True))
        return Passages(
            self.setting,
            constraints,
            self.rows,
            {watcher: as_expr(event.of) for watcher, event, _ in triples},
            {watcher: ChangeOfState(self.setting, c) for watcher, _, c in triples if c},
        )


def _check_friction(rows: Sequence[Row]) -> None:
    for row in rows:
        if row.disc:
            raise EvaluationError(
                f"expected friction along one velocity for sensitivities, got {row.disc} on a "
                "plane: take differences of da.simulate"
            )
        if row.normal:
            raise EvaluationError(
                f"expected friction with a force of its own for sensitivities, got {row.name}, "
                f"which follows {' and '.join(row.normal)}: take differences of da.simulate"
            )


def _checked(event: Event) -> Crossing:
    """Return a crossing whose quantity has derivatives.

    Raises:
        EvaluationError: it is another event, or a function.
    """
    if isinstance(event, Crossing) and isinstance(event.of, Expr):
        return event
    what = f"the function of {event.name}" if isinstance(event, Crossing) else repr(event)
    raise EvaluationError(
        f"expected events of expressions for sensitivities, which have derivatives, got {what}: "
        "write it with model.symbols and da.time"
    )
