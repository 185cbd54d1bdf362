"""Contacts and dry frictions at a state: gaps, velocities, directions, bounds and responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.expr import Expr, tangent
from dalembert.simulation.constraints.rounding import rounding_bounds
from dalembert.simulation.laws.base import Row, flow_of_positions
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from dalembert.model import Model

STILL = 1e-10
"""A velocity that is this part of its terms is rounding where constraints let nothing move."""

EVEN = 1e-10
"""An acceleration that is this part of what it is the sum of is zero."""

DEPENDENT = 1e-12
"""Directions in which a force moves this part of what it would alone carry no force."""


class RowValues(NamedTuple):
    """All k rows at a state; ``P`` is M⁻¹ on the velocities that the constraints of a model allow.

    ``gap_terms`` and ``u_terms`` are the sizes of the terms of gap and u (`rounding_bounds`).

    A force z changes q̈ by P Aᵀ z, and the multipliers of constraints by ``share`` Aᵀ z. Of rows
    that are ``immobile`` no force changes the motion: constraints alone say how they move.
    ``alone`` is the diagonal of A M⁻¹ Aᵀ, how mobile they would be without constraints.
    ``energy_speed`` is √(q̇ᵀ M q̇): times the root of ``alone`` the fastest that a row may move.
    ``moved`` is K q̇ of the constraints, not zero where one is driven: λᵀ K q̇ is the drive's power.
    """

    gap: np.ndarray
    u: np.ndarray
    grip: np.ndarray
    A: np.ndarray
    bias: np.ndarray
    drift: np.ndarray
    kinetic: np.ndarray
    static: np.ndarray
    own: np.ndarray
    push: np.ndarray
    gap_terms: np.ndarray
    u_terms: np.ndarray
    P: np.ndarray
    share: np.ndarray
    immobile: np.ndarray
    moved: np.ndarray
    alone: np.ndarray
    energy_speed: float

    @property
    def pressing(self) -> np.ndarray:
        """What is positive where a soft contact acts."""
        return np.minimum(-self.gap, self.grip)

    def impulses(self, which: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Return z of some rows that changes their u: A P Aᵀ z = change."""
        A = self.A[which]
        return scaled_solution(A @ self.P @ A.T, change, self.alone[which])

    def power_in(self, z: np.ndarray) -> float:
        """Return the power that comes in with forces z, or the work with impulses.

        It comes from surfaces that move, and from drives, which feel these forces.
        """
        return float(self.moved @ (self.share @ (self.A.T @ z)) - z @ self.drift)

    def change(self, which: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Return the smallest δ of q̇ with A δ = change, measured by the kinetic energy: P Aᵀ z."""
        return self.P @ self.A[which].T @ self.impulses(which, change)

    def without(self, which: np.ndarray) -> np.ndarray:
        """Return P on the velocities along which some rows do not move."""
        B = self.A[which] @ self.P
        return self.P - B.T @ self.impulses(which, B)


NUM_READ = RowValues._fields.index("P")


class Raw(NamedTuple):
    """What compiled code reads of the rows; see `RowValues`."""

    gap: np.ndarray
    u: np.ndarray
    grip: np.ndarray
    A: np.ndarray
    bias: np.ndarray
    drift: np.ndarray
    kinetic: np.ndarray
    static: np.ndarray
    own: np.ndarray
    push: np.ndarray
    gap_terms: np.ndarray
    u_terms: np.ndarray


class Rows:
    """The rows of a model, compiled."""

    def __init__(self, model: Model, rows: Sequence[Row], *, is_constrained: bool) -> None:
        self.rows = tuple(rows)
        self.is_constrained = is_constrained
        expressions = [x for row in rows for x in row if isinstance(x, Expr)]
        inputs, key = state_symbols(model), ("laws", self.rows)
        self._read = compiled(model, key, lambda: self._outputs(model), inputs, expressions)
        self.moving = compiled(
            model, ("moving laws", self.rows), lambda: _moving(self.rows), inputs, expressions
        )
        """Gaps, velocities and grips of soft contacts by (t, q, q̇), of one state or many."""

    def _outputs(self, model: Model) -> dict[str, list]:
        q, v = model.symbols.q, model.symbols.qd
        rest = dict.fromkeys(v, 0)
        u = [row.velocity for row in self.rows]
        found = {
            **_moving(self.rows),
            "A": [[e.diff(x) for x in v] for e in u],
            # u̇ = A q̈ + bias
            "bias": tangent(u, flow_of_positions(model)),
            "drift": [e.subs(rest) for e in u],
            "kinetic": [row.kinetic for row in self.rows],
            "static": [row.static for row in self.rows],
            "own": [row.own for row in self.rows],
            "push": [0 if row.push is None else row.push for row in self.rows],
            "gap_terms": rounding_bounds(_moving(self.rows)["gap"]),
            "u_terms": rounding_bounds(u),
            "M": model.expressions("mass_matrix", q),
        }
        if self.is_constrained:
            found["K"] = model.expressions("constraint_jacobian", q)
            found["k"] = model.expressions("constraint_bias", q, v)
        return found

    def raw(self, t: float | np.ndarray, q: np.ndarray, v: np.ndarray) -> Raw:
        """Return velocities, directions and bounds at one state or many, without responses."""
        return Raw(*self._read(t, q, v)[:NUM_READ])

    def read(self, t: float, q: np.ndarray, v: np.ndarray) -> RowValues:
        """Return velocities, directions and bounds at a state."""
        found = self._read(t, q, v)
        inverse, A = np.linalg.inv(found[NUM_READ]), found[RowValues._fields.index("A")]
        alone = ((A @ inverse) * A).sum(axis=1)
        speed = float(np.sqrt(max(v @ found[NUM_READ] @ v, 0.0)))
        if not self.is_constrained:
            still, none = np.full(len(self.rows), False), np.empty(0)
            share = np.empty((0, len(inverse)))
            return RowValues(
                *found[:NUM_READ],
                P=inverse,
                share=share,
                immobile=still,
                moved=none,
                alone=alone,
                energy_speed=speed,
            )
        K, k = found[NUM_READ + 1 :]
        # M q̈ = f + Kᵀ λ with K q̈ + k = 0: λ = -(K M⁻¹ Kᵀ)⁺ (K M⁻¹ f + k)
        W = K @ inverse @ K.T
        S = scaled_solution(W, np.eye(len(W)), W.diagonal())
        share = -S @ K @ inverse
        P = inverse + inverse @ K.T @ share
        immobile = np.abs(((A @ P) * A).sum(axis=1)) <= DEPENDENT * alone
        r = RowValues(
            *found[:NUM_READ],
            P=P,
            share=share,
            immobile=immobile,
            moved=K @ v,
            alone=alone,
            energy_speed=speed,
        )
        # u̇ by the constraints alone, and what it is the sum of: k is quadratic in q̇
        reach = A @ inverse @ K.T
        forced = r.bias - reach @ (S @ k)
        terms = np.abs(k) + np.abs(K).max(axis=1, initial=0.0) * (v @ v)
        size = np.abs(r.bias) + np.abs(reach) @ (np.abs(S) @ terms)
        return _without_still(r, np.abs(forced) <= EVEN * size)


def _moving(rows: Sequence[Row]) -> dict[str, list]:
    gaps = [0 if row.gap is None else row.gap for row in rows]
    grips = [0 if row.grip is None else row.grip for row in rows]
    return {"gap": gaps, "u": [row.velocity for row in rows], "grip": grips}


def _without_still(r: RowValues, is_even: np.ndarray) -> RowValues:
    """Return the values with zeros for rows at rest that the constraints do not let move.

    Of their u, u̇ and A P Aᵀ only rounding is left, from which no force follows. A row that passes a
    dead point of a linkage has u = 0 but not u̇ = 0, and goes on: ``is_even`` tells which do not.
    """
    still = r.immobile & (np.abs(r.u) <= STILL * r.u_terms) & is_even
    if not still.any():
        return r
    moving = ~still
    return r._replace(A=r.A * moving[:, None], u=r.u * moving, bias=r.bias * moving)


def scaled_solution(W: np.ndarray, b: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the least z with W z = b, every row measured by its own size: units do not matter.

    Args:
        W: Symmetric and positive semidefinite, ``(n, n)``.
        b: Right sides, ``(n,)`` or ``(n, m)``.
        sizes: What the diagonal of W is beside, ``(n,)``; directions in which W is `DEPENDENT` of
            these carry nothing.
    """
    if len(b) == 1:
        return b / W[0, 0] if W[0, 0] > DEPENDENT * sizes[0] else np.zeros_like(b)
    root = np.sqrt(sizes)
    D = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    values, V = np.linalg.eigh(D[:, None] * W * D)
    is_kept = values > DEPENDENT
    U = D[:, None] * V[:, is_kept]
    return (U / values[is_kept]) @ (U.T @ b)
