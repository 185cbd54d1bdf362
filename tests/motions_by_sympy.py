"""Points of motions by SymPy and NumPy alone: what judges answers has no part in grading them."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

import dalembert as da

NEWTON_STEPS = 60
TRIES = 40
CLOSED = 1e-12
"""Residual of the constraints at a point of a motion."""

t = sp.Symbol("t")


class Judge:
    """Lagrange's equations of a system by SymPy's derivatives, solved at random points."""

    def __init__(self, system: da.System) -> None:
        self.q = [da.to_sympy(q) for q in system.coordinates]
        v = [x.diff(t) for x in self.q]
        n = len(v)
        self.order = [*(x.diff(t, 2) for x in self.q), *v, *self.q]
        self.plain = sp.symbols(f"a:{n} v:{n} q:{n}")
        L, R = (da.to_sympy(x) for x in (system.lagrangian, system.dissipation))
        rows = [
            L.diff(d).diff(t) - L.diff(x) + R.diff(d) - da.to_sympy(f)
            for x, d, f in zip(self.q, v, system.forces, strict=True)
        ]
        a = [da.to_sympy(x) for x in system.constraints]
        phi = [*(x.diff(t) for x in a), *map(da.to_sympy, system.velocity_constraints)]
        self.lam = [sp.Symbol(f"lam{i + 1}") for i in range(len(phi))]
        A = [[x.diff(d) for d in v] for x in phi]
        M = [[x.diff(y) for y in self.order[:n]] for x in rows]
        k, m = len(a), len(phi)
        self.shapes = [(k, 1), (k, n), (m, 1), (m, n), (n, n), (n + m, 1)]
        zero = dict.fromkeys(self.plain[:n], 0)
        rates = [x.diff(t) for x in phi]
        slopes = [x.diff(y) for x in a for y in self.q]
        entries = [*a, *slopes, *phi, *(x for row in [*A, *M] for x in row)]
        flat = [*map(self.flat, entries), *(self.flat(x).subs(zero) for x in [*rows, *rates])]
        free = {s for x in [*flat, *map(da.to_sympy, system.parameters)] for s in x.free_symbols}
        self.others = sorted(free - set(self.plain) - {t}, key=str)
        self.symbols = [*self.others, *self.plain, t]
        self.parts = sp.lambdify(self.symbols, flat, "math", cse=True)

    def flat(self, x: sp.Expr) -> sp.Expr:
        """Return an expression with plain symbols for q, q̇ and q̈."""
        for old, new in zip(self.order, self.plain, strict=True):
            x = sp.sympify(x.subs(old, new))
        return x

    def point(self, draw: random.Random) -> dict[Any, float]:
        """Return a point of a motion: q and q̇ on the constraints, q̈ and λ of the equations."""
        for _ in range(TRIES):
            # roots and logarithms are defined at some points only
            with contextlib.suppress(ValueError, ZeroDivisionError):
                return self._point(draw)
        raise AssertionError("no point of a motion found")

    def _point(self, draw: random.Random) -> dict[Any, float]:
        n, m = len(self.q), len(self.lam)
        at = {x: draw.uniform(0.5, 1.5) for x in self.others}
        at |= {x: draw.uniform(0.2, 1.2) for x in self.plain}
        at[t] = draw.uniform(0.2, 1.2)
        q, v = self.plain[2 * n :], self.plain[n : 2 * n]
        for _ in range(NEWTON_STEPS):
            error, slope, *_ = self.numbers(at)
            if abs(error).max(initial=0) < CLOSED:
                break
            step = np.linalg.lstsq(slope, -error[:, 0], rcond=None)[0]
            at |= {x: at[x] + d for x, d in zip(q, step, strict=True)}
        error, _, phi, A, *_ = self.numbers(at)
        assert abs(error).max(initial=0) < CLOSED
        if m:
            step = np.linalg.lstsq(A, -phi[:, 0], rcond=None)[0]
            at |= {x: at[x] + d for x, d in zip(v, step, strict=True)}
        _, _, _, A, M, rest = self.numbers(at)
        left = np.block([[M, -A.T], [A, np.zeros((m, m))]])
        found = np.linalg.solve(left, -rest[:, 0])
        return at | dict(zip([*self.plain[:n], *self.lam], map(float, found), strict=True))

    def numbers(self, at: dict[Any, float]) -> list[np.ndarray]:
        """Return a, its slopes, φ, A, M and the rest of the equations at a point."""
        values = np.array(self.parts(*(at[x] for x in self.symbols)), dtype=float)
        ends = np.cumsum([m * n for m, n in self.shapes])
        return [x.reshape(s) for x, s in zip(np.split(values, ends[:-1]), self.shapes, strict=True)]

    def errors(self, rows: Sequence[sp.Expr], at: dict[Any, float]) -> dict[bool, float]:
        """Return the largest residual beside its largest term: for λ of any signs, and as it is."""
        found = {}
        for signs in product((1, -1), repeat=len(self.lam)):
            here = at | {x: s * at[x] for x, s in zip(self.lam, signs, strict=True)}
            found[signs] = max(residual(row, here) for row in rows)
        return {True: min(found.values()), False: found[(1,) * len(self.lam)]}


def residual(row: sp.Expr, at: dict[Any, float]) -> float:
    """Return |row| beside its largest term."""
    symbols: list[Any] = sorted(row.free_symbols, key=str)
    values = sp.lambdify(symbols, sp.Add.make_args(row), "numpy")(
        *(complex(at[x]) for x in symbols)
    )
    return abs(sum(values)) / max([*map(abs, values), 1e-300])
