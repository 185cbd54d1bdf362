"""The properties of equations of motion, each proved as an exact identity or refuted by a point.

Every check compares the equations as they stand with an independent route: the energies as the
person wrote them, differentiated on the graph, or the bodies themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.mechanics.printed.statement import printed_equations_are_these
from dalembert.mechanics.proofs.constraints import (
    constraint_accelerations_are_right,
    constraint_forces_do_no_virtual_work,
    constraint_parts_are_described,
)
from dalembert.mechanics.proofs.coriolis import (
    coriolis_forms_agree,
    coriolis_is_christoffels,
    rate_minus_twice_coriolis_is_skew,
)
from dalembert.mechanics.proofs.description import energies_and_forces_are_described
from dalembert.mechanics.proofs.identity import IDENTICAL, attempt, identity
from dalembert.mechanics.proofs.mass_matrix import (
    inertias_are_physical,
    mass_matrix_is_definite,
    mass_matrix_is_hessian,
    mass_matrix_is_positive,
    mass_matrix_is_symmetric,
)
from dalembert.mechanics.proofs.motion import (
    energy_balances_power,
    equations_are_linear_in_parameters,
    lagrange_is_dalembert,
    manipulator_form_is_lagranges,
)
from dalembert.mechanics.proofs.on_domain import on_domain
from dalembert.mechanics.proofs.proof import Proof

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

__all__ = ["IDENTICAL", "identity", "prove"]


CORIOLIS = (
    rate_minus_twice_coriolis_is_skew,
    coriolis_is_christoffels,
    coriolis_forms_agree,
)


def prove(eq: Equations) -> list[Proof]:
    """Return a proof for every property that applies to these equations."""
    positive = mass_matrix_is_positive(eq)
    proofs = [
        attempt(manipulator_form_is_lagranges, eq),
        attempt(lagrange_is_dalembert, eq),
        attempt(energies_and_forces_are_described, eq),
        attempt(mass_matrix_is_symmetric, eq),
        attempt(mass_matrix_is_hessian, eq),
        attempt(inertias_are_physical, eq),
        positive.proof,
        attempt(mass_matrix_is_definite, eq, positive),
        *([attempt(statement, eq) for statement in CORIOLIS] if eq.is_quadratic else []),
        attempt(energy_balances_power, eq),
        attempt(equations_are_linear_in_parameters, eq),
        attempt(constraint_parts_are_described, eq),
        attempt(constraint_accelerations_are_right, eq),
        attempt(constraint_forces_do_no_virtual_work, eq),
        attempt(printed_equations_are_these, eq),
    ]
    return on_domain(eq.system, proofs)
