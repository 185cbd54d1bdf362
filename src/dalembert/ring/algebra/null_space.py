"""Rank, null space and row reduction over a ring."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import flint

from dalembert.errors import Undecided
from dalembert.expr import Matrix
from dalembert.ring.algebra.minors import Minors, without_denominators
from dalembert.ring.decide import is_zero
from dalembert.ring.ring import Element, Ring
from dalembert.ring.samples import value_at

# null vectors up to this size are divided by their greatest common divisor
MAX_CONTENT_TERMS = 500
NULL_SPACE_TRIES = 4
PRECISION = 128


def row_reduce(ring: Ring, a: Matrix) -> tuple[list[list[Element]], list[int]]:
    """Return the reduced rows (pivots 1, over the field of quotients) and their pivot columns.

    Of the candidates the shortest pivot is taken, constants first, so that denominators stay small.

    Raises:
        Undecided: no entry is certainly nonzero, but some may be.
    """
    rows = [list(row) for row in a.rows]
    pivots: list[int] = []
    for i in range(len(rows)):
        found = _find_pivot(ring, rows, i)
        if found is None:
            break
        r, j = found
        rows[i], rows[r] = rows[r], rows[i]
        # row i divided by its pivot
        pivot = rows[i][j]
        rows[i] = [x if x.is_empty else (x / pivot).as_one() for x in rows[i]]
        # row k - a[k, j] · row i: column j vanishes outside row i
        for k, row in enumerate(rows):
            if k != i and not row[j].is_empty:
                factor = row[j]
                rows[k] = [
                    x if y.is_empty else (x - factor * y).as_one()
                    for x, y in zip(row, rows[i], strict=True)
                ]
        pivots.append(j)
    return rows[: len(pivots)], pivots


def _find_pivot(ring: Ring, rows: list[list[Element]], i: int) -> tuple[int, int] | None:
    """Return the cheapest entry from row i on that is certainly not zero, None if all are zero.

    Entries that are proved zero on the way are replaced by 0.
    """
    candidates = sorted(
        (_pivot_cost(x), r, j)
        for r in range(i, len(rows))
        for j, x in enumerate(rows[r])
        if not x.is_empty
    )
    undecided: Undecided | None = None
    for _, r, j in candidates:
        try:
            if not is_zero(rows[r][j]):
                return r, j
            rows[r][j] = ring.zero
        except Undecided as error:
            undecided = error
    if undecided:
        raise undecided
    return None


def _pivot_cost(x: Element) -> tuple[int, int, int]:
    """Order pivots: constants, then few terms, then low degree."""
    constant = x.is_polynomial and x.whole.is_constant()
    degree = max((int(p.total_degree()) for _, p in x.parts()), default=0)
    return 0 if constant else 1, len(x), degree


def rank(ring: Ring, a: Matrix) -> int:
    """Return the rank over the field of quotients: the rank at almost every point."""
    # a point with full rank settles it without elimination
    least = rank_at_a_point(ring, a)
    return least if least == min(a.shape) else a.shape[1] - null_space(ring, a).shape[1]


def rank_at_a_point(ring: Ring, a: Matrix, tries: int = 2) -> int:
    """Return the rank at random rational points: a certain lower bound of the generic rank."""
    rng = random.Random(1788)
    best = 0
    if not len(a):
        return 0
    for _ in range(tries):
        values = _rational_point(ring, rng)
        if values is None:
            return 0
        rows = [[_value_at(x, values) for x in row] for row in a.rows]
        if all(x is not None for row in rows for x in row):
            best = max(best, flint.fmpq_mat(rows).rank())
    return best


def _rational_point(ring: Ring, rng: random.Random) -> list[Any] | None:
    """Return a rational value for every generator, or None when they are not independent.

    An angle gets a rational point of the circle, s = 2t/(1+t²), c = (1-t²)/(1+t²).
    """
    atoms = any(g.op not in ("symbol", "sin", "cos", "pi") for g in ring.generators)
    if atoms or ring.wild or not ring.is_complete:
        return None
    values = [flint.fmpq(rng.randint(1, 97), rng.randint(1, 23)) for _ in ring.generators]
    for angle in ring.angles:
        t = flint.fmpq(rng.randint(1, 40), rng.randint(1, 40))
        values[angle.sin], values[angle.cos] = 2 * t / (1 + t * t), (1 - t * t) / (1 + t * t)
    return values


def _value_at(x: Element, values: list[Any]) -> Any:
    """Return the rational value of an element, or None where its denominator vanishes."""
    total = _at(x.whole, values)
    factors = x.ring.denominators.factors
    for key, p in (x.fractions or {}).items():
        part = _at(p, values)
        for number, e in key:
            below = _at(factors[number].poly, values)
            if below == 0:
                return None
            part = part / below**e
        total = total + part
    return total


def _at(p: Any, values: list[Any]) -> Any:
    return p(*values) if values else p.leading_coefficient() if p else flint.fmpq(0)


def null_space(ring: Ring, a: Matrix) -> Matrix:
    """Return polynomial columns that span {x : a @ x = 0} at almost every point.

    An invertible block, rows R and columns P, is found at a point in ball arithmetic. For each
    other column j the minors of R over P ∪ {j} are a null vector (Laplace), without division. That
    the rows outside R annihilate it too is verified in the ring; if not, another point is taken,
    and after some points the rows are reduced with quotients.
    """
    n = a.shape[1]
    whole = Matrix([without_denominators(ring, row)[0] for row in a.rows], n)
    for seed in range(NULL_SPACE_TRIES):
        rows, pivots = _invertible_block(ring, whole, seed)
        minors = Minors(Matrix([whole.rows[i] for i in rows], n), ring)
        if not ring.is_complete and not minors(pivots).is_surely_nonzero:
            # it vanishes elsewhere, as x + |x| does: the rank has no one value
            continue
        vectors = []
        if len(pivots) < n:
            vectors = [
                _null_vector(ring, minors, pivots, j, n) for j in range(n) if j not in pivots
            ]
        others = [row for i, row in enumerate(whole.rows) if i not in rows]
        if not others or not vectors:
            return Matrix(vectors, n).T
        if all(is_zero(x) for x in Matrix(others, n) @ Matrix(vectors, n).T):
            return Matrix(vectors, n).T
    return _null_space_by_reduction(ring, whole)


def _null_space_by_reduction(ring: Ring, a: Matrix) -> Matrix:
    n = a.shape[1]
    rows, pivots = row_reduce(ring, a)
    vectors = []
    for j in range(n):
        if j not in pivots:
            # x_j = 1, and each pivot row demands x_pivot = -a[row, j]
            v = [ring.zero] * n
            v[j] = ring.one
            for row, pivot in zip(rows, pivots, strict=True):
                v[pivot] = -row[j]
            vectors.append(without_denominators(ring, v)[0])
    return Matrix(vectors, n).T


def _null_vector(
    ring: Ring, minors: Minors, pivots: Sequence[int], j: int, n: int
) -> list[Element]:
    """Return v with vᵢ = ± D(P ∪ {j} without i), divided by its content."""
    columns = sorted([*pivots, j])
    v = [ring.zero] * n
    for place, i in enumerate(columns):
        minor = minors([k for k in columns if k != i])
        v[i] = -minor if place % 2 else minor
    content = v[j].polynomial
    if sum(len(x) for x in v) <= MAX_CONTENT_TERMS:
        for x in v:
            content = content.gcd(x.polynomial)
    else:
        content = ring.one_poly
    # v_j keeps a positive leading coefficient, 1 where it is constant
    scale = content * (v[j].polynomial.leading_coefficient() / content.leading_coefficient())
    return [Element(ring, x.polynomial / scale) for x in v]


def _invertible_block(ring: Ring, a: Matrix, seed: int) -> tuple[list[int], list[int]]:
    """Return rows and columns of a block that is invertible at a random point, cheap columns first.

    It is as large as possible at that point, unless the balls are too wide to tell.
    """
    m, n = a.shape
    point = ring.samples.values(seed, PRECISION)
    if point is None:
        return [], []
    table = [[value_at(x.polynomial, point, PRECISION) for x in row] for row in a.rows]
    cost = [sum(_pivot_cost(row[j])[1] for row in a.rows) for j in range(n)]
    rows: list[int] = []
    pivots: list[int] = []
    # elimination in balls: an entry whose ball excludes 0 is certainly a pivot
    for j in sorted(range(n), key=lambda k: cost[k]):
        free = [i for i in range(m) if i not in rows and not table[i][j].contains(0)]
        if not free:
            continue
        pivot = max(free, key=lambda i: abs(table[i][j].mid()))
        rows.append(pivot)
        pivots.append(j)
        for i in range(m):
            if i not in rows:
                factor = table[i][j] / table[pivot][j]
                table[i] = [x - factor * y for x, y in zip(table[i], table[pivot], strict=True)]
    return sorted(rows), sorted(pivots)


def dependent_row(ring: Ring, a: Matrix) -> int | None:
    """Return the first row that is a combination of the rows before it, or None."""
    if rank(ring, a) == a.shape[0]:
        return None
    for i in range(a.shape[0]):
        if rank(ring, Matrix(a.rows[: i + 1], a.shape[1])) <= i:
            return i
    return None
