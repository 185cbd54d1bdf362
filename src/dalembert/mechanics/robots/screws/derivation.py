"""The equations of a serial arm by screws: SDM283's fourteen steps, each with its proofs.

The numbers of the steps are those of the lecture, and the lecture's θ are the coordinates q. Where
it differs from what is printed there, docs/errata.md says why.
"""

from __future__ import annotations

from dalembert.mechanics.equations.derivation import Derivation
from dalembert.mechanics.robots.screws import energies, places, velocities
from dalembert.mechanics.robots.screws.writing import Writing
from dalembert.mechanism import Mechanism

STEPS = (
    places.move_a_point,
    places.move_a_frame,
    places.move_two_links,
    places.result,
    velocities.velocity,
    velocities.adjoint,
    velocities.hat_off,
    velocities.virtual_work,
    velocities.gravity,
    velocities.inertia,
    energies.energies,
    energies.centres,
    energies.slopes,
    energies.momenta,
)


def screw_derivation(mechanism: Mechanism, *, frame: str | None = None) -> Derivation:
    """Return the fourteen steps from unit twists to the Euler–Lagrange equations, with proofs.

    Args:
        mechanism: a serial arm of revolute, prismatic and helical joints; fixed ones may occur.
        frame: the frame b that the arm moves; by default the last one named, or the last link.

    >>> import dalembert as da
    >>> steps = screw_derivation(da.textbook.robots.planar_3r()).steps
    >>> print(steps[2].title)
    How to move the end of two links
    >>> print(steps[2].remarks[0].split("\\n")[0])
    ✓ e^(ξ̂′ᵢ qᵢ) Pᵢ₋₁ = Pᵢ₋₁ e^(ξ̂ᵢ qᵢ) for every joint
    """
    writing = Writing(mechanism, mechanism.equations(), frame)
    return Derivation(tuple(step(writing) for step in STEPS))
