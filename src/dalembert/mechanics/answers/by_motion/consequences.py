"""Decide what follows from the equations of motion, and whether they follow back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.errors import DivisionByZero, SingularSystem, Undecided
from dalembert.expr import Expr, Matrix, substitute
from dalembert.mechanics.answers.at_a_point import (
    CLEAR,
    differs_on_constraints,
    places,
    value_and_size,
)
from dalembert.mechanics.answers.grade import Extent
from dalembert.mechanics.answers.on_constraints import vanishes_on_constraints
from dalembert.mechanics.answers.terms import is_affine, vanishes
from dalembert.mechanics.equations.closed_form import closed_form
from dalembert.mechanics.proofs.identity import ring_for
from dalembert.ring import (
    Element,
    Ring,
    canonical,
    canonical_all,
    canonical_matrix,
    determinant,
    partials,
    rebuild,
    solve,
)

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.types import Array


def follows(eq: Equations, rows: Sequence[Element], x: Element) -> bool | None:
    """Tell whether x = 0 in every motion; None if it does on the constraints only.

    With w = (q̈, λ) the residuals of Lagrange's equations and the second rates of the constraints
    are r = B w + …. An equation x = g w + … follows if x - K r with K B = g vanishes where the
    constraints hold.

    Raises:
        Undecided: neither a proof nor a motion along which it fails was found.
        TooLarge: the proof exceeds its limits.
    """
    if differs_on_constraints(eq, x):
        return False
    ring = x.ring
    if eq.lam and vanishes_on_constraints(eq, ring.polynomial(x.over_one().den)):
        # divided by a constraint it has no meaning
        return False
    try:
        rest = _without_accelerations(eq, [*rows, *_second_rates(eq, ring)], x)
    except SingularSystem:
        rest = None
    except DivisionByZero:
        # 1/0 along every motion
        return False
    if rest is not None:
        if vanishes(rest):
            return True
        if eq.lam and vanishes_on_constraints(eq, rest):
            return None
        if not eq.lam and (places(eq, ring) or _is_regular(eq)):
            return False
    raise Undecided(
        "expected to decide whether the equation follows from those of motion, got neither a proof "
        "nor a motion along which it fails: write it without using the constraints"
    )


def _is_regular(eq: Equations) -> bool:
    """Tell whether M is certainly regular, so that its equations say nothing of q and q̇ alone."""
    return determinant(eq.ring, eq.forms.M).is_surely_nonzero


def _without_accelerations(eq: Equations, r: Sequence[Element], x: Element) -> Element:
    """Return x - K r, in which accelerations and multipliers have gone."""
    ring, w = x.ring, [*eq.system.accelerations, *eq.lam]
    if not is_affine(x, w):
        # put the solution in
        q2, lam = closed_form(eq)
        values = dict(zip(w, [*q2.entries, *lam.entries], strict=True))
        (e,) = substitute([rebuild(x)], values)
        return canonical(ring_for(eq, [e]), e)
    d = partials(ring, w)
    g = [dj(x) for dj in d]
    used = [k for k, y in enumerate(g) if not y.is_surely_zero]
    if not used:
        return x
    B = Matrix([[dj(y) for dj in d] for y in r])
    K = solve(ring, B.T, Matrix.column(g))
    return x - Matrix.column(list(K.entries)).dot(Matrix.column(list(r)))


def _second_rates(eq: Equations, ring: Ring) -> list[Element]:
    """Return A q̈ + Ȧ q̇ + ḃ, zero along every motion."""
    if not eq.lam:
        return []
    f = eq.forms
    found = f.A @ eq.second_rates + f.Ad @ eq.rates + f.drift_rate
    if ring is eq.ring:
        return list(found.entries)
    return [canonical(ring, rebuild(x)) for x in found.entries]


def extent(eq: Equations, given: Sequence[Element]) -> Extent | None:
    """Return how much of the motion equations determine, beside the constraints.

    They are complete if they and A q̈ + … = 0 have one solution q̈, at a point of a motion and so
    almost everywhere. The equations are linear in q̈ and λ. None says that no such point is known:
    M may be singular everywhere.
    """
    import numpy as np

    n, m = len(eq.coordinates), len(eq.lam)
    if not given:
        return Extent(0, n)
    ring = given[0].ring
    if not places(eq, ring):
        # other equations may have functions without a value along motions, as √r of a residual
        exprs = [rebuild(x) for x in given]
        ring = ring_for(eq, exprs)
        given = canonical_all(ring, exprs)
    w = [*eq.system.accelerations, *eq.lam]
    d = partials(ring, w)
    table = [[dj(x) for dj in d] for x in given]
    has_multipliers = any(not x.is_surely_zero for row in table for x in row[n:])
    found: list[Extent] = []
    for at, _ in places(eq, ring):
        pairs = np.array([[value_and_size(x, at) for x in row] for row in table])
        J, sizes = pairs.reshape(-1, n + m, 2).transpose(2, 0, 1)
        if not np.isfinite(J).all():
            continue
        A = eq.A.evaluate(_values_of(ring, at)) if m else np.zeros((0, n))
        bound = _rank(A, abs(A))
        # rows of the second rates of the constraints have no λ
        A = np.hstack([A, np.zeros((len(A), m))])
        said = _rank(np.vstack([A, J]), np.vstack([abs(A), sizes])) - bound
        found.append(Extent(said, n if has_multipliers else n - bound))
    return max(found, default=None)


def repeats_constraints(eq: Equations, x: Element) -> bool:
    """Tell whether an equation without effect on q̈ is a constraint or one of its rates.

    Then its slopes by q̈, else by q̇, else by q, which are not all zero, are combinations of the
    rows of A: no admissible displacement changes them. A factor that is itself zero on the
    constraints, as in (x + y) m ẍ = 0 with x + y = 0, makes none.
    """
    ring = x.ring
    if not eq.lam or any(z in ring.index and x.involves(ring.index[z]) for z in eq.lam):
        return False
    for symbols in (eq.system.accelerations, eq.velocities, eq.coordinates):
        slopes = [d(x) for d in partials(ring, symbols)]
        if not all(y.is_surely_zero for y in slopes):
            break
    if all(vanishes_on_constraints(eq, y) for y in slopes):
        return False
    Z = canonical_matrix(ring, eq.virtual_displacements())
    changes = Matrix([slopes]) @ Z
    return all(vanishes_on_constraints(eq, y) for y in changes.entries)


def is_linear(eq: Equations, x: Element) -> bool:
    """Tell whether an equation, over one denominator, is linear in q̈ and λ."""
    numerator = x.ring.polynomial(x.over_one().num)
    return is_affine(numerator, (*eq.system.accelerations, *eq.lam))


def _values_of(ring: Ring, at: Sequence[float]) -> dict[Expr, float]:
    return {g: v for g, v in zip(ring.generators, at, strict=True) if g.op == "symbol"}


def _rank(a: Array, sizes: Array) -> int:
    """Return the number of singular values that count; rows are scaled to length 1.

    A row that is small beside its largest terms is zero.
    """
    import numpy as np

    lengths = np.linalg.norm(a, axis=1)
    rows = lengths > CLEAR * np.linalg.norm(sizes, axis=1)
    s = np.linalg.svd(a[rows] / lengths[rows, None], compute_uv=False) if rows.any() else []
    return int(np.sum(np.asarray(s) > CLEAR))
