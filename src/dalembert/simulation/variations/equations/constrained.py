"""Small changes of a motion on constraints, in one mode of its contacts and frictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, as_expr, jacobian, multipliers, tangent
from dalembert.expr.symbols import symbol_text
from dalembert.simulation.contact.rows import PRESSED, STICK
from dalembert.simulation.variations.equations.balance import Balance
from dalembert.simulation.variations.equations.jump import Jump
from dalembert.simulation.variations.equations.variation import Slopes, Variation, slopes

if TYPE_CHECKING:
    from dalembert.simulation.constraints.constraints import Constraints
    from dalembert.simulation.laws.base import Row
    from dalembert.simulation.variations.equations.setting import Setting


CLOSED = 1e-9
"""A derivative of a redundant constraint that is this part of its terms is rounding."""


class Mode(NamedTuple):
    """Contacts and dry frictions, and the mode in which each of them is."""

    rows: tuple[Row, ...] = ()
    modes: tuple[int, ...] = ()

    @property
    def held(self) -> list[int]:
        """The places of the rows with u = 0 by a force: contacts first, which have a gap too."""
        held = [k for k, mode in enumerate(self.modes) if mode == STICK]
        return sorted(held, key=lambda k: not self.rows[k].is_contact)

    @property
    def acts(self) -> bool:
        """Whether anything has a force: else the motion is that without contacts and frictions."""
        return bool(self.held) or any(f != 0 for f in self.forces)

    @property
    def forces(self) -> list[Expr]:
        """What acts along each row, beside the forces of those that are held."""
        return [as_expr(_force(row, m)) - row.own for row, m in zip(*self, strict=True)]


def _force(row: Row, mode: int) -> Any:
    if row.push is not None:
        return row.push if mode == PRESSED else 0
    return 0 if row.is_contact or mode == STICK else -mode * row.kinetic


class ConstrainedVariation(Variation):
    """A motion with M q̈ = f + Aᵀ λ and A q̈ + b = 0.

    Both are differentiated on the graph with q̈ and λ held, and what is left is the same linear
    system with other right-hand sides:

        M δq̈ - Aᵀ δλ = -δ(M q̈ - f - Aᵀ λ),   A δq̈ = -δ(A q̈ + b).

    A has the velocities U of all constraints that are independent of each other, then those of held
    rows: A = ∂U/∂q̇. The first ones are derivatives of positions.

    Args:
        setting: What moves.
        independent: Rows of the constraints that are independent of each other.
        mode: Of contacts and dry friction.
    """

    def __init__(self, setting: Setting, independent: Sequence[int], mode: Mode) -> None:
        super().__init__(setting)
        self.independent, self.mode = tuple(independent), mode
        all_rows = len(setting.model.description.constraint_rows)
        self.is_switched = bool(mode.rows) or len(self.independent) < all_rows
        limit = setting.model.description.num_position_constraints
        self.closed = [i for i in independent if i < limit]
        contacts = [k for k in mode.held if mode.rows[k].is_contact]
        self.num_positions = len(self.closed) + len(contacts)
        self.num_rows = len(independent) + len(mode.held)

    def at(self, t: float | np.ndarray, x: np.ndarray) -> Slopes:
        return self.with_forces(t, x)[0]

    def with_forces(
        self, t: float | np.ndarray, x: np.ndarray
    ) -> tuple[Slopes, np.ndarray, np.ndarray]:
        """Return the equations of changes, λ of all rows, and its derivatives by δx, p and time."""
        n, k = self.nv, self.num_rows
        q, v = x[..., : self.nq], x[..., self.nq :]
        M, A, f, b, rate = self._matrices(t, q, v)
        balance = Balance(M, A[..., :k, :])
        qdd, lam = (y[..., 0] for y in balance.solve(f[..., None], b[..., :k, None]))
        left, rows = self._residuals(t, q, v, qdd, lam)
        dy, dlam = balance.solve(-left, rows[..., :k, :])
        rate = np.concatenate([rate, qdd], axis=-1)
        metric = np.diagonal(M, axis1=-2, axis2=-1)
        found = slopes(self.setting, v, rate, dy[..., : 2 * n], dy[..., 2 * n :], metric)
        return found, lam, dlam

    def onto(self, t: float | np.ndarray, x: np.ndarray) -> tuple[np.ndarray, Jump]:
        """Return the nearest state on the constraints, and how changes come there with it.

        Positions first, then velocities, each by the smallest change in the kinetic energy: a step
        of Newton's method, as that of the simulation, and its derivative. All may have axes ahead.
        """
        n, k, i, m = self.nv, self.num_rows, self.num_positions, len(self.parameters)
        q, v = x[..., : self.nq], x[..., self.nq :]
        M, a, U, a_by, U_by = self._surface(t, q, v)
        by_q, A, by_p = np.split(U_by[..., :k, : 2 * n + m], (n, 2 * n), axis=-1)
        positions, every = Balance(M, A[..., :i, :]), Balance(M, A)
        # a(q) = 0, then U(q, q̇) = 0 at the new q
        eta = positions.least(-a[..., :i, None])
        dv = every.least(-(U[..., :k, None] + by_q @ eta))
        q = self.model.configuration.integrate(q, eta[..., 0], 1.0)
        x = np.concatenate([q, v + dv[..., 0]], axis=-1)
        # the same of their derivatives: A η + ∂a/∂p = 0, A δq̇ + ∂U/∂q η + ∂U/∂p = 0
        D, d = np.zeros((*v.shape[:-1], 2 * n, 2 * n)), np.zeros((*v.shape[:-1], 2 * n, m))
        D[..., :n, :n] = np.eye(n) - positions.least(A[..., :i, :])
        d[..., :n, :] = -positions.least(a_by[..., :i, :m])
        D[..., n:, :n] = -every.least(by_q @ D[..., :n, :n])
        D[..., n:, n:] = np.eye(n) - every.least(A)
        d[..., n:, :] = -every.least(by_q @ d[..., :n, :] + by_p)
        return x, Jump(D, d)

    def misfits(self, t: float, x: np.ndarray, jump: Jump) -> np.ndarray:
        """Return by how much p opens each row if changes follow a jump, beside its parts."""
        n, k, i, m = self.nv, self.num_rows, self.num_positions, len(self.parameters)
        _, _, _, a_by, U_by = self._surface(t, x[: self.nq], x[self.nq :])
        slopes = np.zeros((i + k, 2 * n + m))
        slopes[:i, :n], slopes[:i, 2 * n :] = U_by[:i, n : 2 * n], a_by[:i, :m]
        slopes[i:] = U_by[:k, : 2 * n + m]
        changes = np.concatenate([jump.d, np.eye(m)])
        sizes = np.abs(slopes) @ np.abs(changes)
        found = np.abs(slopes @ changes) / np.where(sizes > 0, sizes, 1.0)
        return np.maximum(found[i:], np.concatenate([found[:i], np.zeros((k - i, m))]))

    # ---- expressions

    @cached_property
    def velocities(self) -> list[Expr]:  # type: ignore[override]
        """U: the rates of positions first, then constraints of velocities alone."""
        rows, held, model = self.mode.rows, self.mode.held, self.model
        own = (
            model.expressions("constraint_velocity", *self.setting.state)
            if self.independent
            else []
        )
        limit = model.description.num_position_constraints
        contacts = [k for k in held if rows[k].is_contact]
        return [
            *(as_expr(own[i]) for i in self.closed),
            *(rows[k].velocity for k in contacts),
            *(as_expr(own[i]) for i in self.independent if i >= limit),
            *(rows[k].velocity for k in held if k not in contacts),
        ]

    @cached_property
    def held_places(self) -> dict[int, int]:
        """Where the rows that are held are among all rows of A."""
        contacts = [k for k in self.mode.held if self.mode.rows[k].is_contact]
        others = [k for k in self.mode.held if k not in contacts]
        start = self.num_rows - len(others)
        return {k: len(self.closed) + j for j, k in enumerate(contacts)} | {
            k: start + j for j, k in enumerate(others)
        }

    def _positions(self) -> list[Expr]:
        rows = self.mode.rows
        own = (
            self.model.expressions("constraint_error", self.setting.state[0]) if self.closed else []
        )
        gaps = [rows[k].gap for k in self.mode.held]
        return [*(as_expr(own[i]) for i in self.closed), *(g for g in gaps if g is not None)]

    def _forces(self) -> list[Expr]:
        """Return all forces but those of constraints and held rows."""
        velocities = [row.velocity for row in self.mode.rows]
        along = pull(self.setting, velocities, self.mode.forces)
        return [as_expr(f) + g for f, g in zip(self.setting.forces, along, strict=True)]

    @property
    def _key(self) -> tuple[Any, ...]:
        return self.independent, *self.mode

    @cached_property
    def _matrices(self) -> Callable[..., Any]:
        setting, U = self.setting, self.velocities
        q, v = setting.state

        def outputs() -> dict[str, Any]:
            return {
                "M": self.model.expressions("mass_matrix", q),
                "A": jacobian(U, v).rows or [[0] * self.nv],
                "f": [x - h for x, h in zip(self._forces(), setting.bias, strict=True)],
                "b": tangent(U, setting.flow),
                "rate": self.model.expressions("configuration_rate", q, v),
            }

        return setting.compiled(("balance", *self._key), outputs, law=self._laws)

    @cached_property
    def _residuals(self) -> Callable[..., Any]:
        """The derivatives of both sides by changes of the state, p and time, at q̈ and λ."""
        setting, U = self.setting, self.velocities
        qdd, lam = self.model.symbols.qdd, row_symbols(self.num_rows)

        def outputs() -> dict[str, Any]:
            inertia = setting.smooth(
                self.model.expressions("inverse_dynamics", *setting.state, qdd)
            )
            parts = zip(inertia, self._forces(), pull(setting, U, lam), strict=True)
            along = {**setting.flow, **dict(zip(setting.state[1], qdd, strict=True))}
            return {
                "left": setting.all_slopes([a - f - p for a, f, p in parts]),
                "rows": setting.all_slopes(tangent(U, along)),
            }

        symbols = {"qdd": qdd, "lam": lam}
        return setting.compiled(("residuals", *self._key), outputs, symbols, law=self._laws)

    @cached_property
    def _surface(self) -> Callable[..., Any]:
        setting, U = self.setting, self.velocities

        def outputs() -> dict[str, Any]:
            a = self._positions()
            return {
                "M": self.model.expressions("mass_matrix", setting.state[0]),
                "a": a,
                "U": U,
                "a_by": setting.others(a) or [[0] * (len(self.parameters) + 1)],
                "U_by": setting.all_slopes(U),
            }

        return setting.compiled(("surface", *self._key), outputs, law=self._laws)

    @property
    def _laws(self) -> list[Expr]:
        """Expressions that may depend on time."""
        return [x for row in self.mode.rows for x in row if isinstance(x, Expr)]


def check_closing(setting: Setting, constraints: Constraints, t: float, x: np.ndarray) -> None:
    """Refuse parameters that redundant constraints do not let change.

    Raises:
        EvaluationError: a change of a parameter opens constraints that depend on others.
    """
    some = ConstrainedVariation(setting, constraints.independent, Mode())
    every = ConstrainedVariation(setting, range(len(constraints.names)), Mode())
    misfits = every.misfits(t, x, some.onto(t, x)[1])
    if (misfits > CLOSED).any():
        row, column = np.unravel_index(misfits.argmax(), misfits.shape)
        raise EvaluationError(
            f"expected parameters whose change the constraints allow, got "
            f"{symbol_text(setting.parameters[column])}, which opens {constraints.names[row]}: it "
            "depends on the other constraints; bind the parameter in da.compile, or let it occur "
            "in all of them"
        )


def row_symbols(count: int) -> tuple[Expr, ...]:
    """Return symbols for the multipliers of rows."""
    return multipliers(" ".join(f"lam_{i}" for i in range(count))) if count else ()


def pull(setting: Setting, U: Sequence[Expr], forces: Sequence[Expr]) -> list[Expr]:
    """Return Aᵀ times forces along velocities U, with A = ∂U/∂q̇."""
    acting = [(u, f) for u, f in zip(U, forces, strict=True) if f != 0]
    A = jacobian([u for u, _ in acting], setting.state[1]).rows
    return [
        as_expr(sum(row[j] * f for row, (_, f) in zip(A, acting, strict=True)))
        for j in range(setting.nv)
    ]
