"""The public function and result: how a motion changes with its start and with parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from dalembert.display import Printed
from dalembert.errors import EvaluationError, UnknownName, nearest
from dalembert.expr.symbols import symbol_text
from dalembert.model.border import all_of_kind, check_doubles
from dalembert.model.model import check_model
from dalembert.simulation.events.base import Event
from dalembert.simulation.laws.base import SwitchingLaw
from dalembert.simulation.methods.dop853 import DOP853
from dalembert.simulation.methods.radau import Radau
from dalembert.simulation.one_thread import one_blas_thread
from dalembert.simulation.problem.external import with_external
from dalembert.simulation.problem.forcing import forcing
from dalembert.simulation.problem.start import times
from dalembert.simulation.variations.changes import Changes
from dalembert.simulation.variations.many_steps import WithChanges
from dalembert.simulation.variations.passing.way import Way

if TYPE_CHECKING:
    from dalembert.expr import BySymbol, Expr
    from dalembert.model import Model
    from dalembert.simulation.problem.external import Wrenches
    from dalembert.simulation.problem.forcing import Forces
    from dalembert.simulation.problem.start import Times
    from dalembert.simulation.trajectory.recorder import Recorder
    from dalembert.simulation.variations.changes import Passed
    from dalembert.types import ArrayLike, Scalar

SHARPEST = 100 * float(np.finfo(float).eps)
"""The least relative error of a step: below is rounding."""

PERIODIC = 1e-6
"""A motion that comes back this near, as a part of its way and its speeds, is periodic."""


class EventSensitivity(NamedTuple):
    """An event of a motion, and how it moves.

    Attributes:
        t: When it takes place, in seconds.
        name: What it is called.
        q, qd: The state on arrival there, ``(nq,)`` and ``(nv,)``.
        time_by: The derivatives of its time, ``(2 nv + parameters,)``: by changes (η, δq̇) of the
            start, then by parameters. None if it has none: the quantity only touches zero.
        state_by: Those of the state on arrival, at a time that moves too,
            ``(2 nv, 2 nv + parameters)``; None as well.
    """

    t: float
    name: str
    q: np.ndarray
    qd: np.ndarray
    time_by: np.ndarray | None
    state_by: np.ndarray | None


@dataclass(frozen=True, eq=False)
class Sensitivities(Printed):
    """Derivatives of a motion at its stored times; rows of all arrays belong to ``t``.

    Changes of a state are δx = (η, δq̇), 2 nv numbers: η is the change of q; of a ball joint or free
    body the body-fixed rotation vector or twist (`Configuration.difference`).

    Attributes:
        t: Times, ``(N,)``, in seconds.
        q, qd: The motion itself, ``(N, nq)`` and ``(N, nv)``.
        by_state: The transition matrices Φ with δx(t) = Φ δx(0), ``(N, 2 nv, 2 nv)``. On
            constraints a change of the start is moved onto them first, as the state itself is.
        by_parameters: ∂x(t)/∂p at a fixed start, ``(N, 2 nv, parameters)``; where p moves a
            constraint, the start moves to the nearest state on it.
        parameters: The symbols p, in the order of the columns.
        restarts: Whether changes begin anew at each time: then row k is about those since the time
            before, δx(tₖ) = Φₖ δx(tₖ₋₁) + Γₖ δp with p constant in between.
        gap: How far from its start the motion ends, as a part of its way and of its speeds; 0 if
            it is periodic.
        events: How each event moves, in the order of time.
    """

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    by_state: np.ndarray
    by_parameters: np.ndarray
    parameters: tuple[Expr, ...]
    restarts: bool
    gap: float
    events: tuple[EventSensitivity, ...] = ()

    def __str__(self) -> str:
        count = self.by_state.shape[-1]
        since = "the time before" if self.restarts else "the start"
        head = f"derivatives of {count} states at {len(self.t)} times by the state at {since}"
        largest = np.linalg.norm(self.by_state[-1], 2)
        lines = [f"  a change of the start grows at most {largest:.4g} times until the end"]
        lines += [
            f"  by {symbol}: at most {np.abs(self.by_parameters[..., k]).max():.4g}"
            for k, symbol in enumerate(self.parameters)
        ]
        return "\n".join([head, *lines, *(f"  event {x.name} at {x.t:.6g} s" for x in self.events)])

    def by(self, parameter: Expr | str) -> np.ndarray:
        """Return ∂x(t)/∂p of one parameter, by its symbol or its name, ``(N, 2 nv)``.

        Raises:
            UnknownName: it is none of the parameters.
        """
        return self.by_parameters[:, :, column_of(self.parameters, parameter)]

    @property
    def multipliers(self) -> np.ndarray:
        """The Floquet multipliers of a motion that is periodic over its times, ``(2 nv,)``.

        They are the eigenvalues of Φ over one period: changes die out where all of them lie inside
        the unit circle; an autonomous motion always has one at 1. Directions that constraints do
        not allow have zeros.

        Raises:
            EvaluationError: the motion does not return to its start, or changes begin anew on the
                way.
        """
        if self.restarts:
            raise EvaluationError(
                "expected changes of the whole motion for multipliers, got restarts=True"
            )
        if self.gap > PERIODIC:
            raise EvaluationError(
                "expected a motion that returns to its start for multipliers, got one that is "
                f"{self.gap:.3g} of its way away after {self.t[-1] - self.t[0]:.9g} s: give one "
                "period as its times"
            )
        return np.linalg.eigvals(self.by_state[-1])


def sensitivities(
    model: Model,
    q0: ArrayLike,
    qd0: ArrayLike | None,
    t: ArrayLike,
    forces: Forces = None,
    *,
    parameters: BySymbol[float] | None = None,
    external: Wrenches = None,
    reference: str = "world",
    restarts: bool = False,
    initial: Literal["check", "project"] = "check",
    events: Sequence[Event | SwitchingLaw] = (),
    method: DOP853 | Radau = DOP853(rtol=1e-12),  # noqa: B008, a frozen value
) -> Sensitivities:
    """Return the derivatives of a motion by its initial state and by parameters.

    They are integrated beside the motion, δẋ = A δx + B δp, with A and B exact from the graph, and
    the tolerance of the method holds for each of them. Parameters that do not matter have zeros.
    Constraints are kept by projection, of the state and of its changes. At an event whose time
    moves, changes pass by the saltation matrix.

    Args:
        model: What `da.compile` gave. The motion is differentiated by the parameters that were left
            open.
        q0: Configuration at the start, ``(nq,)``.
        qd0: Velocity at the start, ``(nv,)``; None for rest.
        t: The end time in seconds, or an array of times, as those of `da.simulate`.
        forces: None, one number for each input, or expressions of `Model.symbols` and ``da.time``;
            symbols of ``da.parameters`` in them count as parameters of the motion.
        parameters: Values of all open parameters, by symbol or name.
        external: Wrenches on frames of a mechanism, numbers or expressions; see `da.simulate`.
        reference: Axes and point of the wrenches.
        restarts: Whether changes begin anew at each of the times: the transition matrices from one
            to the next, of the discrete linear system along the motion. What is held between two
            times is a parameter in the forces, such as δu in ``[u0 + du]`` with the value 0.
        initial: "check" refuses a start off the constraints; "project" takes the nearest state.
        events: `Crossing` of expressions, whose change is arithmetic of (t, q, qd), `Contact`,
            `JointStops`, `DryFriction` and `JointFriction`; parameters may occur in all of them. A
            mechanism whose joints have dry friction gets `JointFriction` by itself.
        method: `DOP853`, or `Radau` for stiff motions, with their tolerances.

    Raises:
        EvaluationError: forces switch or are known as numbers only, sizes do not fit, a parameter
            has no value, the motion cannot go on, or it has no derivative: an event that grazes,
            two impacts at the same time, a singular configuration.

    With ω = √(k/m) a spring has x = cos ωt, so ∂x/∂k = -t sin(ωt) / (2 m ω), here -sin(1) / 8:

    >>> import dalembert as da
    >>> (x,), (m, k) = da.coordinates("x"), da.parameters("m k")
    >>> spring = da.System(kinetic=m * x.dot**2 / 2, potential=k * x**2 / 2, coordinates=[x])
    >>> change = da.sensitivities(
    ...     da.compile(spring), [1.0], [0.0], [0.0, 0.5], parameters={m: 1, k: 4}
    ... )
    >>> change.by("k")[-1].round(6).tolist()
    [-0.105184, -0.345443]
    """
    span = times(t)
    if restarts and span.is_stepwise:
        raise EvaluationError("expected a list of times with restarts=True, got an end time")
    start, end = float(span.all[0]), float(span.all[-1])
    way = way_of(model, (start, end), forces, external, reference, method, parameters, events)
    x = way.start((start, end), q0, qd0, initial)
    anew = span.all[1:].tolist() if restarts else ()
    motion = Changes(way.setting, way.variation, method.rtol, restarts=anew)
    with one_blas_thread():
        recorder = way.run(motion, WithChanges(method), span, x).recorder
    stored, x, S = _rows(recorder, span)
    motion.returning.look(x[-1], motion.weights)
    gap = motion.returning.gap(x[-1], abs(end - start))
    n, nq = 2 * model.nv, model.nq
    S = S.reshape(-1, *motion.first.shape)
    q = model.configuration.normalized(x[:, :nq])
    arrays = (stored, q, x[:, nq:], S[:, :, :n], S[:, :, n:])
    for array in arrays:
        array.flags.writeable = False
    found = tuple(_event(passed, nq) for passed in motion.passed)
    return Sensitivities(*arrays, way.setting.parameters, restarts, gap, found)


def _rows(recorder: Recorder, span: Times) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the times, states and S that are asked for, and those of an event at the end."""
    parts = recorder.t, recorder.x, recorder.controller_state
    t, x, S = (np.concatenate(part) for part in parts)
    if span.is_stepwise:
        return t, x, S
    # the first of the rows at a time is the one on arrival
    is_first = np.append(True, t[1:] != t[:-1])
    rows = is_first & (np.isin(t, span.all) | (t == t[-1]))
    return t[rows], x[rows], S[rows]


