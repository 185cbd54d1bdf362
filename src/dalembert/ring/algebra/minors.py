"""Exact determinants and solutions over a ring, by minors, without division."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from dalembert.errors import InvalidExpression, SingularSystem, TooLarge
from dalembert.expr import Expr, Matrix
from dalembert.ring.canonical import canonical_matrix
from dalembert.ring.choose.build import ring_of
from dalembert.ring.decide import is_zero
from dalembert.ring.elements.element import common_denominator
from dalembert.ring.rebuild import rebuild, rebuild_matrix
from dalembert.ring.ring import Element, Ring

MAX_MINOR_TERMS = 200_000
MAX_MINORS = 50_000
# products of terms in all minors together: some seconds
MAX_PRODUCTS = 5_000_000


class Minors:
    """Minors of the leading rows, each computed once from smaller ones by Laplace's expansion.

    The entries are polynomials: `without_denominators` makes rows of such.

    D(S), for a set S of k columns, is the determinant of the first k rows at these columns:
    D(S) = Σ_{j ∈ S} ± a[k-1, j] D(S∖j). No division occurs, so every intermediate is itself a
    minor, canonical in the ring, and sparse rows cost only their entries.
    """

    def __init__(self, a: Matrix, ring: Ring, max_terms: int = MAX_MINOR_TERMS) -> None:
        self.ring = ring
        self.max_terms = max_terms
        # sparse rows first keep the table small; a row exchange flips every full minor alike
        order = sorted(range(a.shape[0]), key=lambda i: sum(len(x) for x in a.rows[i]))
        self.rows = [a.rows[i] for i in order]
        self.sign = -1 if sum(i > j for i, j in combinations(order, 2)) % 2 else 1
        self.table: dict[int, Element] = {0: ring.one}
        self.products = 0

    def __call__(self, columns: Sequence[int]) -> Element:
        """Return the minor of all rows at the given columns, times ``sign`` of the row order."""
        return self._minor(sum(1 << j for j in columns))

    def _minor(self, mask: int) -> Element:
        found = self.table.get(mask)
        if found is not None:
            return found
        row = self.rows[mask.bit_count() - 1]
        # D(S) = Σ_{j ∈ S} ± a[k-1, j] D(S∖j)
        total = self.ring.zero
        above = mask.bit_count() - 1
        for position, j in enumerate(_bits(mask)):
            if not row[j].is_empty:
                inner = self._minor(mask & ~(1 << j))
                if not inner.is_empty:
                    self._count(len(row[j]) * len(inner))
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


def without_denominators(ring: Ring, row: Sequence[Element]) -> tuple[list[Element], Element]:
    """Return a row times its least common denominator, which comes second."""
    whole, scale = list(row), ring.one
    # a root of a fraction brings denominators back: √(a/b) · √(a/b) = a/b
    while not all(x.is_polynomial for x in whole):
        top = common_denominator(whole)
        whole = [ring.polynomial(x.above(top)) for x in whole]
        scale = scale * ring.polynomial(ring.denominators.expanded(top))
    return whole, scale


def _bits(mask: int) -> list[int]:
    return [j for j in range(mask.bit_length()) if mask >> j & 1]


def determinant(ring: Ring, a: Matrix) -> Element:
    """Return det a for a square matrix of elements."""
    n = _require_square(a)
    rows, scale = [], ring.one
    for row in a.rows:
        whole, factor = without_denominators(ring, row)
        rows.append(whole)
        scale = scale * factor
    minors = Minors(Matrix(rows, n), ring)
    det = minors(range(n)) * minors.sign
    return det if scale is ring.one else det / scale


def cramer(
    ring: Ring, a: Matrix, b: Matrix, max_terms: int = MAX_MINOR_TERMS
) -> tuple[list[Element], Element]:
    """Return numerators n and the denominator d with a @ (n/d) = b, for one right side.

    Cramer's rule on shared minors of [a | b]: nⱼ = (-1)^(n-1-j) D(all columns but j),
    d = D(all columns but b).
    """
    n = _require_square(a)
    # a row times its denominators has the same solutions
    rows = [without_denominators(ring, row)[0] for row in a.beside(b).rows]
    minors = Minors(Matrix(rows, n + 1), ring, max_terms)
    d = minors(range(n))
    if is_zero(d):
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
