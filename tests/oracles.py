"""Independent routes to the same equations: random points, SymPy's LagrangesMethod, plain NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import sympy as sp
from sympy.physics.mechanics import LagrangesMethod

import dalembert as da
from dalembert.expr import Kind

Values = dict[da.Expr, float]


class Random(Protocol):
    """What both `random.Random` and `numpy.random.Generator` can do."""

    def uniform(self, low: float, high: float, /) -> float: ...


def random_values(symbols: Iterable[da.Expr], rng: Random) -> Values:
    """Return floats for symbols: parameters in [0.4, 2], everything else in [-1.5, 1.5]."""
    values: Values = {}
    for x in symbols:
        assert x.symbol is not None
        positive = x.symbol.kind in (Kind.PARAMETER, Kind.TIME)
        values[x] = float(rng.uniform(0.4, 2.0) if positive else rng.uniform(-1.5, 1.5))
    return values


def random_state(eq: da.Equations, rng: Random) -> Values:
    """Return floats for every symbol that the equations can contain."""
    q = eq.coordinates
    motion = [*q, *eq.velocities, *(x.ddot for x in q), *eq.lam, da.time]
    found = [x for e in eq.system.expressions() for x in e.symbols]
    return random_values(dict.fromkeys([*motion, *found]), rng)


def column(a: da.Matrix, values: Mapping[da.Expr, Any]) -> np.ndarray:
    """Return a column as a flat array."""
    return a.evaluate(values)[:, 0]


def rates(eq: da.Equations, values: Mapping[da.Expr, float]) -> np.ndarray:
    """Return q̇ as an array."""
    return np.array([values[x] for x in eq.velocities])


class SympyDynamics(NamedTuple):
    """M q̈ + h = 0 as SymPy derived it, evaluated at a point."""

    M: np.ndarray
    h: np.ndarray


def lagranges_method(
    lagrangian: sp.Expr, coordinates: Sequence[Any]
) -> Callable[[Mapping[str, float]], SympyDynamics]:
    """Derive with SymPy, unsimplified; return a function of values by name.

    Names are those of the coordinates (``q``, ``q.dot``) and of the free symbols.
    """
    t = sp.Symbol("t")
    method = LagrangesMethod(lagrangian, list(coordinates))
    method.form_lagranges_equations()
    names = {x: x.func.__name__ for x in coordinates}
    names |= {x.diff(t): f"{x.func.__name__}.dot" for x in coordinates}
    names |= {x: x.name for x in lagrangian.free_symbols if isinstance(x, sp.Symbol)}
    f = sp.lambdify(list(names), [method.mass_matrix, method.forcing], modules="numpy", cse=True)

    def at(values: Mapping[str, float]) -> SympyDynamics:
        M, forcing = f(*(values[name] for name in names.values()))
        return SympyDynamics(np.asarray(M, float), -np.asarray(forcing, float)[:, 0])

    return at


def by_name(values: Mapping[da.Expr, float]) -> dict[str, float]:
    """Return the same values keyed by ``q``, ``q.dot``, ``m`` …."""
    dots = {0: "", 1: ".dot", 2: ".ddot"}
    return {x.symbol.name + dots[x.symbol.order]: v for x, v in values.items() if x.symbol}


def coriolis_from(mass: Callable[[np.ndarray], np.ndarray], q: np.ndarray, v: np.ndarray) -> Any:
    """Return C[k, j] = Σ_i ½ (∂M_kj/∂q_i + ∂M_ki/∂q_j - ∂M_ij/∂q_k) q̇_i by a complex step."""
    n, step = len(q), 1e-30
    dM = np.array([np.imag(mass(q + 1j * step * e)) / step for e in np.eye(n)])
    c = 0.5 * (np.einsum("ikj->ijk", dM) + np.einsum("jki->ijk", dM) - np.einsum("kij->ijk", dM))
    return np.einsum("ijk,i->kj", c, v)


def constrained_accelerations(
    M: np.ndarray, right: np.ndarray, A: np.ndarray, gamma: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Solve M q̈ - Aᵀλ = right, A q̈ = gamma as one linear system; return q̈ and λ."""
    n, m = len(right), len(gamma)
    kkt = np.block([[M, -A.T], [A, np.zeros((m, m))]])
    x = np.linalg.solve(kkt, np.concatenate([right, gamma]))
    return x[:n], x[n:]
