"""Time stepping: contacts and friction as impulses of steps of fixed length."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.errors import EvaluationError
from dalembert.model.border import number_in
from dalembert.simulation.methods.fixed_step import checked_step


@dataclass(frozen=True)
class TimeStepping:
    """A step of the velocity, then of the position: M (v⁺ - v) = h f + Σ Jᵀ p, q⁺ = q ⊕ h v⁺.

    The impulses p of contacts, stops and dry friction obey their laws at the end of the step:
    0 ≤ n ⊥ u_n + gap/h ≥ 0, exact friction cones, boxes of joint friction. Sweeps solve for one
    contact after the other, from the impulses of the last step, until all fit each other. A step of
    first order that sees no events: many robots take it in one kernel.

    Reference: J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988.

    Args:
        step: Length of a step h in s.
        sweeps: How often each contact is solved in a step, at most.
        tolerance: Residual in m/s, or rad/s, at which the sweeps end: how far an impulse may be
            from its law. Steps above it are counted.
        beta: Part of a penetration that a step removes, from 0 to 1.
    """

    step: float = 1e-3
    sweeps: int = 100
    tolerance: float = 1e-6
    beta: float = 0.2

    def __post_init__(self) -> None:
        checked_step(self.step, type(self).__name__)
        if isinstance(self.sweeps, bool) or not isinstance(self.sweeps, int) or self.sweeps < 1:
            raise EvaluationError(f"expected a whole number of sweeps from 1, got {self.sweeps!r}")
        tolerance = number_in(self.tolerance, "the tolerance", above=0)
        object.__setattr__(self, "tolerance", tolerance)
        object.__setattr__(self, "beta", number_in(self.beta, "beta", least=0, most=1))
