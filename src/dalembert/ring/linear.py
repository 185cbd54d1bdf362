"""Exact linear algebra over a ring: determinants and solutions without division, row reduction."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from dalembert.errors import InvalidExpression, SingularSystem, TooLarge
from dalembert.expr import Expr, Matrix, free_symbols
from dalembert.ring.balls import ball_all, random_point
from dalembert.ring.build import ring_of
from dalembert.ring.canonical import canonical_matrix
from dalembert.ring.rebuild import rebuild, rebuild_matrix
from dalembert.ring.ring import Element, Ring
from dalembert.ring.sample import rank_at_a_point

MAX_MINOR_TERMS = 200_000
MAX_MINORS = 50_000
# products of terms in all minors together: some seconds
MAX_PRODUCTS = 5_000_000
# null vectors up to this size are divided by their greatest common divisor
MAX_CONTENT_TERMS = 500
NULL_SPACE_TRIES = 4


class Minors:
    """Minors of the leading rows, each computed once from smaller ones by Laplace's expansion.

    D(S), for a set S of k columns, is the determinant of the first k rows at these columns:
    D(S) = Σ_{j ∈ S} ± a[k-1, j] D(S∖j). No division occurs, so every intermediate is itself a
    minor, canonical in the ring, and sparse rows cost only their entries.
    """

    def __init__(self, a: Matrix, ring: Ring, max_terms: int = MAX_MINOR_TERMS) -> None:
        self.ring = ring
        self.max_terms = max_terms
        # sparse rows first keep the table small; a row exchange flips every full minor alike
        self.rows = sorted(a.rows, key=lambda row: sum(len(x) for x in row))
        self.table: dict[int, Element] = {0: ring.one}
        self.products = 0

    def __call__(self, columns: Sequence[int]) -> Element:
        """Return the minor of all rows at the given columns (up to the sign of the row order)."""
        return self._minor(sum(1 << j for j in columns))

    def _minor(self, mask: int) -> Element:
        found = self.table.get(mask)
        if found is not None:
            return found
        row = self.rows[mask.bit_count() - 1]
        total = self.ring.zero
        above = mask.bit_count() - 1
        for position, j in enumerate(_bits(mask)):
            if not row[j].is_zero:
                inner = self._minor(mask & ~(1 << j))
                if not inner.is_zero:
                    self._count(len(row[j].num) * len(inner.num))
                    term = row[j] * inner
                    total = total - term if (above - position) % 2 else total + term
        if len(total) > self.max_terms or len(self.table) > MAX_MINORS:
            n = len(self.rows)
            raise TooLarge(
                f"expected minors of at most {self.max_terms:,} terms, got {len(total):,} in a "
                f"system of {n} equations: solve it numerically at given values instead"
            )
        self.table[mask] = total
        return total

    def _count(self, products: int) -> None:
        """Refuse before the work is done, not after."""
        self.products += products
        if self.products > MAX_PRODUCTS:
            raise TooLarge(
                f"expected minors with at most {MAX_PRODUCTS:,} products of terms, got "
                f"{self.products:,} in a system of {len(self.rows)} equations: "
                "solve it numerically at given values instead"
            )


def _bits(mask: int) -> list[int]:
    return [j for j in range(mask.bit_length()) if mask >> j & 1]


def _row_order_sign(a: Matrix) -> int:
    """Return the sign of the permutation that `Minors` applies to the rows."""
    order = sorted(range(a.shape[0]), key=lambda i: sum(len(x) for x in a.rows[i]))
    swaps = sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order)))
    return -1 if swaps % 2 else 1


def determinant(ring: Ring, a: Matrix) -> Element:
    """Return det a for a square matrix of elements."""
    n = _require_square(a)
    value = Minors(a, ring)(range(n))
    return -value if _row_order_sign(a) < 0 else value


def cramer(
    ring: Ring, a: Matrix, b: Matrix, max_terms: int = MAX_MINOR_TERMS
) -> tuple[list[Element], Element]:
    """Return numerators n and the denominator d with a @ (n/d) = b, for one right side.

    Cramer's rule on shared minors of [a | b]: nⱼ = (-1)^(n-1-j) D(all columns but j),
    d = D(all columns but b).
    """
    n = _require_square(a)
    minors = Minors(a.beside(b), ring, max_terms)
    d = minors(range(n))
    if d.is_zero:
        raise SingularSystem(
            f"expected an invertible matrix, got one of size {n} whose determinant is "
            "identically zero: remove the dependent row or unknown"
        )
    x = [minors([i for i in range(n + 1) if i != j]) for j in range(n)]
    return [-v if (n - 1 - j) % 2 else v for j, v in enumerate(x)], d


def solve(ring: Ring, a: Matrix, b: Matrix, max_terms: int = MAX_MINOR_TERMS) -> Matrix:
    """Return x with a @ x = b, in lowest terms."""
    n = _require_square(a)
    columns = []
    for k in range(b.shape[1]):
        numerators, d = cramer(ring, a, b.col(k), max_terms)
        columns.append([v / d for v in numerators])
    return Matrix(columns, n).T if columns else Matrix.zeros(n, 0)


def row_reduce(ring: Ring, a: Matrix) -> tuple[list[list[Element]], list[int]]:
    """Return the reduced rows (pivots 1, over the field of quotients) and their pivot columns.

    Of the candidates the shortest pivot is taken, constants first, so that denominators stay small.
    """
    rows = [list(row) for row in a.rows]
    pivots: list[int] = []
    for i in range(len(rows)):
        candidates = [
            (_pivot_cost(x), r, j)
            for r in range(i, len(rows))
            for j, x in enumerate(rows[r])
            if not x.is_zero
        ]
        if not candidates:
            break
        _, r, j = min(candidates)
        rows[i], rows[r] = rows[r], rows[i]
        pivot = rows[i][j]
        rows[i] = [x / pivot if not x.is_zero else x for x in rows[i]]
        for k, row in enumerate(rows):
            if k != i and not row[j].is_zero:
                factor = row[j]
                rows[k] = [
                    x if y.is_zero else x - factor * y for x, y in zip(row, rows[i], strict=True)
                ]
        pivots.append(j)
    return rows[: len(pivots)], pivots


def _pivot_cost(x: Element) -> tuple[int, int, int]:
    """Order pivots: constants, then few terms, then low degree."""
    constant = x.is_polynomial and x.num.is_constant()
    return 0 if constant else 1, len(x), int(x.num.total_degree())


def rank(ring: Ring, a: Matrix) -> int:
    """Return the rank over the field of quotients: the rank at almost every point."""
    # a point with full rank settles it without elimination
    least = rank_at_a_point(ring, a)
    return least if least == min(a.shape) else len(row_reduce(ring, a)[1])


def null_space(ring: Ring, a: Matrix) -> Matrix:
    """Return polynomial columns that span {x : a @ x = 0} at almost every point.

    An invertible block, rows R and columns P, is found at a point in ball arithmetic. For each
    other column j the minors of R over P ∪ {j} are a null vector (Laplace), without division. That
    the rows outside R annihilate it too is verified in the ring; if not, another point is taken,
    and after some points the rows are reduced with quotients.
    """
    n = a.shape[1]
    whole = Matrix([_without_denominators(ring, row) for row in a.rows], n)
    for seed in range(NULL_SPACE_TRIES):
        rows, pivots = _invertible_block(whole, seed)
        vectors = []
        if len(pivots) < n:
            minors = Minors(Matrix([whole.rows[i] for i in rows], n), ring)
            vectors = [
                _null_vector(ring, minors, pivots, j, n) for j in range(n) if j not in pivots
            ]
        others = [row for i, row in enumerate(whole.rows) if i not in rows]
        if not others or not vectors:
            return Matrix(vectors, n).T
        if all(x.is_zero for x in Matrix(others, n) @ Matrix(vectors, n).T):
            return Matrix(vectors, n).T
    return _null_space_by_reduction(ring, whole)


def _null_space_by_reduction(ring: Ring, a: Matrix) -> Matrix:
    n = a.shape[1]
    rows, pivots = row_reduce(ring, a)
    vectors = []
    for j in range(n):
        if j not in pivots:
            v = [ring.zero] * n
            v[j] = ring.one
            for row, pivot in zip(rows, pivots, strict=True):
                v[pivot] = -row[j]
            vectors.append(_without_denominators(ring, v))
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
    content = v[j].num
    if sum(len(x) for x in v) <= MAX_CONTENT_TERMS:
        for x in v:
            content = content.gcd(x.num)
    else:
        content = ring.one_poly
    # v_j keeps a positive leading coefficient, 1 where it is constant
    scale = content * (v[j].num.leading_coefficient() / content.leading_coefficient())
    return [Element(ring, x.num / scale, ring.one_poly) for x in v]


def _invertible_block(a: Matrix, seed: int) -> tuple[list[int], list[int]]:
    """Return rows and columns of a block that is invertible at a random point, cheap columns first.

    It is as large as possible at that point, unless the balls are too wide to tell.
    """
    m, n = a.shape
    entries = [rebuild(x) for x in a]
    point = random_point(free_symbols(entries), random.Random(1000 + seed))
    try:
        values = ball_all(entries, point, precision=256)
    except ZeroDivisionError:
        return [], []
    table = [values[i * n : (i + 1) * n] for i in range(m)]
    cost = [sum(_pivot_cost(row[j])[1] for row in a.rows) for j in range(n)]
    rows: list[int] = []
    pivots: list[int] = []
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


def _without_denominators(ring: Ring, row: Sequence[Element]) -> list[Element]:
    if all(x.is_polynomial for x in row):
        return list(row)
    common: Any = ring.one_poly
    for x in row:
        common = common * (x.den / common.gcd(x.den))
    scale = Element(ring, common, ring.one_poly)
    return [x * scale for x in row]


def dependent_row(ring: Ring, a: Matrix) -> int | None:
    """Return the first row that is a combination of the rows before it, or None."""
    if rank(ring, a) == a.shape[0]:
        return None
    for i in range(a.shape[0]):
        if rank(ring, Matrix(a.rows[: i + 1], a.shape[1])) <= i:
            return i
    return None


def _require_square(a: Matrix) -> int:
    m, n = a.shape
    if m != n:
        raise InvalidExpression(f"expected a square matrix, got shape {a.shape}")
    return n


def matrix_det(a: Matrix) -> Expr:
    """Return the determinant of a matrix of expressions."""
    ring = ring_of(a.entries)
    return rebuild(determinant(ring, canonical_matrix(ring, a)))


def matrix_solve(a: Matrix, b: Matrix) -> Matrix:
    """Return the exact solution of a @ x = b for matrices of expressions."""
    if a.shape[0] != b.shape[0]:
        raise InvalidExpression(f"expected equal row counts, got {a.shape} and {b.shape}")
    ring = ring_of([*a.entries, *b.entries])
    return rebuild_matrix(solve(ring, canonical_matrix(ring, a), canonical_matrix(ring, b)))
