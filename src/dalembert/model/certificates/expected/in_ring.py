"""What programs must compute, by the exact equations in their ring."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import add
from typing import TYPE_CHECKING

from dalembert.expr import ZERO, Expr
from dalembert.expr.substitute import substitute
from dalembert.mechanics.robots.equations import applied_torques, over_ring
from dalembert.model.certificates.expected.base import Expected, Outputs, computes
from dalembert.recursions.energies import potential_energy
from dalembert.ring import Element, canonical_all, partials, rebuild

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.model.formulas.mechanism import MechanismFormulas
    from dalembert.model.formulas.system import SystemFormulas


class InRing(Expected[Element]):
    """Equations with canonical forms: equal means identical."""

    has_coordinates = True

    def __init__(self, eq: Equations) -> None:
        self.eq, self.ring = eq, eq.ring

    @property
    def coordinates(self) -> tuple[Sequence[Expr], Sequence[Expr]]:
        return self.eq.coordinates, self.eq.velocities

    @cached_property
    def M(self) -> list[Element]:
        return list(self.eq.forms.M)

    @cached_property
    def T(self) -> Element:
        return self.eq.forms.T

    @cached_property
    def tau(self) -> list[Element]:
        return [*map(add, self.eq.forms.M @ self.eq.second_rates, self.h)]

    @computes("C of the Christoffel symbols", "q qd", C="v v")
    def coriolis(self) -> Outputs[Element]:
        return {"C": list(self.eq.forms.C)}

    def slopes(self, symbols: Sequence[Expr]) -> list[Element]:
        ds = partials(self.ring, symbols)
        return [d(t) for t in self.tau for d in ds]


class SystemInRing(InRing):
    """The equations of a system."""

    def __init__(self, formulas: SystemFormulas) -> None:
        super().__init__(formulas.equations())
        self.has_energies = formulas.has_energies
        self.is_quadratic = formulas.is_quadratic

    @cached_property
    def V(self) -> Element:
        return self.eq.forms.V

    @cached_property
    def E(self) -> Element:
        if self.has_energies:
            return self.T + self.V
        L = self.eq.forms.L
        momenta = [d(L) for d in partials(self.ring, self.eq.velocities)]
        return sum((p * v for p, v in zip(momenta, self.eq.rates, strict=True)), -L)

    @cached_property
    def g(self) -> list[Element]:
        rest = dict.fromkeys(self.eq.velocities, ZERO)
        slopes = partials(self.ring, self.eq.coordinates)
        return canonical_all(
            self.ring, substitute([rebuild(-d(self.eq.forms.L)) for d in slopes], rest)
        )

    @cached_property
    def h(self) -> list[Element]:
        return list(self.eq.bias_form)

    @computes("Υ", "q qd u", forces="v")
    def applied_forces(self) -> Outputs[Element]:
        return {"forces": list(self.eq.forms.forces)}


class MechanismInRing(InRing):
    """The equations of a mechanism; springs and friction count where its model has them."""

    has_energies = True

    def __init__(self, formulas: MechanismFormulas) -> None:
        super().__init__(formulas.mechanism.equations())
        self.formulas = formulas

    @cached_property
    def V(self) -> Element:
        return self.eq.forms.V if self.formulas.passive else self._weight

    @cached_property
    def E(self) -> Element:
        return self.T + self.V

    @cached_property
    def g(self) -> list[Element]:
        return [d(self._weight) for d in partials(self.ring, self.eq.coordinates)]

    @cached_property
    def h(self) -> list[Element]:
        forms = self.eq.forms
        if not self.formulas.passive:
            return [*map(add, forms.C @ self.eq.rates, self.g)]
        # friction stands among the forces of the equations, beside the torques
        applied = applied_torques(self.formulas.tree)
        tau = [self.ring.element(t) for t in canonical_all(self.ring, applied)]
        parts = zip(self.eq.bias_form, forms.forces, tau, strict=True)
        return [h - (f - t) for h, f, t in parts]

    @cached_property
    def _weight(self) -> Element:
        """V of the weight alone."""
        tree = over_ring(self.formulas.tree, self.ring)
        q = [self.ring.element_of(x) for x in self.eq.coordinates]
        return self.ring.element(potential_energy(tree, q))
