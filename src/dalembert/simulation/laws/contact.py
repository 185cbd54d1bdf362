"""Contacts: surfaces and joint stops that push, and never pull."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError, UnknownName, nearest
from dalembert.expr import Expr, as_expr
from dalembert.expr.symbols import symbol_text
from dalembert.simulation.laws.base import Row, SwitchingLaw, gap_rate
from dalembert.simulation.laws.compliance import Compliance

if TYPE_CHECKING:
    from dalembert.model import Model


@dataclass(frozen=True)
class Contact(SwitchingLaw):
    """A surface without friction: gap ≥ 0, a force ≥ 0 along its gradient, one of them zero.

    An impact is an impulse: M (q̇⁺ - q̇⁻) = Aᵀ Λ with A = ∂gap/∂q. Of several gaps that are closed
    at once each one has 0 ≤ Λ ⊥ u⁺ + e u⁻ ≥ 0 where it is hit with u = A q̇ < 0, and e = 0 where
    it is not (Moreau's rule). A rebound slower than ``resting_speed`` is none: e = 0, and the
    contact rests. It is then kept closed until its force would have to pull.

    With ``compliance`` the surface gives way instead: no impulses, a force that follows from the
    penetration -gap and its rate.

    Args:
        gap: An expression of `Model.symbols` q and ``da.time``, positive where nothing touches.
        restitution: e, from 0 to 1; an expression of parameters where these have values, as in
            `da.sensitivities`.
        resting_speed: Slowest rebound, in m/s or rad/s; 1e-6 of the fastest that the gap has
            closed or opened so far, if not given.
        name: What the trajectory calls it.
        compliance: `KelvinVoigt` or `HuntCrossley`; None for a rigid surface.
    """

    gap: Expr
    restitution: Expr | float = 0.0
    resting_speed: float | None = None
    name: str = "contact"
    compliance: Compliance | None = None

    def __post_init__(self) -> None:
        _check(self.restitution, self.resting_speed, self.name, self.compliance)

    def rows(self, model: Model) -> list[Row]:
        if not isinstance(self.gap, Expr):
            raise EvaluationError(
                f"expected an expression of model.symbols.q as the gap of {self.name}, got "
                f"{self.gap!r}"
            )
        rate = gap_rate(model, self.gap)
        if not any(x in model.symbols.qd for x in rate.symbols):
            raise EvaluationError(
                f"expected a gap of {self.name} that depends on model.symbols.q, got {self.gap}: "
                "no force changes it"
            )
        row = Row(self.name, rate, self.gap, self.restitution, self.resting_speed)
        return [_softened(row, self.compliance)]


@dataclass(frozen=True)
class JointStops(SwitchingLaw):
    """Stops at the limits of a mechanism's joints, as contacts.

    The limits are ``model.configuration.lower`` and ``upper``.

    Args:
        restitution: e of every stop, as that of `Contact`.
        joints: Names of those that have stops; all with limits if not given.
        resting_speed: Slowest rebound, in m/s or rad/s; 1e-6 of the fastest that the gap has
            closed or opened so far, if not given.
        compliance: `KelvinVoigt` or `HuntCrossley` of every stop; None for rigid ones.
    """

    restitution: Expr | float = 0.0
    joints: Sequence[str] | None = None
    resting_speed: float | None = None
    compliance: Compliance | None = None

    def __post_init__(self) -> None:
        _check(self.restitution, self.resting_speed, "JointStops", self.compliance)

    def rows(self, model: Model) -> list[Row]:
        configuration = model.configuration
        known = configuration.q_names
        rows = []
        for name in known if self.joints is None else self.joints:
            if name not in known:
                raise UnknownName(f"expected a name of q, got {name!r} ({nearest(name, known)})")
            i = known.index(name)
            ends = (("lower", configuration.lower[i], 1), ("upper", configuration.upper[i], -1))
            for which, bound, side in ends:
                if np.isfinite(bound):
                    gap = side * (model.symbols.q[i] - float(bound))
                    e, slow = self.restitution, self.resting_speed
                    rate = gap_rate(model, gap)
                    row = Row(f"{which} limit of {name}", rate, gap, e, slow)
                    rows.append(_softened(row, self.compliance))
        if not rows:
            raise EvaluationError(
                "expected joints with limits for JointStops, got none: give the joints limits=, "
                "or use Contact with a gap"
            )
        return rows


def _softened(row: Row, compliance: Compliance | None) -> Row:
    """Return a contact that gives way, if there is a compliance."""
    if compliance is None or row.gap is None:
        return row
    depth, rate = -row.gap, -row.velocity
    return row._replace(
        push=as_expr(compliance.force(depth, rate)), grip=as_expr(compliance.pushes(depth, rate))
    )


def _check(
    restitution: Expr | float,
    resting_speed: float | None,
    where: str,
    compliance: Compliance | None,
) -> None:
    if compliance is not None and not isinstance(compliance, Compliance):
        raise EvaluationError(
            f"expected KelvinVoigt or HuntCrossley as the compliance of {where}, got "
            f"{compliance!r:.60}"
        )
    if compliance is not None and restitution != 0:
        raise EvaluationError(
            f"expected either a restitution or a compliance of {where}, got both: what rebounds "
            "from a compliance follows from its damping"
        )
    if not isinstance(restitution, Expr):
        _check_restitution(restitution, where)
    if resting_speed is not None and not (np.isfinite(resting_speed) and resting_speed > 0):
        raise EvaluationError(
            f"expected a positive resting_speed of {where}, got {resting_speed!r}"
        )


def _check_restitution(value: float, where: str) -> None:
    if not 0 <= value <= 1:
        raise EvaluationError(f"expected a restitution from 0 to 1 of {where}, got {value!r}")


def with_number(row: Row, values: Mapping[Expr, float]) -> Row:
    """Return a row whose restitution is a number, by the values of its parameters.

    Raises:
        EvaluationError: a parameter has no value, or the restitution is not from 0 to 1.
    """
    e = row.restitution
    if not isinstance(e, Expr):
        return row
    value = e.subs(values)
    if value.symbols:
        names = ", ".join(sorted(symbol_text(x) for x in value.symbols))
        raise EvaluationError(
            f"expected a number for the restitution of {row.name}, got one that depends on {names}"
        )
    _check_restitution(float(value), row.name)
    return row._replace(restitution=float(value))
