"""Whether an equilibrium is stable: by energy, by the sign of K, by eigenvalues in balls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations, product
from typing import TYPE_CHECKING

import flint

from dalembert.errors import InvalidSystem, TooLarge, Undecided
from dalembert.expr import Expr, Matrix, free_symbols, substitute, time
from dalembert.mechanics.equilibria.eigenvalues import eigenvalues
from dalembert.mechanics.equilibria.hurwitz import apart, both_ways, by_hurwitz, contradict
from dalembert.mechanics.equilibria.power import Power, depends_on_time, power_near_rest
from dalembert.mechanics.equilibria.statics import neutral_coordinates
from dalembert.mechanics.equilibria.verdict import Stability
from dalembert.mechanics.proofs.signs import Sign, inequality, sign_of
from dalembert.mechanics.small_motions.linearise import linearise
from dalembert.mechanics.small_motions.point import simplified, without_moduli
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
        if not _has_inertia(eq, lin, fixed, assumed):
            singular = sign_of(lin.M.det()).sign == 0
            fault = (
                "is singular there: other coordinates may do" if singular else "may be indefinite"
            )
            return Stability("undecided", f"M {fault}", neutral)
        if any(time in e.symbols for a in (lin.M, lin.D, lin.K) for e in a):
            return Stability("undecided", "the linear equations depend on time", neutral)
        return _verdict(lin, neutral, power, assumed)
    except InvalidSystem as error:
        return Stability("undecided", f"it cannot be linearised: {error}")
    except (TooLarge, Undecided) as error:
        return Stability("undecided", f"the linear equations are too involved: {error}")


def steady_stability(
    eq: Equations,
    point: dict[Expr, Expr],
    fixed: dict[Expr, Expr],
    assumed: Sequence[Expr],
    steady: Mapping[Expr, Expr],
) -> Stability:
    """Return the verdict on a relative equilibrium, in which some coordinates turn steadily.

    Where nothing feeds or takes energy, their momenta are constant. With these momenta held the
    deviations of the other coordinates have M δq̈ + D δq̇ + K δq = 0 with D gyroscopic; a positive
    definite K is a strict minimum of the effective potential: stable (Routh, Salvadori). Where
    det K < 0 a real eigenvalue is positive.
    """
    motion = {**point, **{q: rate * time for q, rate in steady.items()}}
    try:
        lin = linearise(eq, {**fixed, **motion}, positive=True)
    except (InvalidSystem, TooLarge, Undecided) as error:
        return Stability("undecided", f"it cannot be linearised: {error}")
    unused = neutral_coordinates(eq, fixed)
    neutral = tuple(q for q in unused if q not in steady)
    f = eq.forms
    forces = substitute([rebuild(x) for x in f.forces], fixed)
    is_free = all(e == 0 for e in forces) and f.dissipation.is_surely_zero and not f.A.shape[0]
    if not is_free:
        return Stability("undecided", "forces or constraints act on the steady motion", neutral)
    if depends_on_time(eq, fixed):
        return Stability("undecided", "the equations depend on time", neutral)
    if not _has_inertia(eq, lin, fixed, assumed):
        return Stability("undecided", "M is not certainly positive definite there", neutral)
    K = _with_momenta_held(eq, lin, unused)
    assumed = (*assumed, *_positive_parts(lin.M, assumed))
    signs = _principal_signs(K, _leading(range(K.shape[0])), assumed)
    definite = _definite_signs(K, assumed)
    if definite is not None:
        reason = "the effective potential has a strict minimum there (Routh)" + apart(definite)
        return Stability("stable", reason, neutral)
    if signs[-1].is_negative:
        reason = "det K < 0 with momenta held" + apart(signs[-1:])
        return Stability("unstable", reason, neutral)
    if all(s.is_positive or s.factors for s in signs):
        conditions = [inequality(s.factors, s.sign, ">") for s in signs if s.factors]
        reason = f"stable where {' and '.join(conditions)}"
        if K.shape[0] == 1:
            reason += f", unstable where {inequality(signs[0].factors, -signs[0].sign, '>')}"
        return Stability("depends on the parameters", reason, neutral)
    return Stability("undecided", "K with momenta held is not certainly definite", neutral)


def _with_momenta_held(eq: Equations, lin: Linearisation, neutral: Sequence[Expr]) -> Matrix:
    """Return K - D₁₂ M₂₂⁻¹ D₂₁ of the coordinates 1 that occur; 2 are those that do not."""
    first = [i for i, q in enumerate(eq.coordinates) if q not in neutral]
    second = [i for i, q in enumerate(eq.coordinates) if q in neutral]

    def part(a: Matrix, rows: list[int], columns: list[int]) -> Matrix:
        return Matrix([[a[i, j] for j in columns] for i in rows], len(columns))

    # M₂₁ δq̇₁ + M₂₂ δq̇₂ + D₂₁ δq₁ = δp = 0
    follow = part(lin.M, second, second).solve(part(lin.D, second, first))
    K = part(lin.K, first, first) - part(lin.D, first, second) @ follow
    return K._like([without_moduli(e) for e in simplified(K.entries)])


def _verdict(
    lin: Linearisation,
    neutral: tuple[Expr, ...],
    power: Power,
    assumed: Sequence[Expr],
) -> Stability:
    names = [f"delta{q.symbol.name}" for q in neutral if q.symbol]
    kept = [i for i, x in enumerate(lin.variables) if x.symbol and x.symbol.name not in names]
    K = _block(lin.K, kept)
    by_energy = _by_energy(lin, K, kept, power, assumed)
    numbers = [*lin.M, *lin.D, *lin.K]
    by_eigenvalues = None
    if not free_symbols(numbers):
        by_eigenvalues = _by_eigenvalues(lin, kept)
        found = by_energy or by_eigenvalues
    else:
        found = by_energy or by_hurwitz(lin, len(kept), assumed)
    # eigenvalues can say more than that the energy does not grow
    stronger = by_eigenvalues is not None and by_eigenvalues.verdict == "asymptotically stable"
    if stronger and found is not None and found.verdict == "stable":
        found = by_eigenvalues
    values = by_eigenvalues.eigenvalues if by_eigenvalues else ()
    if found is None or (found is by_eigenvalues and found.verdict == "undecided"):
        reason = found.reason if found else _why_open(K, power, assumed)
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


def _has_inertia(
    eq: Equations, lin: Linearisation, fixed: Mapping[Expr, Expr], assumed: Sequence[Expr]
) -> bool:
    """Tell whether M is positive definite: at the point, or because it is so everywhere."""
    if _is_definite(lin.M, assumed):
        return True
    signs = _definite_signs(eq.M.subs(fixed), ())
    return signs is not None and not any(s.nonzero for s in signs)


def _positive_parts(M: Matrix, assumed: Sequence[Expr]) -> list[Expr]:
    """Return the factors of a positive definite M that are positive, though it does not show."""
    n = M.shape[0]
    signs = _principal_signs(M, [*([i] for i in range(n)), range(n)], assumed)
    return [s.factors[0] * s.sign for s in signs if len(s.factors) == 1]


def _is_definite(a: Matrix, assumed: Sequence[Expr]) -> bool:
    return _definite_signs(a, assumed) is not None


def _definite_signs(a: Matrix, assumed: Sequence[Expr]) -> list[Sign] | None:
    """Return the leading minors if all are positive, in one of several orders of the rows."""
    if not equal(a, a.T):
        return None
    n = a.shape[0]
    up, down = tuple(range(n)), tuple(reversed(range(n)))
    for order in permutations(up) if n <= 3 else (up, down):
        signs = _principal_signs(a, _leading(order), assumed)
        if all(s.is_positive for s in signs):
            return signs
    return None


def _by_energy(
    lin: Linearisation, K: Matrix, kept: list[int], power: Power, assumed: Sequence[Expr]
) -> Stability | None:
    """Return what K and the energy say, or None."""
    if not kept or not equal(K, K.T):
        return None
    n = len(kept)
    leading = _principal_signs(K, _leading(range(n)), assumed)
    # neither gyroscopic nor circulatory, also in the rows of neutral coordinates
    is_plain = equal(lin.D, lin.D.T) and equal(lin.K, lin.K.T)
    definite = _definite_signs(K, assumed)
    if definite is not None:
        found = _at_a_minimum(lin, power, assumed)
        return found and found._replace(reason=found.reason + apart(definite))
    blocks = [rows for k in range(1, min(n, MAX_SIZE) + 1) for rows in combinations(range(n), k)]
    everything = _principal_signs(K, blocks, assumed)
    falling = [s for s in everything if s.is_negative] + _falling(K, assumed)
    if is_plain and falling:
        # of several reasons one that needs no exception
        best = min(falling, key=lambda s: len(s.nonzero))
        reason = "K has a negative direction and nothing gyroscopic acts: V has no minimum"
        return Stability("unstable", reason + apart([best]))
    damped = power == "lost" and _is_definite((lin.D + lin.D.T) / 2, assumed)
    if damped and falling:
        best = min(falling, key=lambda s: len(s.nonzero))
        reason = (
            "K has a negative direction and every motion is damped: gyroscopic forces do not hold "
            "it (Kelvin, Tait, Chetaev)"
        )
        return Stability("unstable", reason + apart([best]))
    if leading[-1].is_negative and n == len(lin.variables):
        reason = "det K < 0: a real eigenvalue is positive" + apart(leading[-1:])
        return Stability("unstable", reason)
    open_signs = [s for s in leading if s.factors]
    if power != "open" and open_signs and all(s.is_positive or s.factors for s in leading):
        if contradict(open_signs):
            return None
        where, elsewhere = both_ways(open_signs)
        other = "elsewhere gyroscopic forces may hold it"
        if is_plain or damped:
            other = f"unstable where {elsewhere}"
        kind = "asymptotically stable" if damped else "stable"
        reason = f"{kind} where {where}, {other}"
        return Stability("depends on the parameters", reason)
    return None


def _falling(K: Matrix, assumed: Sequence[Expr]) -> list[Sign]:
    """Return vᵀ K v where it is negative, for directions v of whole numbers -1, 0, 1."""
    n = K.shape[0]
    if n > MAX_SIZE:
        return []
    columns = [Matrix.column(v) for v in product((-1, 0, 1), repeat=n) if any(v)]
    signs = [sign_of((v.T @ K @ v)[0], assumed) for v in columns]
    return [s for s in signs if s.is_negative]


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
    values = tuple(complex(_middle(x.real), _middle(x.imag)) for x in found)
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


def _middle(x: flint.arb) -> float:
    """Return the middle of a ball, zero where it may be zero: a radius has no digits to show."""
    return 0.0 if x.contains(0) else float(x.mid())


def _number(v: complex) -> str:
    if abs(v.imag) <= 1e-12 * abs(v):
        return f"{v.real:.4g}"
    real = f"{v.real:.4g} " if abs(v.real) > 1e-12 * abs(v) else ""
    sign = "+ " if v.imag > 0 else "- "
    return f"{real}{sign if real or v.imag < 0 else ''}{abs(v.imag):.4g}i"


def _why_open(K: Matrix, power: Power, assumed: Sequence[Expr]) -> str:
    if K.shape[0] and all(x == 0 for x in K):
        return "K vanishes: the linear equations do not tell"
    if power == "open":
        return (
            "the forces have no potential, or may feed energy: give values of all parameters, so "
            "that eigenvalues tell"
        )
    if _falling(K, assumed):
        return (
            "K has a negative direction, and gyroscopic forces act: give values of all parameters"
        )
    return "K is not certainly definite: the linear equations do not tell"
