"""What is differentiated: a model, what drives it, and the parameters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError, TooLarge
from dalembert.expr import ONE, Expr, Kind, as_expr, is_kind, jacobian, postorder, time
from dalembert.expr.symbols import by_symbol, symbol_text
from dalembert.model.border import finite_array, values_of
from dalembert.model.dry_friction import without_dry_friction
from dalembert.model.model import Given
from dalembert.simulation.methods.taylor.rates import SWITCHES
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from dalembert.expr import BySymbol
    from dalembert.model import Model
    from dalembert.simulation.problem.forcing import Forcing
    from dalembert.types import Scalar

MOST = 60
"""Of more velocities the derivatives of accelerations take minutes to compile."""


class Setting:
    """A model under a law of forces, with values of all parameters.

    A state is x = (q, q̇). Changes of it are δx = (η, δq̇), 2 nv numbers: η is the change of q; of a
    ball joint or free body the body-fixed rotation vector or twist, as in `LinearMotion`.

    Args:
        model: What moves.
        drive: What drives it.
        parameters: Values by symbol or name.
        costs: Expressions whose parameters count too, and which have to be smooth.
        others: Those of events and laws.
        has_dry_friction: Whether the dry friction of the model acts by itself, not by a law.

    Attributes:
        model: What moves, with the values of its parameters.
        drive: What drives it.
        law: Its forces, as expressions.
        parameters: The symbols p: open ones of the model, then those of the forces and others.
        values: Their values.
    """

    def __init__(
        self,
        model: Model,
        drive: Forcing,
        parameters: BySymbol[float] | None = None,
        costs: Sequence[Scalar] = (),
        others: Sequence[Scalar] = (),
        *,
        has_dry_friction: bool = True,
    ) -> None:
        self.model, self.drive, self.law = model, drive, _law(drive)
        self.nq, self.nv, self.has_dry_friction = model.nq, model.nv, has_dry_friction
        if self.nv > MOST:
            raise TooLarge(
                f"expected at most {MOST} velocities for sensitivities, got {self.nv} in "
                f"{model.name}: their code would have millions of operations"
            )
        self._check_smooth(costs)
        self.parameters = _open_parameters(model, [*self.law, *costs, *others])
        self.values = _values(self.parameters, values_of(parameters))
        self.model = model.with_given(Given(self.parameters, self.values))

    def _check_smooth(self, costs: Sequence[Scalar]) -> None:
        parts = [*self.bias, *self.forces, *map(as_expr, costs)]
        found = [node.op for node in postorder(parts) if node.op in SWITCHES]
        if found:
            raise EvaluationError(
                "expected smooth forces and costs for sensitivities, got "
                f"{found[0]}(…) in them, such as dry friction: compile the mechanism with "
                "smoothing=, write them with da.tanh, or give friction that sticks as events= "
                "(JointFriction, DryFriction)"
            )

    @cached_property
    def bias(self) -> list[Expr]:
        """h of M q̈ + h = forces."""
        return self.smooth(self.model.expressions("bias", *self.state))

    @cached_property
    def forces(self) -> list[Expr]:
        """What the law applies."""
        found = self.model.expressions("applied_forces", *self.state, self.law)
        return [as_expr(x) for x in found]

    @property
    def state(self) -> tuple[Sequence[Expr], Sequence[Expr]]:
        """The symbols of q and q̇."""
        return self.model.symbols.q, self.model.symbols.qd

    @cached_property
    def flow(self) -> dict[Expr, Expr]:
        """The rates of q and of time; the velocities stand still."""
        rate = self.model.expressions("configuration_rate", *self.state)
        return {**dict(zip(self.state[0], map(as_expr, rate), strict=True)), time: ONE}

    def smooth(self, values: Sequence[Scalar]) -> list[Expr]:
        """Return expressions without the dry friction that a law has instead."""
        if self.has_dry_friction:
            return [as_expr(x) for x in values]
        return without_dry_friction(values, self.state[1])

    def slopes(self, values: Sequence[Scalar]) -> list[list[Expr]]:
        """Return the derivatives of expressions by changes (η, δq̇) of the state."""
        q, v = self.state
        of = [as_expr(x) for x in values]
        by_q, by_v = jacobian(of, q).rows, jacobian(of, v).rows
        if not self.model.configuration.is_flat:
            # along the velocity j: dq = N(q) e_j
            by_q = [[_dot(row, column) for column in self.directions] for row in by_q]
        return [[*a, *b] for a, b in zip(by_q, by_v, strict=True)]

    @cached_property
    def directions(self) -> list[list[Expr]]:
        """dq/dt of every velocity alone."""
        unit = np.eye(self.nv, dtype=int).tolist()
        return [self.model.expressions("configuration_rate", self.state[0], e) for e in unit]

    def others(self, values: Sequence[Scalar]) -> list[list[Expr]]:
        """Return the derivatives of expressions by the parameters, then by time."""
        of = [as_expr(x) for x in values]
        return [list(row) for row in jacobian(of, (*self.parameters, time)).rows]

    def all_slopes(self, values: Sequence[Scalar]) -> list[list[Expr]]:
        """Return the derivatives by changes of the state, parameters and time; zeros if of none."""
        parts = zip(self.slopes(values), self.others(values), strict=True)
        size = 2 * self.nv + len(self.parameters) + 1
        return [[*a, *b] for a, b in parts] or [[as_expr(0)] * size]

    def compiled(
        self,
        key: tuple[Hashable, ...],
        outputs: Callable[[], Mapping[str, Sequence[Any]]],
        inputs: Mapping[str, Sequence[Expr]] | None = None,
        law: Sequence[Scalar] = (),
    ) -> Callable[..., Any]:
        """Return lists of expressions as a compiled function of (t, q, q̇, *inputs).

        ``law`` are expressions that may depend on time beside the forces. A kernel has no empty
        outputs: lists without entries come as a zero.
        """
        key = (*key, self.law, self.parameters, self.has_dry_friction)

        def padded() -> Mapping[str, Sequence[Any]]:
            return {name: values or [0] for name, values in outputs().items()}

        ports = {**state_symbols(self.model), **(inputs or {})}
        return compiled(self.model, key, padded, ports, (*self.law, *law))


def _law(drive: Forcing) -> tuple[Scalar, ...]:
    """Return forces as expressions."""
    if drive.law is not None and not drive.state.size:
        return drive.law
    if drive.constant is not None and drive.held is None:
        return tuple(drive.constant.tolist())
    raise EvaluationError(
        "expected forces as numbers or expressions for sensitivities, got a function, a table, or "
        "a law with samples, delays or states of its own, which have no derivatives here: write "
        "them with model.symbols and da.time"
    )


def _open_parameters(model: Model, others: Sequence[Scalar]) -> tuple[Expr, ...]:
    own = (x for e in others if isinstance(e, Expr) for x in sorted(e.symbols, key=symbol_text))
    found = [*model.symbols.parameters, *(x for x in own if is_kind(x, Kind.PARAMETER))]
    return tuple(dict.fromkeys(found))


def _values(parameters: Sequence[Expr], given: BySymbol[float]) -> np.ndarray:
    values = by_symbol(parameters, given)
    missing = [symbol_text(x) for x in parameters if x not in values]
    if missing:
        raise EvaluationError(
            f"expected a value for every open parameter, got none for {', '.join(missing)}: give "
            "them in parameters=, or bind them in da.compile"
        )
    listed = [values[x] for x in parameters]
    labels = [symbol_text(x) for x in parameters]
    return finite_array(listed, "parameters", (len(listed),), labels=labels)


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Expr:
    return as_expr(sum(as_expr(x) * y for x, y in zip(a, b, strict=True)))
