"""Whether an equilibrium is stable: by energy, by the sign of K, by eigenvalues in balls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations, product
from typing import TYPE_CHECKING

from dalembert.errors import InvalidSystem, TooLarge, Undecided
from dalembert.expr import Expr, Matrix, free_symbols, substitute
from dalembert.mechanics.equilibria.eigenvalues import eigenvalues
from dalembert.mechanics.equilibria.power import Power, power_near_rest
from dalembert.mechanics.equilibria.verdict import Stability
from dalembert.mechanics.proofs.signs import Sign, inequality, sign_of
from dalembert.mechanics.small_motions.linearise import linearise
from dalembert.ring import canonical_matrix, determinant, equal, rebuild, ring_of

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.mechanics.small_motions.linearisation import Linearisation

MAX_SIZE = 4
"""Largest K of which all principal minors are looked at."""


def stability(
    eq: Equations, point: dict[Expr, Expr], fixed: dict[Expr, Expr], assumed: Sequence[Expr]
) -> Stability:
    """Return the verdict on an exact equilibrium, where the ``assumed`` factors are positive.

    E = ½ q̇ᵀ M q̇ + V is a Lyapunov function where V has a strict minimum on the admissible positions
    (Lagrange and Dirichlet). Where K has a negative direction and neither gyroscopic nor
    circulatory forces act, M s² + D s + K is singular for some s > 0: unstable.
    """
    if eq.system.velocity_constraints:
        return Stability("undecided", "velocity constraints act, which are not linearised")
    try:
        lin = linearise(eq, {**fixed, **point}, positive=True)
        neutral = neutral_coordinates(eq, fixed)
        power = power_near_rest(eq, fixed)
        return _verdict(lin, neutral, power, assumed)
    except InvalidSystem as error:
        return Stability("undecided", f"it cannot be linearised: {error}")
    except (TooLarge, Undecided) as error:
        return Stability("undecided", f"the linear equations are too involved: {error}")


def neutral_coordinates(eq: Equations, fixed: Mapping[Expr, Expr]) -> tuple[Expr, ...]:
    """Return the coordinates that occur nowhere in the equations, and that no constraint moves."""
    f = eq.forms
    parts = [x for a in (f.M, f.C, f.N, f.forces, f.A) for x in a]
    used = {s for e in substitute([rebuild(x) for x in parts], fixed) for s in e.symbols}
    bound = {k for row in f.A.rows for k, x in enumerate(row) if not x.is_zero}
    return tuple(q for k, q in enumerate(eq.coordinates) if q not in used and k not in bound)


def _verdict(
    lin: Linearisation,
    neutral: tuple[Expr, ...],
    power: Power,
    assumed: Sequence[Expr],
) -> Stability:
    names = [f"delta{q.symbol.name}" for q in neutral if q.symbol]
    kept = [i for i, x in enumerate(lin.variables) if x.symbol and x.symbol.name not in names]
    K = _block(lin.K, kept)
    if not _is_definite(lin.M, assumed):
        singular = sign_of(lin.M.det()).sign == 0
        fault = "is singular there: other coordinates may do" if singular else "may be indefinite"
        return Stability("undecided", f"M {fault}", neutral)
    by_energy = _by_energy(lin, K, kept, power, assumed)
    numbers = [*lin.M, *lin.D, *lin.K]
    by_eigenvalues = None
    if not free_symbols(numbers):
        by_eigenvalues = _by_eigenvalues(lin, kept)
    found = by_energy or by_eigenvalues
    # eigenvalues can say more than that the energy does not grow
    stronger = by_eigenvalues is not None and by_eigenvalues.verdict == "asymptotically stable"
    if stronger and found is not None and found.verdict == "stable":
        found = by_eigenvalues
    values = by_eigenvalues.eigenvalues if by_eigenvalues else ()
    if found is None or (found is by_eigenvalues and found.verdict == "undecided"):
        reason = found.reason if found else _why_open(K, power)
        return Stability("undecided", reason, neutral, values)
    return found._replace(neutral=neutral, eigenvalues=values)


def _block(a: Matrix, rows: Sequence[int]) -> Matrix:
    return Matrix([[a[i, j] for j in rows] for i in rows], len(rows))


def _principal_signs(
    a: Matrix, blocks: Sequence[Sequence[int]], assumed: Sequence[Expr]
) -> list[Sign]:
    ring = ring_of(a.entries)
    elements = canonical_matrix(ring, a)
    return [sign_of(rebuild(determinant(ring, _block(elements, rows))), assumed) for rows in blocks]


def _leading(order: Sequence[int]) -> list[Sequence[int]]:
    return [order[:k] for k in range(1, len(order) + 1)]


def _is_definite(a: Matrix, assumed: Sequence[Expr]) -> bool:
    """Tell whether the leading minors are positive, in one of several orders of the rows."""
    n = a.shape[0]
    up, down = tuple(range(n)), tuple(reversed(range(n)))
    orders = permutations(up) if n <= 3 else (up, down)
    return equal(a, a.T) and any(
        all(s.is_positive for s in _principal_signs(a, _leading(order), assumed))
        for order in orders
    )


def _by_energy(
    lin: Linearisation, K: Matrix, kept: list[int], power: Power, assumed: Sequence[Expr]
) -> Stability | None:
    """Return what K and the energy say, or None."""
    if not kept or not equal(K, K.T):
        return None
    n = len(kept)
    leading = _principal_signs(K, _leading(range(n)), assumed)
    is_plain = equal(lin.D, lin.D.T)
    if _is_definite(K, assumed):
        return _at_a_minimum(lin, power, assumed)
    blocks = [rows for k in range(1, min(n, MAX_SIZE) + 1) for rows in combinations(range(n), k)]
    everything = _principal_signs(K, blocks, assumed)
    if is_plain and (any(s.is_negative for s in everything) or _falls(K, assumed)):
        return Stability(
            "unstable", "K has a negative direction and nothing gyroscopic acts: V has no minimum"
        )
    if leading[-1].is_negative and n == len(lin.variables):
        return Stability("unstable", "det K < 0: a real eigenvalue is positive")
    if power != "open" and all(s.is_positive or s.factors for s in leading):
        conditions = [inequality(s.factors, s.sign, ">") for s in leading if s.factors]
        against = [inequality(s.factors, -s.sign, ">") for s in leading if s.factors]
        other = f"unstable where {' or '.join(against)}" if is_plain else "gyroscopic elsewhere"
        reason = f"stable where {' and '.join(conditions)}, {other}"
        return Stability("depends on the parameters", reason)
    return None


def _falls(K: Matrix, assumed: Sequence[Expr]) -> bool:
    """Tell whether vᵀ K v is negative for a direction of whole numbers -1, 0, 1."""
    n = K.shape[0]
    if n > MAX_SIZE:
        return False
    for v in product((-1, 0, 1), repeat=n):
        column = Matrix.column(v)
        if any(v) and sign_of((column.T @ K @ column)[0], assumed).is_negative:
            return True
    return False


def _at_a_minimum(lin: Linearisation, power: Power, assumed: Sequence[Expr]) -> Stability | None:
    """Return the verdict where K is positive definite."""
    if power == "open":
        return None
    if power == "kept":
        return Stability(
            "stable", "V has a strict minimum there and the energy is kept (Lagrange, Dirichlet)"
        )
    symmetric = (lin.D + lin.D.T) / 2
    if _is_definite(symmetric, assumed):
        return Stability(
            "asymptotically stable", "V has a strict minimum there and every motion is damped"
        )
    return Stability("stable", "V has a strict minimum there and the energy never grows")


def _by_eigenvalues(lin: Linearisation, kept: list[int]) -> Stability | None:
    """Return what the eigenvalues say, in balls."""
    found = eigenvalues(lin.M, lin.D, lin.K, kept)
    if found is None:
        return None
    values = tuple(complex(float(x.real.mid()), float(x.imag.mid())) for x in found)
    shown = ", ".join(_number(v) for v in sorted(values, key=lambda v: -v.real))
    if any(x.real > 0 for x in found):
        return Stability("unstable", f"eigenvalues {shown}", (), values)
    if all(x.real < 0 for x in found):
        return Stability("asymptotically stable", f"eigenvalues {shown}", (), values)
    return Stability(
        "undecided",
        f"eigenvalues {shown}: some on the imaginary axis, none to its right",
        (),
        values,
    )


def _number(v: complex) -> str:
    if abs(v.imag) <= 1e-12 * abs(v):
        return f"{v.real:.4g}"
    real = f"{v.real:.4g} " if abs(v.real) > 1e-12 * abs(v) else ""
    sign = "+ " if v.imag > 0 else "- "
    return f"{real}{sign if real or v.imag < 0 else ''}{abs(v.imag):.4g}i"


def _why_open(K: Matrix, power: Power) -> str:
    if K.shape[0] and all(x == 0 for x in K):
        return "K vanishes: the linear equations do not tell"
    if power == "open":
        return (
            "the forces have no potential, or may feed energy: give values of all parameters, so "
            "that eigenvalues tell"
        )
    return "K is neither definite nor certainly indefinite: the linear equations do not tell"
