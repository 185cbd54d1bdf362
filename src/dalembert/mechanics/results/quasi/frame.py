"""Quasi-velocities u of a system: q̇ = B u + c for every admissible motion, and only for those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from dalembert.errors import InvalidSystem, SingularSystem
from dalembert.expr import (
    Expr,
    Kind,
    Matrix,
    Scalar,
    as_expr,
    free_symbols,
    is_kind,
    symbol,
    symbol_text,
    time,
)
from dalembert.mechanics.proofs.identity import ring_for
from dalembert.ring import (
    Element,
    Ring,
    canonical_all,
    is_zero,
    null_space,
    partials,
    rank,
    rebuild,
    rebuild_matrix,
    row_reduce,
    solve,
)

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

    Definitions: TypeAlias = Mapping[str, Scalar] | Mapping[Expr, Scalar]


class Frame(NamedTuple):
    """``velocities`` u, and q̇ = B u + c; ``definitions`` are u by q̇, if they were given."""

    velocities: tuple[Expr, ...]
    B: Matrix
    c: Matrix
    definitions: tuple[Expr, ...] = ()


def chosen_frame(eq: Equations) -> Frame:
    """Return a frame of null vectors of A; c is one velocity that the constraints demand."""
    ring, A = eq.ring, eq.forms.A
    n = len(eq.coordinates)
    Z = null_space(ring, A) if eq.lam else _identity(ring, n)
    u = _symbols(eq, [f"u{i + 1}" for i in range(Z.shape[1])])
    c = [ring.zero] * n
    if any(not x.is_surely_zero for x in eq.forms.drift):
        rows, pivots = row_reduce(ring, A.beside(eq.forms.drift))
        for row, j in zip(rows, pivots, strict=True):
            c[j] = -row[n]
    return Frame(u, rebuild_matrix(Z), rebuild_matrix(Matrix.column(c)))


def given_frame(eq: Equations, definitions: Definitions) -> Frame:
    """Return the frame in which u = W q̇ + w is given: [A; W] q̇ = [-b; u - w] is solved."""
    n = len(eq.coordinates)
    names = [symbol_text(x) if isinstance(x, Expr) else str(x) for x in definitions]
    u = _symbols(eq, names)
    values = [as_expr(value) for value in definitions.values()]
    for name, value in zip(names, values, strict=True):
        _check_symbols(eq, name, value)
    ring = ring_for(eq, values)
    d = partials(ring, eq.velocities)
    given = canonical_all(ring, values)
    W = Matrix([[dj(x) for dj in d] for x in given], n)
    w = [
        x - Matrix.column(row).dot(ring.column(eq.velocities))
        for x, row in zip(given, W.rows, strict=True)
    ]
    for name, row, rest in zip(names, W.rows, w, strict=True):
        if any(not is_zero(dj(x)) for dj in d for x in (*row, rest)):
            raise InvalidSystem(
                f"expected quasi-velocities linear in the velocities, got {name} = "
                f"{values[names.index(name)]}: define them as W(q) q̇"
            )
    A, b = _constraints(eq, ring)
    num_free = n - rank(ring, A) if eq.lam else n
    if len(u) != num_free:
        raise InvalidSystem(
            f"expected {num_free} quasi-velocities, one for each degree of freedom, got {len(u)}: "
            f"{'add' if len(u) < num_free else 'drop'} some"
        )
    return _solved(ring, A.stack(W) if eq.lam else W, b, w, u, tuple(values))


def _solved(
    ring: Ring,
    full: Matrix,
    b: Sequence[Element],
    w: Sequence[Element],
    u: tuple[Expr, ...],
    values: tuple[Expr, ...],
) -> Frame:
    """Return B and c of the square system, one column for each quasi-velocity."""
    m, k = len(b), len(u)
    right = [[ring.zero] * k + [-x] for x in b]
    for i, x in enumerate(w):
        right.append([ring.one if i == j else ring.zero for j in range(k)] + [-x])
    try:
        x = solve(ring, full, Matrix(right, k + 1))
    except SingularSystem:
        raise InvalidSystem(
            "expected quasi-velocities that are independent of each other and of the constraints, "
            f"got {', '.join(map(symbol_text, u))} with {m} constraints: one follows from the rest"
        ) from None
    B = Matrix([row[:k] for row in x.rows], k)
    return Frame(u, rebuild_matrix(B), rebuild_matrix(Matrix.column(x.col(k))), values)


def _constraints(eq: Equations, ring: Ring) -> tuple[Matrix, list[Element]]:
    """Return independent rows of A q̇ + b = 0 in the ring."""
    if not eq.lam:
        return Matrix([], len(eq.coordinates)), []
    both = eq.forms.A.beside(eq.forms.drift)
    if ring is not eq.ring:
        both = both._like(canonical_all(ring, [rebuild(x) for x in both]))
    n = len(eq.coordinates)
    kept: list[tuple[Element, ...]] = []
    for row in both.rows:
        if rank(ring, Matrix([*(r[:n] for r in kept), row[:n]], n)) > len(kept):
            kept.append(row)
    return Matrix([row[:n] for row in kept], n), [row[n] for row in kept]


def _check_symbols(eq: Equations, name: str, value: Expr) -> None:
    known = [*eq.coordinates, *eq.velocities, time]
    for x in free_symbols([value]):
        if not (x in known or is_kind(x, Kind.PARAMETER)):
            raise InvalidSystem(
                f"expected {name} by coordinates, velocities and parameters of the system, got "
                f"{symbol_text(x)}: write {name} as W(q) q̇"
            )


def _symbols(eq: Equations, names: Sequence[str]) -> tuple[Expr, ...]:
    """Return the symbols of the quasi-velocities; their rates are u̇."""
    taken = {g.symbol.name for g in eq.ring.generators if g.symbol}
    for name in names:
        if name in taken:
            raise InvalidSystem(
                f"expected new names for the quasi-velocities, got {name}, which the system has: "
                'name them with eq.quasi_velocities({"v1": …})'
            )
    return tuple(symbol(Kind.COORDINATE, name) for name in names)


def _identity(ring: Ring, n: int) -> Matrix:
    return Matrix([[ring.one if i == j else ring.zero for j in range(n)] for i in range(n)], n)