def _event(passed: Passed, nq: int) -> EventSensitivity:
    """Return an event with the derivatives of its time, and of the state on arrival there."""
    (t, name, flow, time, _), x, S = passed.passage, passed.x, passed.S
    if time is None:
        return EventSensitivity(t, name, x[:nq], x[nq:], None, None)
    n = len(flow)
    by = time[:n] @ S
    by[n:] += time[n:]
    return EventSensitivity(t, name, x[:nq], x[nq:], by, S + np.outer(flow, by))


def way_of(
    model: Model,
    span: tuple[float, float],
    forces: Forces,
    external: Wrenches,
    reference: str,
    method: DOP853 | Radau,
    parameters: BySymbol[float] | None,
    events: Sequence[Event | SwitchingLaw],
    costs: Sequence[Scalar] = (),
) -> Way:
    """Return the motion to be differentiated, after a check of what is given."""
    check_model(model, "sensitivities")
    check_doubles(model, "sensitivities")
    if not isinstance(method, DOP853 | Radau):
        raise EvaluationError(f"expected DOP853 or Radau for sensitivities, got {method}")
    if method.rtol < SHARPEST:
        raise EvaluationError(
            f"expected rtol from {SHARPEST:.2g} for sensitivities, got {method.rtol:.3g}: below "
            "is rounding"
        )
    if method.needs_jacobian and not model.configuration.is_flat:
        raise EvaluationError(
            "expected no quaternions for sensitivities by Radau, got some: take DOP853"
        )
    events = all_of_kind(events, (Event, SwitchingLaw), "events=", "crossings or contacts")
    drive = with_external(forcing(forces, model, span), model, external, reference)
    return Way(model.on_host(), drive, parameters, events, costs, is_forward=span[1] > span[0])


def column_of(parameters: Sequence[Expr], parameter: Expr | str) -> int:
    """Return the place of a parameter, given by its symbol or its name.

    Raises:
        UnknownName: it is none of them.
    """
    names = [symbol_text(x) for x in parameters]
    name = parameter if isinstance(parameter, str) else symbol_text(parameter)
    if name not in names:
        raise UnknownName(
            f"expected a parameter of {', '.join(names) or 'none'}, got {name} "
            f"({nearest(name, names)})"
        )
    return names.index(name)
