"""What the programs of a model must compute, from the equations of motion: never from programs.

Three witnesses: the exact equations in their ring; Lagrange's equations on the graph, where only
the energies of the description are differentiated; and, for joints without coordinates of their
own (spherical, floating), the Newton–Euler recursion along the tree as it was described.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from dalembert.expr import (
    ZERO,
    Expr,
    Matrix,
    as_expr,
    ddt_all,
    gradient,
    inputs,
    jacobian,
    tangent,
)
from dalembert.expr.substitute import substitute
from dalembert.mechanics import System
from dalembert.mechanics.equations.equations import Equations
from dalembert.mechanics.equations.lagrange import multiplier_symbols
from dalembert.mechanics.robots.equations import over_ring
from dalembert.model.formulas.mechanism import MechanismFormulas
from dalembert.model.formulas.system import SystemFormulas
from dalembert.recursions.constraints import loops
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.kinematics import kinetic_energy, potential_energy
from dalembert.recursions.resistance.forces import dissipation, dry_forces, passive_forces
from dalembert.recursions.resistance.springs import spring_energy
from dalembert.ring import Element, canonical_all, partials, rebuild
from dalembert.spatial.vectors import ZERO as ZERO_VECTOR

Outputs = dict[str, list[Any]]


class RingWitness:
    """The exact equations; every output is a list of ring elements."""

    def __init__(self, formulas: MechanismFormulas | SystemFormulas) -> None:
        self.formulas = formulas
        self.eq: Equations = (
            formulas.mechanism.equations()
            if isinstance(formulas, MechanismFormulas)
            else formulas.system.equations()
        )
        self.ring = self.eq.ring

    def expected(self, name: str) -> Outputs | None:
        """Return what a function must compute, or None where these equations do not say it."""
        forms = self.eq.forms
        match name:
            case "mass_matrix":
                return {"M": list(forms.M)}
            case "coriolis":
                return {"C": list(forms.C)}
            case "gravity":
                return {"g": self._gravity}
            case "bias":
                return {"h": self._bias}
            case "inverse_dynamics":
                return {"tau": self._torque}
            case "inverse_dynamics_derivatives":
                return {
                    "dtau_dq": self._slopes(self.eq.coordinates),
                    "dtau_dv": self._slopes(self.eq.velocities),
                    "M": list(forms.M),
                }
            case "kinetic_energy" if has_energies(self.formulas):
                return {"T": [forms.T]}
            case "potential_energy" if has_energies(self.formulas):
                return {"V": [self._potential]}
            case "energy":
                return {"E": [self._energy]}
            case "applied_forces" if isinstance(self.formulas, SystemFormulas):
                return {"forces": list(forms.forces)}
            case _:
                return None

    @cached_property
    def _potential(self) -> Element:
        f = self.formulas
        if isinstance(f, MechanismFormulas) and not f.passive:
            return self._weight
        return self.eq.forms.V

    @cached_property
    def _weight(self) -> Element:
        """V of the weight alone."""
        assert isinstance(self.formulas, MechanismFormulas)
        tree = over_ring(self.formulas.tree, self.ring)
        q = [self.ring.element_of(x) for x in self.eq.coordinates]
        return self.ring.element(potential_energy(tree, q))

    @cached_property
    def _energy(self) -> Element:
        if has_energies(self.formulas):
            return self.eq.forms.T + self._potential
        L = self.eq.forms.L
        momenta = [d(L) for d in partials(self.ring, self.eq.velocities)]
        return sum((p * v for p, v in zip(momenta, self.eq.rates, strict=True)), -L)

    @cached_property
    def _gravity(self) -> list[Element]:
        slopes = partials(self.ring, self.eq.coordinates)
        if isinstance(self.formulas, MechanismFormulas):
            return [d(self._weight) for d in slopes]
        rest = dict.fromkeys(self.eq.velocities, ZERO)
        at_rest = substitute([rebuild(-d(self.eq.forms.L)) for d in slopes], rest)
        return canonical_all(self.ring, at_rest)

    @cached_property
    def _bias(self) -> list[Element]:
        forms = self.eq.forms
        if isinstance(self.formulas, SystemFormulas):
            return list(self.eq.bias_form)
        if not self.formulas.passive:
            return [*map(_add, forms.C @ self.eq.rates, self._gravity)]
        tau = [self.ring.element(t) for t in canonical_all(self.ring, self.formulas.u)]
        applied = [f - t for f, t in zip(forms.forces, tau, strict=True)]
        return [h - f for h, f in zip(self.eq.bias_form, applied, strict=True)]

    @cached_property
    def _torque(self) -> list[Element]:
        return [*map(_add, self.eq.forms.M @ self.eq.second_rates, self._bias)]

    def _slopes(self, symbols: Sequence[Expr]) -> list[Element]:
        ds = partials(self.ring, symbols)
        return [d(t) for t in self._torque for d in ds]


class GraphWitness:
    """Equations as graphs; every output is a list of expressions, nothing is expanded.

    ``residual`` is r(q, q̇, q̈, u, λ), zero along every motion; ``constraints`` are the expressions
    in q̈ that vanish where loops stay closed, ``torque`` is M q̈ + h without inputs and reactions.
    """

    title: str
    kinetic: Expr
    potential: Expr
    gravity: list[Expr]
    torque: list[Expr]
    residual: list[Expr]
    multipliers: Sequence[Expr]
    constraints: list[Expr]

    def __init__(self, formulas: Any) -> None:
        self.formulas = formulas
        self.q, self.v, self.a, self.u = formulas.q, formulas.v, formulas.a, formulas.u

    def expected(self, name: str) -> Outputs | None:
        """Return what a function must compute, or None where this witness does not say it."""
        match name:
            case "mass_matrix":
                return {"M": self.M}
            case "gravity":
                return {"g": self.gravity}
            case "bias":
                return {"h": substitute(self.torque, dict.fromkeys(self.a, ZERO))}
            case "inverse_dynamics":
                return {"tau": self.torque}
            case "inverse_dynamics_derivatives" if len(self.q) == len(self.v):
                return {
                    "dtau_dq": list(jacobian(self.torque, self.q)),
                    "dtau_dv": list(jacobian(self.torque, self.v)),
                    "M": self.M,
                }
            case "kinetic_energy" if has_energies(self.formulas):
                return {"T": [self.kinetic]}
            case "potential_energy" if has_energies(self.formulas):
                return {"V": [self.potential]}
            case "energy" if has_energies(self.formulas):
                return {"E": [self.kinetic + self.potential]}
            case _:
                return None

    @cached_property
    def M(self) -> list[Expr]:
        """∂r/∂q̈, in row order."""
        return list(jacobian(self.torque, self.a))


class LagrangeWitness(GraphWitness):
    """d/dt ∂L/∂q̇ - ∂L/∂q + ∂R/∂q̇ - Υ - Aᵀλ on the graph."""

    title = "Lagrange's equations, the energies differentiated on the graph"

    def __init__(self, formulas: MechanismFormulas | SystemFormulas) -> None:
        super().__init__(formulas)
        q, v = self.q, self.v
        is_system = isinstance(formulas, SystemFormulas)
        s = self.system = formulas.system if is_system else rigid_system(formulas)
        self.kinetic, self.potential = s.kinetic, s.potential
        momenta, slopes = gradient(s.lagrangian, v), gradient(s.lagrangian, q)
        parts = zip(ddt_all(momenta), slopes, gradient(s.dissipation, v), strict=True)
        left = [p - k + d for p, k, d in parts]
        if is_system:
            self.torque = left
            self.gravity = substitute([-k for k in slopes], dict.fromkeys(v, ZERO))
            self.multipliers = multiplier_symbols(s)
            rates = [*ddt_all(s.constraints), *s.velocity_constraints]
            A, self.constraints = jacobian(rates, v) if rates else None, ddt_all(rates)
        else:
            # dry friction counts among the forces of the system, and here with the mechanism
            applied = zip(left, s.forces, self.u, strict=True)
            self.torque = [k - (f - u) for k, f, u in applied]
            self.gravity = gradient(as_expr(potential_energy(formulas.tree, q)), q)
            self.multipliers, A, self.constraints = _loop_rows(formulas)
        parts = zip(left, s.forces, _reactions(A, self.multipliers, len(q)), strict=True)
        self.residual = [k - f - r for k, f, r in parts]

    def expected(self, name: str) -> Outputs | None:
        """Return what a function must compute; C from the Christoffel symbols of M."""
        match name:
            case "coriolis":
                return {"C": self._christoffel()}
            case "applied_forces" if isinstance(self.formulas, SystemFormulas):
                return {"forces": list(self.system.forces)}
            case "energy" if not has_energies(self.formulas):
                L = self.system.lagrangian
                momenta = gradient(L, self.v)
                return {"E": [sum((p * x for p, x in zip(momenta, self.v, strict=True)), -L)]}
            case _:
                return super().expected(name)

    def _christoffel(self) -> list[Expr]:
        """½ (Ṁ + D - Dᵀ) with D = ∂(M q̇)/∂q, in row order."""
        n = len(self.q)
        rate = tangent(self.M, dict(zip(self.q, self.v, strict=True)))
        momenta = [sum((self.M[k * n + j] * self.v[j] for j in range(n)), ZERO) for k in range(n)]
        D = jacobian(momenta, self.q)
        return [(rate[k * n + j] + D[k, j] - D[j, k]) / 2 for k in range(n) for j in range(n)]


class NewtonEulerWitness(GraphWitness):
    """The recursion along the tree as described, without reduction and without passes."""

    title = "the Newton–Euler recursion along the tree as it was described"

    def __init__(self, formulas: MechanismFormulas) -> None:
        super().__init__(formulas)
        tree, q, v = formulas.tree, self.q, self.v
        self.kinetic = as_expr(kinetic_energy(tree, q, v))
        self.potential = as_expr(potential_energy(tree, q))
        still = [0] * formulas.nv
        self.gravity = [as_expr(x) for x in inverse_dynamics(tree, q, still, still)]
        self.torque = [as_expr(x) for x in inverse_dynamics(tree, q, v, self.a)]
        if formulas.passive:
            self.potential = self.potential + as_expr(spring_energy(tree, q))
            passive = passive_forces(tree, q, v, smoothing=formulas.smoothing)
            self.torque = [t - p for t, p in zip(self.torque, passive, strict=True)]
        self.multipliers, A, self.constraints = _loop_rows(formulas)
        parts = zip(self.torque, self.u, _reactions(A, self.multipliers, len(v)), strict=True)
        self.residual = [t - u - r for t, u, r in parts]

    def expected(self, name: str) -> Outputs | None:
        """Return what a function must compute; of C only what it makes of q̇, without weight."""
        if name != "coriolis":
            return super().expected(name)
        f: MechanismFormulas = self.formulas
        still = [0] * f.nv
        tau = inverse_dynamics(f.tree, self.q, self.v, still, gravity=ZERO_VECTOR)
        return {"Cv": [as_expr(t) for t in tau]}


def rigid_system(formulas: MechanismFormulas) -> System:
    """Return energies and forces of a mechanism as its model takes them; loops are left out."""
    tree, q, v = formulas.tree, formulas.q, formulas.v
    V = as_expr(potential_energy(tree, q))
    T = as_expr(kinetic_energy(tree, q, v))
    if not formulas.passive:
        return System(coordinates=q, kinetic=T, potential=V, forces=list(formulas.u))
    dry = dry_forces(tree, v, smoothing=formulas.smoothing)
    return System(
        coordinates=q,
        kinetic=T,
        potential=V + as_expr(spring_energy(tree, q)),
        forces=[t + f for t, f in zip(formulas.u, dry, strict=True)],
        dissipation=as_expr(dissipation(tree, q, v)),
    )


def _loop_rows(formulas: MechanismFormulas) -> tuple[Sequence[Expr], Any, list[Expr]]:
    """Return multipliers, A and the rows A q̈ + b of loops and couplings."""
    mechanism = formulas.mechanism
    if not (mechanism.loops or mechanism.couplings):
        return (), None, []
    tree, q = formulas.tree, formulas.q
    A = Matrix(loops.loop_jacobian(tree, q))
    b = loops.loop_bias(tree, q, formulas.v)
    rows = A @ Matrix.column(list(formulas.a))
    lam = inputs(" ".join(f"lam{i + 1}" for i in range(len(b))))
    return lam, A, [as_expr(x + y) for x, y in zip(rows, b, strict=True)]


def _reactions(A: Any, multipliers: Sequence[Expr], n: int) -> list[Expr]:
    """Return Aᵀ λ."""
    return [sum((A[i, k] * x for i, x in enumerate(multipliers)), ZERO) for k in range(n)]


def has_energies(formulas: Any) -> bool:
    """Tell whether T and V are known apart."""
    if isinstance(formulas, MechanismFormulas):
        return True
    s = formulas.system
    return s.lagrangian is s.kinetic - s.potential


def _add(x: Element, y: Element) -> Element:
    return x + y
