"""Decide which velocity constraints follow from position constraints, by Frobenius' theorem."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dalembert.expr import Expr, Matrix, time
from dalembert.ring import (
    Element,
    Point,
    Ring,
    is_zero,
    partials,
    rank,
    rebuild,
    rebuild_matrix,
    refute,
)
from dalembert.ring.algebra.null_space import null_space

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.ring import Derivative


class Escape(NamedTuple):
    """Two admissible motions X, Y whose bracket leaves the constraint: A [X, Y] = value ≠ 0."""

    constraint: int
    X: Matrix
    Y: Matrix
    value: Expr
    point: Point | None


class Integrability(NamedTuple):
    """Of ``num_constraints`` rows of A, how many follow from position constraints.

    ``is_holonomic`` holds when all do. Otherwise ``escape`` shows a motion that the constraint
    forbids at every instant and that other motions combine to.
    """

    num_constraints: int
    num_holonomic: int
    escape: Escape | None

    @property
    def is_holonomic(self) -> bool:
        """Tell whether every constraint is integrable."""
        return self.escape is None

    def __str__(self) -> str:
        if self.escape is None:
            return f"all {self.num_constraints} constraints are integrable (holonomic)"
        return (
            f"{self.num_holonomic} of {self.num_constraints} constraints are integrable; "
            f"constraint {self.escape.constraint + 1} is nonholonomic: "
            f"A [X, Y] = {self.escape.value} ≠ 0"
        )


def integrability(eq: Equations) -> Integrability:
    """Decide by brackets whether the distribution {q̇ : A q̇ = 0} is tangent to surfaces.

    It is if and only if the bracket of any two of its fields stays in it (Frobenius). Adding
    brackets until nothing new appears gives the smallest involutive distribution; the constraints
    that survive on it are the holonomic ones. Where time occurs, A dq + b dt = 0 is examined with
    time as one more coordinate, the last entry of the fields.
    """
    ring, A = eq.ring, eq.forms.A
    dq = partials(ring, eq.coordinates)
    (dt,) = partials(ring, [time])
    if any(not is_zero(x) for x in [*eq.forms.drift, *dt.of_matrix(A)]):
        A, dq = A.beside(eq.forms.drift), [*dq, dt]
    Z = null_space(ring, A)
    fields = [list(Z.col(k)) for k in range(Z.shape[1])]
    escape = _find_escape(ring, A, fields, dq)
    closure = _involutive_closure(ring, fields, dq, len(dq))
    return Integrability(rank(ring, A), len(dq) - len(closure), escape)


Field = list[Element]


def bracket(X: Field, Y: Field, dq: list[Derivative]) -> Field:
    """Return the Lie bracket [X, Y]ᵏ = Σ_j Xʲ ∂Yᵏ/∂qʲ - Yʲ ∂Xᵏ/∂qʲ."""
    result = []
    for x, y in zip(X, Y, strict=True):
        total = X[0] * 0
        for j, d in enumerate(dq):
            total = total + X[j] * d(y) - Y[j] * d(x)
        result.append(total)
    return result


def _find_escape(ring: Ring, A: Matrix, fields: list[Field], dq: list[Derivative]) -> Escape | None:
    for i, X in enumerate(fields):
        for Y in fields[:i]:
            left = A @ Matrix.column(bracket(X, Y, dq))
            for k, value in enumerate(left):
                if not is_zero(value):
                    e = rebuild(value)
                    return Escape(
                        k,
                        rebuild_matrix(Matrix.column(X)),
                        rebuild_matrix(Matrix.column(Y)),
                        e,
                        refute(e),
                    )
    return None


def _involutive_closure(
    ring: Ring, fields: list[Field], dq: list[Derivative], n: int
) -> list[Field]:
    closed = list(fields)
    i = 0
    while i < len(closed) < n:
        # brackets of field i with the fields before it; independent ones join
        for j in range(i):
            candidate = bracket(closed[i], closed[j], dq)
            if rank(ring, Matrix([*closed, candidate], n)) > len(closed):
                closed.append(candidate)
        i += 1
    return closed
