"""Dry friction with sticking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.errors import EvaluationError
from dalembert.expr import Expr
from dalembert.simulation.laws.base import Row, SwitchingLaw

if TYPE_CHECKING:
    from dalembert.model import Model


@dataclass(frozen=True)
class DryFriction(SwitchingLaw):
    """Coulomb's law along a velocity: a force that keeps it zero, up to a bound, else opposes it.

    Args:
        velocity: The sliding velocity u, an expression of `Model.symbols` and ``da.time`` that is
            linear in q̇. The force acts along A = ∂u/∂q̇. Two of them, along perpendicular axes, are
            friction on a plane: its force opposes the vector u, and bounds are those of its length.
        kinetic: Force while sliding, in newtons or newton metres: a number or an expression, which
            may depend on the state.
        static: The largest force while sticking; as ``kinetic`` if not given.
        name: What the trajectory calls it.
        normal: What presses the surfaces together: the name of a `Contact`, or of one or more
            constraints of the model, whose λ make a vector. ``kinetic`` and ``static`` are then
            coefficients: the force is the coefficient times the normal force. Contacts with such
            friction have it in their impacts too.
    """

    velocity: Expr | tuple[Expr, Expr]
    kinetic: Expr | float
    static: Expr | float | None = None
    name: str = "friction"
    normal: str | tuple[str, ...] = ()

    def rows(self, model: Model) -> list[Row]:
        velocities = (self.velocity,) if isinstance(self.velocity, Expr) else self.velocity
        if not isinstance(velocities, tuple | list) or len(velocities) not in (1, 2):
            raise EvaluationError(
                f"expected a velocity, or two on a plane, for the dry friction {self.name}, got "
                f"{self.velocity!r:.60}"
            )
        for u in velocities:
            if not isinstance(u, Expr) or not any(x in model.symbols.qd for x in u.symbols):
                raise EvaluationError(
                    f"expected a velocity of model.symbols.qd for the dry friction {self.name}, "
                    f"got {u!r}"
                )
        static = self.kinetic if self.static is None else self.static
        normal = (self.normal,) if isinstance(self.normal, str) else tuple(self.normal)
        row = Row(self.name, velocities[0], kinetic=self.kinetic, static=static, normal=normal)
        if len(velocities) == 1:
            return [row]
        return [
            row._replace(name=f"{self.name} {number}", velocity=u, disc=self.name)
            for number, u in enumerate(velocities, 1)
        ]


@dataclass(frozen=True)
class JointFriction(SwitchingLaw):
    """The Coulomb and Stribeck friction of a mechanism's joints and motors, with sticking.

    It replaces the dry friction that the model has: its sign, its tanh (``smoothing=``), or none
    (``passive=False``). Viscous friction stays as it is. A joint breaks away at friction
    + stribeck.
    """

    def rows(self, model: Model) -> list[Row]:
        own, size = model.expressions("dry_friction", model.symbols.q, model.symbols.qd)
        rest = dict.fromkeys(model.symbols.qd, 0)
        rows = [
            Row(name, v, kinetic=F, static=F.subs(rest), own=f)
            for name, v, F, f in zip(
                model.configuration.v_names, model.symbols.qd, size, own, strict=True
            )
            if F != 0
        ]
        if not rows:
            raise EvaluationError(
                "expected a joint with friction= or stribeck= for JointFriction, got none: "
                "DryFriction takes any velocity and force"
            )
        return rows
