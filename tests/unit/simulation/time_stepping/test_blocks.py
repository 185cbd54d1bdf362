"""Single blocks of rows: their laws, checked without the block."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import as_expr
from dalembert.simulation.time_stepping.blocks import BoxBlock, ConeBlock, Side

ROUNDING = 1e-12
SOLVED = 1e-11
"""Velocities of a contact near the bound of its friction, where rounding grows."""

TURNS = 60
"""Newton's steps for the slide of a contact alone."""


def cone(mu: float):
    """Return a contact as a function: impulses and what is remembered, W's root Y, c."""
    entries, c = da.parameters("y0 y1 y2 y3 y4 y5 y6 y7 y8"), da.parameters("c0 c1 c2")
    p, (s,) = da.parameters("p0 p1 p2"), da.parameters("s")
    sides = [Side({k: entries[3 * i + k] for k in range(3)}, c[i]) for i in range(3)]
    block = ConeBlock(sides, as_expr(0), as_expr(mu))
    z = {k: sum(entries[3 * i + k] * p[i] for i in range(3)) for k in range(3)}
    new, memory = block.solved(p, block.velocities(z), [s])
    outputs = {"p": new, "s": memory[0], "r": block.residual(p, block.velocities(z))}
    run = da.compile_function(outputs, {"p": p, "s": s, "y": entries, "c": c})

    def solved(start, Y, c):
        p, s = np.array(start, float), 0.0
        for _ in range(TURNS):
            p, s, _ = run(p, s, np.ravel(Y), c)
        return p, float(run(p, s, np.ravel(Y), c)[2])

    return solved


def assert_coulomb(p: np.ndarray, u: np.ndarray, mu: float) -> None:
    """Check 0 ≤ n ⊥ u_n ≥ 0, and friction against the slide, within its cone."""
    size = np.hypot(*p[:2])
    assert p[2] >= 0
    assert u[2] >= -SOLVED
    assert abs(p[2] * u[2]) < SOLVED
    assert size <= mu * p[2] * (1 + ROUNDING) + 1e-14
    if np.hypot(*u[:2]) > SOLVED:
        # it slides: |t| = μ n, against u
        assert p[:2] == pytest.approx(-mu * p[2] * u[:2] / np.hypot(*u[:2]), abs=SOLVED)


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.0])
def test_a_contact_obeys_coulombs_law(mu: float, rng: np.random.Generator) -> None:
    solved, kinds = cone(mu), set()
    for _ in range(60):
        # coupling small enough for one solution
        Y = np.eye(3) + 0.15 * rng.normal(size=(3, 3))
        c = rng.normal(size=3) * [1, 1, 2]
        p, residual = solved([0, 0, 0], Y, c)
        u = c + Y @ Y.T @ p
        assert_coulomb(p, u, mu)
        assert residual < SOLVED
        kinds.add("open" if p[2] == 0 else "slides" if np.hypot(*u[:2]) > SOLVED else "sticks")
    assert kinds >= {"open", "slides"}
    assert "sticks" in kinds or mu == 0.1


@pytest.mark.parametrize("mu", [1.25, 2.0])
def test_friction_may_hold_a_contact_closed(mu: float) -> None:
    """A leg that stands obliquely: W_xn is large, and what it would do alone opens it."""
    W = np.array([[1.0, 0, 0.9], [0, 1, 0], [0.9, 0, 1]])
    Y, c = np.linalg.cholesky(W), np.array([1.0, 0, 0.1])
    solved = cone(mu)
    left, residual = solved([0, 0, 0], Y, c)
    assert left == pytest.approx(np.zeros(3), abs=0)
    assert residual < ROUNDING
    held, residual = solved([-3, 0, 3], Y, c)
    assert residual < ROUNDING
    assert held[2] > 1
    # it sticks
    assert held == pytest.approx(-np.linalg.solve(W, c), abs=ROUNDING)


def test_a_line_with_friction_and_stops() -> None:
    p, c = da.parameters("p"), da.parameters("c")
    block = BoxBlock(Side({0: as_expr(2)}, c[0]), as_expr(0.5), as_expr(-1), as_expr(3))
    (new,), _ = block.solved(p, block.velocities({0: 2 * p[0]}))
    run = da.compile_function(as_expr(new), {"p": p[0], "c": c[0]})
    # u = c + 4 p: friction up to 0.5 stops 2 m/s, then it slides, then the stops hold
    for free, impulse in ((1, -0.25), (-1.6, 0.4), (4, -0.5), (5, -0.5), (6, -0.75), (-4, 0.75)):
        assert run(0.3, free) == pytest.approx(impulse, abs=ROUNDING)
