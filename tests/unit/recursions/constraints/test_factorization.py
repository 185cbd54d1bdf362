"""M x = b over floats, rationals and expressions, and that zeros of M stay."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import dalembert as da
from dalembert.expr import as_expr
from dalembert.expr.graph import postorder
from dalembert.mechanism import Builder
from dalembert.recursions.constraints.factorization import Inverse, factorise, solve_symmetric
from dalembert.recursions.dynamics.articulated import (
    articulated_bodies,
    forward_dynamics_by_mass_matrix,
    forward_dynamics_candidates,
)
from dalembert.recursions.tree import Tree


def test_against_numpy(rng: np.random.Generator) -> None:
    for n in range(1, 9):
        A = rng.normal(size=(n, n))
        M, b = A @ A.T + np.eye(n), rng.normal(size=n)
        x = solve_symmetric(M.tolist(), b.tolist())
        # backward stable: the residual is rounding
        assert np.abs(M @ x - b).max() < 1e-13 * np.linalg.norm(M) * max(1, np.abs(x).max())


def test_exact_over_rationals() -> None:
    M = [[2, 1, 0], [1, 3, 1], [0, 1, 2]]
    x = [Fraction(1, 7), Fraction(-2, 3), 5]
    b = [sum(m * k for m, k in zip(row, x, strict=True)) for row in M]
    assert solve_symmetric(M, b) == x


def test_branches_do_not_mix() -> None:
    """A root with n tips: n eliminations, each of one entry; nothing fills."""
    n = 10
    d = da.parameters(" ".join(f"d{i}" for i in range(n + 1)))
    e = da.parameters(" ".join(f"e{i}" for i in range(n + 1)))
    b = da.parameters(" ".join(f"b{i}" for i in range(n + 1)))
    M: list[list[Any]] = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(n + 1):
        M[i][i] = d[i]
        if i:
            M[0][i] = M[i][0] = e[i]
    graph = [as_expr(x) for x in solve_symmetric(M, b)]
    flops = sum(x.op in ("add", "sub", "mul", "div", "pow") for x in postorder(graph))
    # a tip: 1/d, l, two multiply-subtracts, b/d, one multiply-subtract; the root: 1/d, b/d
    assert flops == 9 * n + 2


def chain(n: int, **options: Any) -> Tree:
    builder = Builder("chain")
    for i in range(n):
        builder.link(f"l{i}", mass=1, com=(0.1, 0, 0), inertia=(1, 1, 1))
        more: dict[str, Any] = options if i else {}
        builder.revolute(f"j{i}", f"l{i}", origin=(0.3, 0, 0), **more)
    return Tree.of(builder.build())


def test_candidates() -> None:
    both = [articulated_bodies, forward_dynamics_by_mass_matrix]
    assert forward_dynamics_candidates(chain(7)) == both
    # thirty in line: M is too dear to be tried
    assert forward_dynamics_candidates(chain(30)) == [articulated_bodies]
    # joints that share a velocity
    tied = chain(3, mimic=("j0", 2, 0))
    assert forward_dynamics_candidates(tied) == [forward_dynamics_by_mass_matrix]


def test_columns_of_one_branch_reach_the_others_through_the_base() -> None:
    """Six places of a base, three branches of four: products counted by hand."""
    base, branches, length = 6, 3, 4
    paths = [list(range(i)) for i in range(base)]
    for branch in range(branches):
        first = base + branch * length
        paths += [[*range(base), *range(first, first + m)] for m in range(length)]
    n = len(paths)
    names = [f"l{k}_{i}" for k, row in enumerate(paths) for i in row]
    letters = dict(zip(names, da.parameters(" ".join(names)), strict=True))
    L = [{i: letters[f"l{k}_{i}"] for i in row} for k, row in enumerate(paths)]
    d = da.parameters(" ".join(f"d{k}" for k in range(n)))
    b = [*da.parameters(" ".join(f"b{k}" for k in range(base + length))), *[0] * (n - 10)]
    x = Inverse(L, L, list(d)).times(b)
    along = base * (base - 1) // 2 + sum(base + m for m in range(length))
    others = (branches - 1) * length * base
    assert (
        sum(node.op == "mul" for node in postorder([as_expr(e) for e in x]))
        == 2 * along + base + length + others
    )


def test_inverse_of_a_tree_is_the_inverse(rng: np.random.Generator) -> None:
    # M = Lᵀ D L with the zeros of two branches behind two joints
    L = np.eye(6) + np.tril(rng.normal(size=(6, 6)), -1)
    L[4:, 2:4] = 0
    M = L.T @ np.diag(rng.uniform(1, 2, 6)) @ L
    M[np.abs(M) < 1e-15] = 0
    inverse = factorise(M.tolist()).inverted()
    assert [sorted(row) for row in inverse.N] == [[], [0], [0, 1], [0, 1, 2], [0, 1], [0, 1, 4]]
    expected = np.linalg.inv(M)
    np.testing.assert_allclose(inverse.matrix(), expected, rtol=0, atol=1e-12)
    b = rng.normal(size=6)
    np.testing.assert_allclose(inverse.times(b.tolist()), expected @ b, rtol=0, atol=1e-12)
    np.testing.assert_allclose(inverse.negative().times(b.tolist()), -expected @ b, atol=1e-12)
