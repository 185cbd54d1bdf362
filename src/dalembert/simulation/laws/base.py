"""Laws between force and motion along one direction each: contacts and dry friction as rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from dalembert.expr import ONE, Expr, tangent, time

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Scalar


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


def gap_rate(model: Model, gap: Expr) -> Expr:
    """Return the velocity of a gap as an expression."""
    return tangent([gap], flow_of_positions(model))[0]


def flow_of_positions(model: Model) -> dict[Expr, Expr]:
    """Return the rates of q and of time; the velocities stand still."""
    rate = model.expressions("configuration_rate", model.symbols.q, model.symbols.qd)
    return {**dict(zip(model.symbols.q, rate, strict=True)), time: ONE}
