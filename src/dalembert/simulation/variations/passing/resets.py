"""Changes of a state at an event, and their derivatives: expressions, and impacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, as_expr, tangent, time
from dalembert.simulation.variations.equations.balance import Balance
from dalembert.simulation.variations.equations.constrained import pull, row_symbols
from dalembert.simulation.variations.passing.saltation import Reset

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.events.crossing import Crossing
    from dalembert.simulation.laws.base import Row
    from dalembert.simulation.variations.equations.setting import Setting
    from dalembert.types import Scalar


def traced_change(model: Model, event: Crossing) -> tuple[Expr, ...]:
    """Return (q, q̇) after the change of an event as expressions.

    Raises:
        EvaluationError: the function does not take expressions, or returns others than (q, q̇).
    """
    assert event.change is not None
    q, v = (np.array(x, dtype=object) for x in (model.symbols.q, model.symbols.qd))
    try:
        new_q, new_v = event.change(time, q, v)  # type: ignore[arg-type]
        found = tuple(as_expr(x) for x in (*new_q, *new_v))  # type: ignore[misc]
    except Exception as error:
        raise EvaluationError(
            f"expected the change of {event.name} to be arithmetic of (t, q, qd), which "
            f"sensitivities differentiate, got {type(error).__name__} when it was given symbols: "
            f"{error}"
        ) from error
    if len(found) != model.nq + model.nv:
        raise EvaluationError(
            f"expected (q, qd) with {model.nq + model.nv} entries from the change of {event.name}, "
            f"got {len(found)}"
        )
    return found


class ChangeOfState:
    """A change that is given as expressions."""

    def __init__(self, setting: Setting, change: Sequence[Expr]) -> None:
        self.setting, self.change = setting, tuple(change)

    @cached_property
    def _kernel(self) -> Callable[..., Any]:
        setting = self.setting

        def outputs() -> dict[str, Any]:
            # dq/dt of every velocity alone, at q and after the change
            N = [list(column) for column in setting.directions]
            return {"after": list(self.change), "by": setting.all_slopes(self.change), "N": N}

        return setting.compiled(("change", self.change), outputs, law=self.change)

    def after(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (q, q̇) after the change."""
        x = self._kernel(t, q, v)[0]
        return x[: len(q)], x[len(q) :]

    def reset(self, t: float, x: np.ndarray) -> Reset:
        """Return its derivatives at a state."""
        setting = self.setting
        n, nq = 2 * setting.nv, setting.nq
        after, by, _ = self._kernel(t, x[:nq], x[nq:])
        if not setting.model.configuration.is_flat:
            # η of a change of q: dq = N η at the new q
            N = self._kernel(t, after[:nq], after[nq:])[2].T
            by = np.concatenate([np.linalg.lstsq(N, by[:nq])[0], by[nq:]])
        return Reset(by[:, :n], by[:, n:])


class Impact:
    """Impulses of some contacts at once: M δ = Aᵀ Λ with A δ + (1 + e) u = 0.

    Rows of constraints and of contacts that stay at rest have A δ = 0 and A δ + u = 0.

    Args:
        setting: What moves.
        constraints: Velocities of the constraints, independent of each other.
        rows: The contacts that are hit or held.
        rebounds: e of each.
    """

    def __init__(
        self,
        setting: Setting,
        constraints: Sequence[Expr],
        rows: Sequence[Row],
        rebounds: Sequence[Scalar],
    ) -> None:
        self.setting = setting
        self.U = [*constraints, *(row.velocity for row in rows)]
        none = [as_expr(0)] * len(constraints)
        pairs = zip(rows, rebounds, strict=True)
        self.asked = [*none, *(as_expr(1 + e) * row.velocity for row, e in pairs)]

    def reset(self, t: float, x: np.ndarray) -> Reset:
        """Return its derivatives at a state."""
        nq, n = self.setting.nq, self.setting.nv
        q, v = x[:nq], x[nq:]
        M, A, asked = self._matrices(t, q, v)
        balance = Balance(M, A)
        change, impulses = (y[:, 0] for y in balance.solve(np.zeros((n, 1)), asked[:, None]))
        left, rows = self._residuals(t, q, v, change, impulses)
        slopes, _ = balance.solve(-left, rows)
        by_state, others = np.eye(2 * n), np.zeros((2 * n, slopes.shape[1] - 2 * n))
        by_state[n:] += slopes[:, : 2 * n]
        others[n:] = slopes[:, 2 * n :]
        return Reset(by_state, others)

    @cached_property
    def _matrices(self) -> Callable[..., Any]:
        setting = self.setting

        def outputs() -> dict[str, Any]:
            M = setting.model.expressions("mass_matrix", setting.state[0])
            A = [row[setting.nv : 2 * setting.nv] for row in setting.slopes(self.U)]
            return {"M": M, "A": A, "asked": self.asked}

        return setting.compiled(("impact", *self.U, *self.asked), outputs, law=self.U)

    @cached_property
    def _residuals(self) -> Callable[..., Any]:
        setting, model = self.setting, self.setting.model
        q, v = setting.state
        change, lam = model.symbols.qdd, row_symbols(len(self.U))

        def outputs() -> dict[str, Any]:
            # M δ: what the torques of accelerations δ are, without those at rest
            M = model.expressions("mass_matrix", q)
            inertia = [as_expr(sum(m * x for m, x in zip(row, change, strict=True))) for row in M]
            left = [a - p for a, p in zip(inertia, pull(setting, self.U, lam), strict=True)]
            moved = tangent(self.U, dict(zip(v, change, strict=True)))
            rows = [a + c for a, c in zip(moved, self.asked, strict=True)]
            return {"left": setting.all_slopes(left), "rows": setting.all_slopes(rows)}

        key = ("impulses", *self.U, *self.asked)
        return setting.compiled(key, outputs, {"change": change, "lam": lam}, law=self.U)
