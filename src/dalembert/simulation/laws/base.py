"""Laws between force and motion along one direction each: contacts and dry friction as rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.expr import ONE, Expr, tangent, time
from dalembert.simulation.constraints.rounding import rounding_bounds
from dalembert.simulation.laws.sizes import DEPENDENT, scaled_solution
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Scalar

STILL = 1e-10
"""A velocity that is this part of its terms is rounding where constraints let nothing move."""

EVEN = 1e-10
"""An acceleration that is this part of what it is the sum of is zero."""


class Row(NamedTuple):
    """A force z along a velocity u = A q̇ + drift.

    A contact has a gap with u its rate: 0 ≤ z ⊥ gap ≥ 0. A soft one has a force ``push`` too: it
    is z where the gap and ``grip`` say that it acts, gap < 0 < grip. Dry friction has no gap:
    z = -kinetic sign(u), and |z| ≤ static where u = 0; both are times the force of a contact or of
    constraints if ``normal`` names some. Two rows with the same ``disc`` are one friction on a
    plane, of which u and z are vectors: z = -kinetic u/|u|. ``own`` is the friction that the model
    has already.
    """

    name: str
    velocity: Expr
    gap: Expr | None = None
    restitution: Expr | float = 0.0
    resting_speed: float | None = None
    kinetic: Scalar = 0
    static: Scalar = 0
    own: Scalar = 0
    push: Expr | None = None
    grip: Expr | None = None
    normal: tuple[str, ...] = ()
    disc: str = ""

    @property
    def is_contact(self) -> bool:
        """Whether the row has a gap that cannot be negative."""
        return self.gap is not None and self.push is None

    @property
    def is_soft(self) -> bool:
        """Whether the row is a contact that gives way."""
        return self.push is not None


class SwitchingLaw(ABC):
    """Contacts or dry friction: forces that switch between modes at events.

    Members are frozen dataclasses, given to a simulation among its ``events``.
    """

    @abstractmethod
    def rows(self, model: Model) -> list[Row]:
        """Return the law as rows of a model."""


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


NUM_READ = RowValues._fields.index("P")


class Rows:
    """The rows of a model, compiled."""

    def __init__(self, model: Model, rows: Sequence[Row], *, is_constrained: bool) -> None:
        self.rows = tuple(rows)
        self._is_constrained = is_constrained
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
            "bias": tangent(u, _flow(model)),
            "drift": [e.subs(rest) for e in u],
            "kinetic": [row.kinetic for row in self.rows],
            "static": [row.static for row in self.rows],
            "own": [row.own for row in self.rows],
            "push": [0 if row.push is None else row.push for row in self.rows],
            "gap_terms": rounding_bounds(_moving(self.rows)["gap"]),
            "u_terms": rounding_bounds(u),
            "M": model.expressions("mass_matrix", q),
        }
        if self._is_constrained:
            found["K"] = model.expressions("constraint_jacobian", q)
            found["k"] = model.expressions("constraint_bias", q, v)
        return found

    def read(self, t: float, q: np.ndarray, v: np.ndarray) -> RowValues:
        """Return velocities, directions and bounds at a state."""
        found = self._read(t, q, v)
        inverse, A = np.linalg.inv(found[NUM_READ]), found[RowValues._fields.index("A")]
        alone = ((A @ inverse) * A).sum(axis=1)
        speed = float(np.sqrt(max(v @ found[NUM_READ] @ v, 0.0)))
        if not self._is_constrained:
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


def gap_rate(model: Model, gap: Expr) -> Expr:
    """Return the velocity of a gap as an expression."""
    return tangent([gap], _flow(model))[0]


def _flow(model: Model) -> dict[Expr, Expr]:
    """Return the rates of q and of time; the velocities stand still."""
    rate = model.expressions("configuration_rate", model.symbols.q, model.symbols.qd)
    return {**dict(zip(model.symbols.q, rate, strict=True)), time: ONE}
