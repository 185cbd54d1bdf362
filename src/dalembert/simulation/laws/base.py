"""Laws between force and motion along one direction each: contacts and dry friction as rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.simulation.problem.kernels import compiled, time_symbol

if TYPE_CHECKING:
    from dalembert.model import Model


class Row(NamedTuple):
    """A force z along a velocity u = A q̇ + drift.

    A contact has a gap with u its rate: 0 ≤ z ⊥ gap ≥ 0. Dry friction has none: z = -kinetic
    sign(u), and |z| ≤ static where u = 0. ``own`` is the friction that the model has already.
    """

    name: str
    velocity: Any
    gap: Any = None
    restitution: float = 0.0
    resting_speed: float = 0.0
    kinetic: Any = 0
    static: Any = 0
    own: Any = 0

    @property
    def is_contact(self) -> bool:
        return self.gap is not None


class Law(ABC):
    """Contacts or dry friction; members are frozen dataclasses, given to a simulation as events."""

    @abstractmethod
    def rows(self, model: Model) -> list[Row]:
        """Return the law as rows of a model."""


class Reading(NamedTuple):
    """All rows at a state; ``P`` is M⁻¹ on the velocities that the constraints of a model allow.

    A force z changes q̈ by P Aᵀ z, and the multipliers of constraints by ``share`` Aᵀ z.
    """

    gap: np.ndarray
    u: np.ndarray
    A: np.ndarray
    bias: np.ndarray
    drift: np.ndarray
    kinetic: np.ndarray
    static: np.ndarray
    own: np.ndarray
    P: np.ndarray
    share: np.ndarray


NUM_READ = len(Reading._fields) - 2


class Rows:
    """The rows of a model, compiled."""

    def __init__(self, model: Model, rows: Sequence[Row], *, is_constrained: bool) -> None:
        self.rows = tuple(rows)
        self._is_constrained = is_constrained
        expressions = [x for row in rows for x in row if hasattr(x, "symbols")]
        time = time_symbol(model, expressions)
        inputs = {"q": model.q, "qd": model.qd}
        self._read = compiled(
            model, ("laws", self.rows), lambda: self._outputs(model, time), inputs, expressions
        )

    def _outputs(self, model: Model, time: Any) -> dict[str, Any]:
        q, v = model.q, model.qd
        rate = model.apply("configuration_rate", q, v)
        rest = dict.fromkeys(v, 0)
        u = [_expression(row.velocity, q) for row in self.rows]
        flow = [*zip(q, rate, strict=True), *([] if time is None else [(time, 1)])]
        found: dict[str, Any] = {
            "gap": [0 if row.gap is None else row.gap for row in self.rows],
            "u": u,
            "A": [[e.diff(x) for x in v] for e in u],
            # u̇ = A q̈ + bias
            "bias": [sum((e.diff(x) * r for x, r in flow), 0) for e in u],
            "drift": [e.subs(rest) for e in u],
            "kinetic": [row.kinetic for row in self.rows],
            "static": [row.static for row in self.rows],
            "own": [row.own for row in self.rows],
            "M": model.apply("mass_matrix", q),
        }
        if self._is_constrained:
            found["K"] = model.apply("constraint_jacobian", q)
        return found

    def read(self, t: float, q: np.ndarray, v: np.ndarray) -> Reading:
        """Return velocities, directions and bounds at a state."""
        found = self._read(t, q, v)
        inverse = np.linalg.inv(found[NUM_READ])
        if not self._is_constrained:
            return Reading(*found[:NUM_READ], P=inverse, share=np.empty((0, len(inverse))))
        K = found[NUM_READ + 1]
        # M q̈ = f + Kᵀ λ with K q̈ = 0: λ = -(K M⁻¹ Kᵀ)⁺ K M⁻¹ f
        share = -np.linalg.pinv(K @ inverse @ K.T, rcond=1e-12, hermitian=True) @ K @ inverse
        return Reading(*found[:NUM_READ], P=inverse + inverse @ K.T @ share, share=share)


def gap_rate(model: Model, gap: Any) -> Any:
    """Return the velocity of a gap as an expression."""
    rate = model.apply("configuration_rate", model.q, model.qd)
    time = time_symbol(model, [gap])
    total = sum((gap.diff(x) * r for x, r in zip(model.q, rate, strict=True)), 0)
    return total if time is None else total + gap.diff(time)


def _expression(value: Any, q: Sequence[Any]) -> Any:
    """Return a number as an expression."""
    return value if hasattr(value, "symbols") else q[0] * 0 + value
