"""What equations of motion can be asked beyond their parts: one method for each result.

Results that few people ask for are imported when they are: `import dalembert` stays quick.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dalembert.expr import Expr, Matrix, Scalar
from dalembert.mechanics.results.conserved import Conserved, conserved
from dalembert.mechanics.results.hamilton import HamiltonianForm, hamiltonian_form
from dalembert.mechanics.results.integrability import Integrability, integrability
from dalembert.mechanics.results.symmetry.noether import noether

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.mechanics.results.momenta import Momenta
    from dalembert.mechanics.results.quasi.form import QuasiForm
    from dalembert.mechanics.results.quasi.frame import Definitions
    from dalembert.mechanics.results.statics.force_split import ForceSplit, Metric
    from dalembert.mechanics.results.statics.statics import Statics
    from dalembert.mechanics.results.symmetry.routh import RouthForm


class Results(ABC):
    """Symmetries, reduced forms, constraints and statics of `Equations`."""

    @property
    @abstractmethod
    def _equations(self) -> Equations:
        """The equations themselves."""

    # ---- the parts by the names that a system and a model have for them

    @property
    def kinetic_energy(self) -> Expr:
        """T."""
        return self._equations.T

    @property
    def potential_energy(self) -> Expr:
        """V."""
        return self._equations.V

    @property
    def lagrangian(self) -> Expr:
        """L."""
        return self._equations.L

    @property
    def mass_matrix(self) -> Matrix:
        """M."""
        return self._equations.M

    @property
    def coriolis_matrix(self) -> Matrix:
        """C, of the Christoffel symbols."""
        return self._equations.C

    # ---- results

    def integrability(self) -> Integrability:
        """Decide which velocity constraints follow from position constraints (are holonomic)."""
        return integrability(self._equations)

    def conserved(self) -> list[Conserved]:
        """Return the momenta and the energy, or Jacobi integral, that stay constant."""
        return conserved(self._equations)

    def noether(self, field: Mapping[Expr, Scalar]) -> Conserved:
        """Return what the symmetry ``{x: δx, …}`` of L conserves (Noether's theorem).

        The field may depend on coordinates, parameters and time; ``da.time`` may be shifted too. L
        may change by the rate of a function of q and t; forces and constraints must do no work.

        Raises:
            InvalidSystem: the field is no symmetry; the message says what changes.

        >>> import dalembert as da
        >>> x, y = da.coordinates("x y")
        >>> L = (x.dot**2 + y.dot**2) / 2 + 1 / da.sqrt(x**2 + y**2)
        >>> eq = da.System(lagrangian=L, coordinates=[x, y]).equations()
        >>> eq.noether({x: -y, y: x}).quantity
        x ẏ - y ẋ
        """
        return noether(self._equations, field)

    def momenta(self) -> Momenta:
        """Return mass, centre of mass r_C, its velocity, momentum and angular momentum.

        Raises:
            InvalidSystem: the system was given by its energies alone.

        >>> import dalembert as da
        >>> eq = da.textbook.cart_pole().equations()
        >>> print(eq.momenta().momentum[0])
        (m_c + m_p) ẋ + m_p l cos(θ) θ̇
        """
        from dalembert.mechanics.results.momenta import momenta_of_bodies, momenta_of_tree

        eq = self._equations
        if eq.tree is not None:
            return momenta_of_tree(eq.tree, eq.coordinates, eq.notation)
        return momenta_of_bodies(eq.system.bodies, eq.notation)

    def routh(self, *coordinates: Expr) -> RouthForm:
        """Return the system without its cyclic coordinates, or without those given (Routh).

        Raises:
            InvalidSystem: a coordinate is not cyclic, or no other is left.

        >>> import dalembert as da
        >>> print(da.textbook.spherical_pendulum().equations().routh().effective_potential)
        p_φ²/(2 m l² sin²(θ)) - m g l cos(θ)
        """
        from dalembert.mechanics.results.symmetry.routh import routh

        return routh(self._equations, coordinates)

    def statics(self) -> Statics:
        """Return the conditions of equilibrium by virtual work, and reactions by releasing.

        >>> import dalembert as da
        >>> (theta,) = da.coordinates("theta")
        >>> m, g, l = da.parameters("m g l")
        >>> (tau,) = da.inputs("tau")
        >>> arm = da.System.from_particles(
        ...     [m],
        ...     [(l * da.cos(theta), l * da.sin(theta))],
        ...     coordinates=[theta],
        ...     gravity=(0, -g),
        ...     forces=[tau],
        ... )
        >>> arm.equations().statics().solve(tau)
        {τ: m g l cos(θ)}
        """
        from dalembert.mechanics.results.statics.statics import statics

        return statics(self._equations)

    def split_forces(
        self, forces: Sequence[Scalar] | Matrix | None = None, metric: Metric = "kinetic"
    ) -> ForceSplit:
        """Split forces, Υ - N unless given, into parts along and across the admissible motions.

        ``metric`` is "kinetic" (M) or "euclidean"; see `results.statics.force_split`.
        """
        from dalembert.mechanics.results.statics.force_split import split_forces

        return split_forces(self._equations, forces, metric)

    def quasi_velocities(self, definitions: Definitions | None = None) -> QuasiForm:
        """Return the equations in quasi-velocities u, without multipliers (Maggi, Kane, Hamel).

        ``definitions`` gives each u as an expression linear in q̇, by name; as many as there are
        degrees of freedom. Without it the u are coefficients of null vectors of A. Where the
        definitions become dependent, as at θ = 0 of Euler's angles, the equations have no meaning.

        Raises:
            InvalidSystem: definitions that are not linear, not independent, or not enough.

        >>> import dalembert as da
        >>> edge = da.textbook.knife_edge().equations()
        >>> x, y, phi = edge.coordinates
        >>> v = da.cos(phi) * x.dot + da.sin(phi) * y.dot
        >>> print(edge.quasi_velocities({"v": v, "w": phi.dot}))
        m v̇ - m g sin(α) cos(φ) = 0
        J ẇ = 0
        ẋ = v cos(φ)
        ẏ = v sin(φ)
        φ̇ = w
        """
        from dalembert.mechanics.results.quasi.form import quasi_form

        return quasi_form(self._equations, definitions)

    def hamiltonian(self) -> HamiltonianForm:
        """Return H(q, p) with Hamilton's equations."""
        return hamiltonian_form(self._equations)
