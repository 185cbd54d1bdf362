"""How surfaces give way: the force of a contact as a function of penetration and its rate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, abs_, as_expr


class Compliance(ABC):
    """A surface that gives way; members are frozen dataclasses.

    With the penetration d = -gap and its rate ḋ there is a force where d > 0, along the gradient of
    the gap, as long as it pushes.
    """

    @abstractmethod
    def force(self, depth: Expr, rate: Expr) -> Expr:
        """Return the force at a penetration and its rate, in newtons or newton metres."""

    @abstractmethod
    def pushes(self, depth: Expr, rate: Expr) -> Expr:
        """Return what has the sign of the force where the penetration is positive."""


@dataclass(frozen=True)
class KelvinVoigt(Compliance):
    """A spring beside a damper: F = stiffness d + damping ḋ, where that is positive.

    Args:
        stiffness: In N/m or N m/rad.
        damping: In N s/m or N m s/rad.
    """

    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        _check("KelvinVoigt", stiffness=self.stiffness, damping=self.damping)

    def force(self, depth: Expr, rate: Expr) -> Expr:
        return self.stiffness * depth + self.damping * rate

    def pushes(self, depth: Expr, rate: Expr) -> Expr:
        # as a length, which knows no unit of force
        return depth + self.damping / self.stiffness * rate


@dataclass(frozen=True)
class HuntCrossley(Compliance):
    """A nonlinear spring whose damper grows with it: F = stiffness dⁿ (1 + damping ḋ).

    There is no jump of the force where the contact begins. For small damping the restitution at the
    speed v is 1 - 2/3 damping v (Hunt & Crossley 1975, "Coefficient of restitution interpreted as
    damping in vibroimpact", with α = 2/3 damping).

    Args:
        stiffness: In N/mⁿ; of a hinge N m/radⁿ.
        damping: In s/m or s/rad.
        exponent: n, 3/2 for spheres (Hertz).
    """

    stiffness: float
    damping: float = 0.0
    exponent: float = 1.5

    def __post_init__(self) -> None:
        _check("HuntCrossley", stiffness=self.stiffness, damping=self.damping)
        if not (np.isfinite(self.exponent) and self.exponent >= 1):
            raise EvaluationError(
                f"expected an exponent of HuntCrossley from 1, got {self.exponent!r}"
            )

    def force(self, depth: Expr, rate: Expr) -> Expr:
        # d |d|ⁿ⁻¹ is defined on both sides of the surface
        more = self.exponent - 1
        grown = depth if more == 0 else depth * abs_(depth) ** as_expr(more)
        return self.stiffness * grown * (1 + self.damping * rate)

    def pushes(self, depth: Expr, rate: Expr) -> Expr:
        return 1 + self.damping * rate


def _check(what: str, *, stiffness: float, damping: float) -> None:
    if not (np.isfinite(stiffness) and stiffness > 0):
        raise EvaluationError(f"expected a positive stiffness of {what}, got {stiffness!r}")
    if not (np.isfinite(damping) and damping >= 0):
        raise EvaluationError(f"expected a damping from 0 of {what}, got {damping!r}")
