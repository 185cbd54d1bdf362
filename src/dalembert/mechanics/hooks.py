"""Give mechanisms the equations that this layer derives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.mechanism import Mechanism

if TYPE_CHECKING:
    from dalembert.mechanics.base_parameters import BaseParameterSet
    from dalembert.mechanics.derivation import Derivation
    from dalembert.mechanics.equations import Equations
    from dalembert.mechanics.maximal import MaximalForm
    from dalembert.mechanics.proof import Proof
    from dalembert.mechanics.singularities import Singularities
    from dalembert.mechanics.system import System


class MechanismDynamics:
    """Systems, equations and proofs of mechanisms; each is imported when it is first wanted."""

    def system(self, mechanism: Mechanism) -> System:
        """Return energies, forces and constraints as graphs."""
        from dalembert.mechanics.arm import system_of

        return system_of(mechanism)

    def equations(self, mechanism: Mechanism) -> Equations:
        """Return the exact equations of motion."""
        from dalembert.mechanics.arm import equations_of

        return equations_of(mechanism)

    def maximal(self, mechanism: Mechanism) -> MaximalForm:
        """Return the system of single links and the positions h(q)."""
        from dalembert.mechanics.maximal import maximal_form

        return maximal_form(mechanism)

    def prove(self, mechanism: Mechanism) -> list[Proof]:
        """Return the proofs about the recursions and the equations."""
        from dalembert.mechanics.arm import equations_of
        from dalembert.mechanics.arm_proofs import prove_arm

        return prove_arm(mechanism, equations_of(mechanism))

    def base_parameters(self, mechanism: Mechanism) -> BaseParameterSet:
        """Return the smallest set of inertial parameters, exactly."""
        from dalembert.mechanics.base_parameters import base_parameters

        return base_parameters(mechanism)

    def screw_derivation(self, mechanism: Mechanism) -> Derivation:
        """Return the derivation by screws."""
        from dalembert.mechanics.screw_derivation import screw_derivation

        return screw_derivation(mechanism)

    def singularities(
        self, mechanism: Mechanism, frame: str, rows: Sequence[int] | None
    ) -> Singularities:
        """Return where the Jacobian of a frame loses rank."""
        from dalembert.mechanics.singularities import singularities

        return singularities(mechanism, frame, rows)


def register() -> None:
    """Set the hook of the layer below; it must not import this one."""
    Mechanism.dynamics = MechanismDynamics()
