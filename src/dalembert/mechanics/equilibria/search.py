"""Numerical equilibria: Newton's method from many starts, each result checked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from dalembert.errors import EvaluationError, Undecided
from dalembert.expr import Expr, Matrix, as_expr, jacobian
from dalembert.mechanics.equilibria.defined import is_defined_at
from dalembert.mechanics.equilibria.equilibrium import Equilibria, Equilibrium
from dalembert.mechanics.equilibria.numerical_stability import numerical_stability
from dalembert.mechanics.equilibria.periods import periods

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.mechanics.equilibria.statics import Statics
    from dalembert.types import Array

STARTS = 400
STEPS = 60
REACH = 5.0
SAME = 1e-6
MAX_FOUND = 60
TOLERANCE = 1e-10
SETTLED = 1e-5
"""Newton's last step beside 1 + |x|: where forces only fade, far away, the steps stay long."""
FAR = 1e8


def numerical_equilibria(
    eq: Equations, problem: Statics, ranges: Mapping[Expr, tuple[float, float]]
) -> Equilibria:
    """Return the equilibria that Newton's method finds from random starts.

    Angles start anywhere, other coordinates within their ``ranges``, by default ±5. That all are
    found is likely, not certain. A coordinate that does not occur has any value.
    """
    import numpy as np

    used = {s for e in problem.equations for s in e.symbols}
    free = tuple(q for q in problem.coordinates if q not in used)
    q = [x for x in problem.coordinates if x in used]
    unknowns = [*q, *problem.multipliers]
    period = periods(problem.equations, q)
    rng = np.random.default_rng(1743)
    x = np.empty((STARTS, len(unknowns)))
    for k, symbol in enumerate(unknowns):
        half = period.get(symbol, 2 * REACH) / 2
        low, high = ranges.get(symbol, (-half, half))
        x[:, k] = rng.uniform(low, high, STARTS)
    # λ enters linearly: its best value for the given q
    places = [k for k, symbol in enumerate(unknowns) if symbol in problem.multipliers]
    x = _newton(problem.equations, unknowns, x, places)
    found: list[Equilibrium] = []
    points: list[Array] = []
    widths = np.array([period.get(symbol, np.inf) for symbol in q])
    for row in x[np.argsort(np.abs(x[:, : len(q)]).sum(axis=1))]:
        at = _wrapped(row[: len(q)], widths)
        if any(np.abs(_wrapped(at - other, widths)).max(initial=0) < SAME for other in points):
            continue
        if not _within(at, q, ranges):
            continue
        values = dict(zip(q, at.tolist(), strict=True)) | dict.fromkeys(free, 0.0)
        if not is_defined_at(eq, {x: float(v) for x, v in problem.values.items()} | values):
            continue
        points.append(at)
        lam = row[len(q) :].tolist()
        residual = float(np.abs(_values(problem.equations, unknowns, row[None])).max(initial=0))
        ordered = {c: as_expr(values[c]) for c in problem.coordinates}
        found.append(
            Equilibrium(
                ordered,
                tuple(as_expr(v) for v in lam),
                (),
                free,
                is_exact=False,
                residual=residual,
                judge=partial(numerical_stability, eq, values, lam, problem.values),
            )
        )
        if len(found) > MAX_FOUND:
            raise Undecided(
                f"expected isolated equilibria, got more than {MAX_FOUND} from {STARTS} starts: "
                "they seem to form a continuum; fix some coordinates by constraints"
            )
    return Equilibria(sorted(found, key=lambda e: [float(v) for v in e.point.values()]))


def _values(equations: tuple[Expr, ...], unknowns: list[Expr], x: Array) -> Array:
    return _table(equations, unknowns, x, (len(equations), 1))[:, :, 0]


def _table(
    entries: tuple[Expr, ...], unknowns: list[Expr], x: Array, shape: tuple[int, int]
) -> Array:
    """Return expressions at every start, ``(starts, *shape)``; NaN where they are not defined."""
    import numpy as np

    from dalembert.expr.evaluate import evaluate_array

    known = {u: x[:, k] for k, u in enumerate(unknowns)}
    try:
        return np.broadcast_to(evaluate_array(entries, known, shape), (len(x), *shape))
    except EvaluationError:
        if len(x) == 1:
            return np.full((1, *shape), np.nan)
        middle = len(x) // 2
        halves = [_table(entries, unknowns, part, shape) for part in (x[:middle], x[middle:])]
        return np.concatenate(halves)


def _newton(
    equations: tuple[Expr, ...], unknowns: list[Expr], x: Array, linear: list[int]
) -> Array:
    """Return the starts from which Newton's method converges, at their ends."""
    import numpy as np

    J: Matrix = jacobian(list(equations), unknowns)
    for step in range(STEPS):
        f, slopes, x = _at(equations, J, unknowns, x)
        if not len(x):
            return x
        only = linear if step == 0 and linear else list(range(len(unknowns)))
        inverse = np.linalg.pinv(slopes[:, :, only], rcond=1e-10)
        moved = np.zeros_like(x)
        moved[:, only] = -np.einsum("nij,nj->ni", inverse, f)
        x = x + moved
        x = x[np.abs(x).max(axis=1, initial=0) < FAR]
    f, slopes, x = _at(equations, J, unknowns, x)
    scale = 1 + np.abs(slopes).max(axis=(1, 2), initial=0)
    step = np.einsum("nij,nj->ni", np.linalg.pinv(slopes, rcond=1e-10), f)
    is_small = np.abs(f).max(axis=1, initial=0) <= TOLERANCE * scale
    is_settled = np.abs(step).max(axis=1, initial=0) <= SETTLED * (1 + np.abs(x).max(axis=1))
    return x[is_small & is_settled]


def _at(
    equations: tuple[Expr, ...], J: Matrix, unknowns: list[Expr], x: Array
) -> tuple[Array, Array, Array]:
    """Return values, slopes and the starts where both are defined."""
    import numpy as np

    f = _values(equations, unknowns, x)
    slopes = _table(J.entries, unknowns, x, J.shape)
    ok = np.isfinite(f).all(axis=1) & np.isfinite(slopes).all(axis=(1, 2))
    return f[ok], slopes[ok], x[ok]


def _wrapped(x: Array, widths: Array) -> Array:
    """Return angles between -π and π; the end -π counts as π."""
    import numpy as np

    finite = np.isfinite(widths)
    result = x.copy()
    w = widths[finite]
    turned = result[finite] - w * np.round(result[finite] / w)
    result[finite] = np.where(turned <= -w / 2 * (1 - 1e-9), turned + w, turned)
    return result


def _within(at: Array, q: list[Expr], ranges: Mapping[Expr, tuple[float, float]]) -> bool:
    limits = [ranges.get(symbol) for symbol in q]
    return all(r is None or r[0] <= v <= r[1] for v, r in zip(at, limits, strict=True))
