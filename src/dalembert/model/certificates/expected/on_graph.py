"""What programs must compute, by expressions on the graph: nothing is expanded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from dalembert.expr import ZERO, Expr, Matrix, as_expr, inputs, jacobian
from dalembert.expr.substitute import substitute
from dalembert.model.certificates.expected.base import Expected
from dalembert.recursions.constraints import loops

if TYPE_CHECKING:
    from dalembert.model.description import Symbols
    from dalembert.model.formulas.mechanism import MechanismFormulas


class OnGraph(Expected[Expr]):
    """Equations of motion as graphs.

    Attributes:
        title: Where the equations come from.
        residual: r(q, q̇, q̈, u, λ), zero along every motion.
        multipliers: The symbols of λ.
        constraints: Expressions of q, q̇ and q̈ that vanish where constraints hold.
        A: Their derivatives after q̈; None where there are no constraints.
        force_name: What the functions of this description call the forces that they take.
        response_name: What they call ∂q̈/∂u.
    """

    title: str
    force_name = "tau"
    response_name = "Minv"
    residual: list[Expr]
    multipliers: Sequence[Expr]
    constraints: list[Expr]
    A: Matrix | None

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols

    @property
    def coordinates(self) -> tuple[Sequence[Expr], Sequence[Expr]]:
        return self.symbols.q, self.symbols.qd

    @cached_property
    def M(self) -> list[Expr]:
        return list(jacobian(self.tau, self.symbols.qdd))

    @cached_property
    def h(self) -> list[Expr]:
        return substitute(self.tau, dict.fromkeys(self.symbols.qdd, ZERO))

    @cached_property
    def E(self) -> Expr:
        return self.T + self.V

    def slopes(self, symbols: Sequence[Expr]) -> list[Expr]:
        return list(jacobian(self.tau, symbols))


def loop_rows(
    formulas: MechanismFormulas,
) -> tuple[Sequence[Expr], Matrix | None, list[Expr]]:
    """Return multipliers, A and the rows A q̈ + b of loops and couplings."""
    if not formulas.has_constraints:
        return (), None, []
    tree, (q, v, a, *_) = formulas.tree, formulas.symbols
    A, b = Matrix(loops.loop_jacobian(tree, q)), loops.loop_bias(tree, q, v)
    rows = A @ Matrix.column(list(a))
    lam = inputs(" ".join(f"lam{i + 1}" for i in range(len(b))))
    return lam, A, [as_expr(x + y) for x, y in zip(rows, b, strict=True)]


def reactions(A: Matrix | None, multipliers: Sequence[Expr], n: int) -> list[Expr]:
    """Return Aᵀ λ."""
    if A is None:
        return [ZERO] * n
    return [sum((A[i, k] * x for i, x in enumerate(multipliers)), ZERO) for k in range(n)]
