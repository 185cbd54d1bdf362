"""M x = b over floats, rationals and expressions, and that zeros of M stay."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import dalembert as da
from dalembert.expr import as_expr
from dalembert.expr.graph import postorder
from dalembert.mechanism import Builder
from dalembert.recursions.constraints.factorization import solve_symmetric
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
