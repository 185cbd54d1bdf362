"""Decide which velocity constraints follow from position constraints, by Frobenius' theorem."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dalembert.expr import Expr, Matrix, time, total
from dalembert.expr.calculus import diff
from dalembert.mechanics.results.integrals.pfaffian import integrals
from dalembert.ring import (
    Element,
    Point,
    Ring,
    canonical_matrix,
    equal,
    is_zero,
    partials,
    rank,
    rebuild,
    rebuild_matrix,
    refute,
    ring_of,
    row_reduce,
)
from dalembert.ring.algebra.null_space import null_space
from dalembert.typeset.parts.write import aligned

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.ring import Derivative


Field = list[Element]


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
    forbids at every instant and that other motions combine to. ``integrals`` are functions of
    coordinates and time that the constraints keep constant, as many as were found, at most
    ``num_holonomic``: the position constraints behind the velocity constraints.
    """

    num_constraints: int
    num_holonomic: int
    escape: Escape | None
    integrals: tuple[Expr, ...] = ()

    @property
    def is_holonomic(self) -> bool:
        """Tell whether every constraint is integrable."""
        return self.escape is None

    def __str__(self) -> str:
        n = self.num_constraints
        if self.escape is None:
            head = f"all {n} constraints are integrable (holonomic)"
            head = "the constraint is integrable (holonomic)" if n == 1 else head
        else:
            head = (
                f"{self.num_holonomic} of {n} constraints are integrable; "
                f"constraint {self.escape.constraint + 1} is nonholonomic: "
                f"A [X, Y] = {self.escape.value} ≠ 0"
            )
        return "\n".join([head, *(f"    {F} = const" for F in self.integrals)])

    def _repr_latex_(self) -> str:
        count = f"{self.num_holonomic} of {self.num_constraints} constraints are integrable"
        lines = [f"\\text{{{count}}}"]
        if self.escape is not None:
            lines.append(f"A\\,[X, Y] = {self.escape.value.latex()} \\neq 0")
        lines += [f"{F.latex()} = \\text{{const}}" for F in self.integrals]
        return f"$\\displaystyle {aligned([f'& {line}' for line in lines])}$"


def integrability(eq: Equations) -> Integrability:
    """Decide by brackets whether the distribution {q̇ : A q̇ = 0} is tangent to surfaces.

    It is if and only if the bracket of any two of its fields stays in it (Frobenius). Adding
    brackets until nothing new appears gives the smallest involutive distribution; the constraints
    that survive on it are the holonomic ones, and their integrals are searched for. Where time
    occurs, A dq + b dt = 0 is examined with time as one more coordinate, the last entry of the
    fields.
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
    num_holonomic = len(dq) - len(closure)
    symbols = [*eq.coordinates, time][: len(dq)]
    found = _integrals(eq, A, fields, closure, symbols, num_holonomic)
    return Integrability(rank(ring, A), num_holonomic, escape, found)


def _integrals(
    eq: Equations,
    A: Matrix,
    fields: list[Field],
    closure: list[Field],
    symbols: list[Expr],
    wanted: int,
) -> tuple[Expr, ...]:
    """Return independent functions that all admissible motions keep constant, each verified."""
    ring, n = eq.ring, len(symbols)
    found: list[Expr] = []

    def add(F: Expr) -> None:
        if len(found) < wanted and _is_constant(F, fields, symbols):
            rows = [[diff(G, x) for x in symbols] for G in [*found, F]]
            inside = ring_of([e for row in rows for e in row])
            if rank(inside, canonical_matrix(inside, Matrix(rows, n))) == len(rows):
                found.append(F)

    for a in eq.system.constraints:
        add(a)
    # the rows as they were given, then those that annihilate everything reachable
    given = A.rows[len(eq.system.constraints) :]
    reached = Matrix(closure, n)
    inside = [row for row in given if all(is_zero(x) for x in reached @ Matrix.column(row))]
    whole = null_space(ring, reached).T.rows if closure else _unit_rows(ring, n)
    reduced = row_reduce(ring, Matrix(whole, n))[0] if wanted else []
    for forms in (inside, whole, reduced):
        if len(found) < wanted:
            for F in integrals([[rebuild(x) for x in row] for row in forms], symbols):
                add(F)
    return tuple(found)


def _is_constant(F: Expr, fields: list[Field], symbols: list[Expr]) -> bool:
    """Tell whether F does not change along any of the fields, exactly."""
    slopes = [diff(F, x) for x in symbols]
    return all(
        equal(total([k * rebuild(c) for k, c in zip(slopes, X, strict=True)]), 0) for X in fields
    )


def _unit_rows(ring: Ring, n: int) -> list[list[Element]]:
    return [[ring.one if i == j else ring.zero for j in range(n)] for i in range(n)]


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
