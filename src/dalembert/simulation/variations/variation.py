"""The equations of a motion and of small changes of it, from the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError, InvalidSystem, TooLarge
from dalembert.expr import Expr, Kind, as_expr, is_kind, jacobian, postorder
from dalembert.expr.symbols import by_symbol, symbol_text
from dalembert.model.border import finite_array
from dalembert.simulation.methods.taylor.rates import SWITCHES
from dalembert.simulation.problem.kernels import compiled, state_symbols
from dalembert.simulation.problem.state_rate import state_rate

if TYPE_CHECKING:
    from dalembert.expr import BySymbol
    from dalembert.model import Model
    from dalembert.simulation.problem.forcing import Forcing
    from dalembert.types import Scalar

MOST = 60
"""Of more velocities the derivatives of accelerations take minutes to compile."""


class Slopes(NamedTuple):
    """ẋ at a state, and the linear equations δẋ = A δx + B δp of changes of it.

    ``metric`` is the diagonal of the mass matrix, which makes velocities comparable.
    """

    rate: np.ndarray
    A: np.ndarray
    B: np.ndarray
    metric: np.ndarray

    def of_columns(self, S: np.ndarray) -> np.ndarray:
        """Return Ṡ = A S + (0, B): the last columns of S are those of the parameters."""
        rate = self.A @ S
        rate[:, len(self.A) :] += self.B
        return rate


class Variation:
    """A motion ẋ = f(t, x, p) with its derivatives by x and p.

    A state is x = (q, q̇). Changes of it are δx = (η, δq̇), 2 nv numbers: η is the change of q; of a
    ball joint or free body the body-fixed rotation vector or twist, as in `LinearMotion`.

        η̇ = δq̇ + G η,   δq̈ = ∂q̈/∂q η + ∂q̈/∂q̇ δq̇ + ∂q̈/∂p δp

    Attributes:
        model: What moves.
        parameters: The symbols p: open ones of the model, then those of the law.
        values: Their values.
    """

    def __init__(
        self,
        model: Model,
        drive: Forcing,
        parameters: BySymbol[float] | None = None,
        costs: Sequence[Scalar] = (),
    ) -> None:
        self.model, self.law = model, _law(drive)
        self.nq, self.nv = model.nq, model.nv
        if model.description.has_constraints:
            raise InvalidSystem(
                f"expected a motion without constraints for sensitivities, got {model.name} with "
                "some: write it in independent coordinates, or take differences of da.simulate"
            )
        if self.nv > MOST:
            raise TooLarge(
                f"expected at most {MOST} velocities for sensitivities, got {self.nv} in "
                f"{model.name}: their code would have millions of operations"
            )
        self._check_smooth(costs)
        self.parameters = _open_parameters(model, [*self.law, *costs])
        self.values = _values(self.parameters, parameters or {})

    def at(self, t: float, x: np.ndarray) -> Slopes:
        """Return ẋ, A and B at a state."""
        n, v = self.nv, x[self.nq :]
        rate, slopes, B, metric = self._kernel(t, x[: self.nq], v, self.values)
        A = np.zeros((2 * n, 2 * n))
        if not self.model.configuration.is_flat:
            A[:n, :n] = self.model.configuration.transport(v)
        A[:n, n:], A[n:] = np.eye(n), slopes
        return Slopes(rate, A, np.concatenate([np.zeros_like(B), B]), metric)

    @cached_property
    def _kernel(self) -> Callable[..., Any]:
        """The rates and their derivatives as one function of (t, q, q̇, p)."""
        inputs = {**state_symbols(self.model), "p": self.parameters}
        run = compiled(
            self.model, ("variation", self.law, self.parameters), self._outputs, inputs, self.law
        )
        if self.parameters:
            return run
        none = np.zeros((self.nv, 0))

        def without(t: float, *arrays: np.ndarray) -> Any:
            rate, slopes, metric = run(t, *arrays)
            return rate, slopes, none, metric

        return without

    def _outputs(self) -> Mapping[str, Any]:
        model, q, v = self.model, self.model.symbols.q, self.model.symbols.qd
        qdd = self._rates[self.nq :]
        outputs: dict[str, Any] = {"rate": self._rates, "slopes": self.slopes(qdd)}
        if self.parameters:
            outputs["B"] = jacobian(qdd, self.parameters).rows
        return {**outputs, "metric": model.expressions("metric", q, v)[0]}

    def slopes(self, values: Sequence[Expr]) -> list[list[Expr]]:
        """Return the derivatives of expressions by changes (η, δq̇) of the state."""
        model, q = self.model, self.model.symbols.q
        by_q, by_v = jacobian(values, q).rows, jacobian(values, model.symbols.qd).rows
        if not model.configuration.is_flat:
            # along the velocity j: dq = N(q) e_j
            unit = np.eye(self.nv, dtype=int).tolist()
            N = [model.expressions("configuration_rate", q, e) for e in unit]
            by_q = [[_dot(row, column) for column in N] for row in by_q]
        return [[*a, *b] for a, b in zip(by_q, by_v, strict=True)]

    @cached_property
    def _rates(self) -> list[Expr]:
        return state_rate(self.model, self.law)

    def _check_smooth(self, costs: Sequence[Scalar]) -> None:
        parts = [*self._rates, *map(as_expr, costs)]
        found = [node.op for node in postorder(parts) if node.op in SWITCHES]
        if found:
            raise EvaluationError(
                "expected smooth forces and costs for sensitivities, got "
                f"{found[0]}(…) in them, such as dry friction: compile the mechanism with "
                "smoothing=, or write them with da.tanh"
            )


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


def _open_parameters(model: Model, law: Sequence[Scalar]) -> tuple[Expr, ...]:
    own = (x for e in law if isinstance(e, Expr) for x in sorted(e.symbols, key=symbol_text))
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
