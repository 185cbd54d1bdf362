"""The public function: a cost of a motion and its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from dalembert.display import Printed
from dalembert.errors import EvaluationError
from dalembert.simulation.methods.dop853 import DOP853
from dalembert.simulation.methods.radau import Radau
from dalembert.simulation.one_thread import one_blas_thread
from dalembert.simulation.problem.start import times
from dalembert.simulation.variations.costs.adjoint import Costs, gradient_by_adjoint
from dalembert.simulation.variations.costs.columns import gradient_by_columns
from dalembert.simulation.variations.costs.cost import Cost
from dalembert.simulation.variations.sensitivities import column_of, way_of

if TYPE_CHECKING:
    from dalembert.expr import BySymbol, Expr
    from dalembert.model import Model
    from dalembert.simulation.events.base import Event
    from dalembert.simulation.laws.base import SwitchingLaw
    from dalembert.simulation.problem.external import Wrenches
    from dalembert.simulation.problem.forcing import Forces
    from dalembert.types import ArrayLike, Scalar


@dataclass(frozen=True, eq=False)
class CostGradient(Printed):
    """A cost J of a motion, and its derivatives.

    Attributes:
        value: J.
        by_state: dJ/dx₀ by changes (η, δq̇) of the start, ``(2 nv,)``; see `Sensitivities`.
        by_parameters: dJ/dp at a fixed start, ``(parameters,)``.
        parameters: The symbols p.
    """

    value: float
    by_state: np.ndarray
    by_parameters: np.ndarray
    parameters: tuple[Expr, ...]

    def by(self, parameter: Expr | str) -> float:
        """Return dJ/dp of one parameter, by its symbol or its name.

        Raises:
            UnknownName: it is none of the parameters.
        """
        return float(self.by_parameters[column_of(self.parameters, parameter)])

    def __str__(self) -> str:
        start = ", ".join(f"{x:.5g}" for x in self.by_state)
        pairs = zip(self.parameters, self.by_parameters, strict=True)
        lines = [f"  by {symbol}: {x:.5g}" for symbol, x in pairs]
        return "\n".join([f"J = {self.value:.6g}, dJ/dx₀ = ({start})", *lines])


def cost_gradient(
    model: Model,
    q0: ArrayLike,
    qd0: ArrayLike | None,
    t: float | tuple[float, float],
    forces: Forces = None,
    *,
    running: Scalar = 0,
    final: Scalar = 0,
    parameters: BySymbol[float] | None = None,
    external: Wrenches = None,
    reference: str = "world",
    initial: Literal["check", "project"] = "check",
    events: Sequence[Event | SwitchingLaw] = (),
    method: DOP853 | Radau = DOP853(rtol=1e-12),  # noqa: B008, a frozen value
) -> CostGradient:
    """Return J = ∫ running dt + final of a motion, and its gradient, by the adjoint equations.

    They are integrated backwards once, whatever the number of parameters; `da.sensitivities`
    integrates one column for each. So does `Radau` here: backwards a stiff motion is unstable.

    Args:
        model: As that of `da.sensitivities`, with parameters left open.
        q0: Configuration at the start, ``(nq,)``.
        qd0: Velocity at the start, ``(nv,)``; None for rest.
        t: The end time in seconds of a motion that starts at 0, or a pair (start, end).
        forces: None, one number for each input, or expressions.
        running: The integrand, an expression of `Model.symbols`, ``da.time`` and parameters.
        final: The cost of the state at the end, such an expression too.
        parameters: Values of all open parameters, those of forces and costs included.
        external: Wrenches on frames of a mechanism; see `da.simulate`.
        reference: Axes and point of the wrenches.
        initial: "check" refuses a start off the constraints; "project" takes the nearest state.
        events: Crossings, contacts and dry frictions, as those of `da.sensitivities`; a terminal
            one ends the cost.
        method: `DOP853`, or `Radau` for stiff motions, with their tolerances.

    Raises:
        EvaluationError: forces or costs switch, forces are known as numbers only, sizes do not fit,
            a parameter has no value, or the motion cannot go on.

    A thrown ball is at h = v₀ t - g t²/2, so dh/dg = -t²/2 and dh/dv₀ = t:

    >>> import dalembert as da
    >>> (h,), (m, g) = da.coordinates("h"), da.parameters("m g")
    >>> ball = da.System(kinetic=m * h.dot**2 / 2, potential=m * g * h, coordinates=[h])
    >>> height = da.cost_gradient(
    ...     da.compile(ball), [0.0], [5.0], 1.0, final=h, parameters={m: 1, g: 10}
    ... )
    >>> round(height.value, 9), round(height.by("g"), 9), height.by_state.round(9).tolist()
    (0.0, -0.5, [1.0, 1.0])
    """
    span = times(t)
    if span.all.size > 2:
        raise EvaluationError(
            f"expected an end time or (start, end) for a cost, got {span.all.size} times"
        )
    ends = float(span.all[0]), float(span.all[-1])
    way = way_of(
        model, ends, forces, external, reference, method, parameters, events, (running, final)
    )
    x = way.start(ends, q0, qd0, initial)
    costs = Costs(Cost(way.setting, running), Cost(way.setting, final))
    # backwards a stiff motion is unstable
    gradient = gradient_by_columns if method.needs_jacobian else gradient_by_adjoint
    with one_blas_thread():
        value, by = gradient(way, costs, method, span.all, x)
    n = 2 * model.nv
    return CostGradient(value, by[:n], by[n:], way.setting.parameters)
