"""The formulas of a system: derivatives of its Lagrangian on the graph.

Nothing is expanded, so that the work stays near that of the energies as they were written; the
exact equations of the same system prove what they compute (`Model.prove`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert.errors import InvalidMechanism, InvalidSystem
from dalembert.expr import (
    ONE,
    ZERO,
    Expr,
    Kind,
    Matrix,
    as_expr,
    free_symbols,
    gradient,
    is_kind,
    jacobian,
    symbol_text,
    tangent,
    time,
)
from dalembert.expr.substitute import substitute
from dalembert.mechanics import System
from dalembert.mechanism import Mechanism
from dalembert.model.configuration import Configuration
from dalembert.model.description import Description, Symbols
from dalembert.model.formulas.correction import correction_formula
from dalembert.model.formulas.formula import Formula, find, function
from dalembert.model.formulas.rows import dot, picked
from dalembert.recursions.constraints.closures import ConstraintRow, vanishes
from dalembert.recursions.constraints.constrained import constrained_dynamics
from dalembert.recursions.constraints.factorization import solve_symmetric

if TYPE_CHECKING:
    from dalembert.mechanics import Equations
    from dalembert.model.certificates.expected.in_ring import InRing
    from dalembert.model.certificates.expected.on_graph import OnGraph
    from dalembert.picture import Picture, Point


class SystemFormulas(Description):
    """M, h, A and what follows from them, over the symbols of the system itself.

    ``u`` are the inputs that occur in the forces, in the order of their names in the forces.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.name = "system"
        self.q = system.coordinates
        self.v = system.velocities
        self.a = system.accelerations
        self.nq = self.nv = len(self.q)
        used = [x for f in system.expressions() for x in free_symbols([f])]
        self.u = tuple(dict.fromkeys(x for x in used if is_kind(x, Kind.INPUT)))
        self.is_timed = time in used
        self.has_energies = system.lagrangian is system.kinetic - system.potential
        self.num_position_constraints = len(system.constraints)
        names = [
            *(f"constraint {i + 1}" for i in range(len(system.constraints))),
            *(f"velocity constraint {i + 1}" for i in range(len(system.velocity_constraints))),
        ]
        for name, e in zip(names, (*system.constraints, *system.velocity_constraints), strict=True):
            # in floats such a row would be rounding that seems to constrain something
            if vanishes(e):
                raise InvalidSystem(
                    f"expected {name} to restrict the motion, got {e} = 0, which holds "
                    "identically: drop it"
                )
        self.constraint_rows = tuple(ConstraintRow(i, name) for i, name in enumerate(names))
        self.configuration = Configuration.of_coordinates([symbol_text(x) for x in self.q])
        self.symbols = Symbols(self.q, self.v, self.a, self.u, system.parameters)

    def __str__(self) -> str:
        return str(self.system)

    def packed_fields(self) -> dict[str, object]:
        return {"description": self.system}

    @property
    def mechanism(self) -> Mechanism:
        raise InvalidMechanism(
            "expected the model of a mechanism, got one of a system: it has no links, joints or "
            "frames"
        )

    @property
    def regressor_parameters(self) -> tuple[tuple[str, ...], list[Expr]]:
        raise InvalidMechanism("expected a mechanism for a regressor, got a system")

    def picture(self, points: Mapping[str, Point] | None = None) -> Picture:
        from dalembert.model.pictures.system import picture_of_system

        return picture_of_system(self.system, points)

    def array_docs(self) -> None:
        return None

    def equations(self) -> Equations:
        return self.system.equations()

    def expected_on_graph(self) -> OnGraph:
        from dalembert.model.certificates.expected.lagrange import SystemByLagrange

        return SystemByLagrange(self)

    def expected_in_ring(self) -> InRing:
        from dalembert.model.certificates.expected.in_ring import SystemInRing

        return SystemInRing(self)

    def formula(self, name: str, **options: object) -> Formula:
        return find(self, name, options, of=self.name)

    # ---- dynamics

    @function
    def mass_matrix(self) -> Formula:
        """M = ∂²L/∂q̇²."""
        self._need_quadratic("mass_matrix(q)")
        return Formula({"q": self.q}, {"M": self.M})

    @function
    def metric(self) -> Formula:
        """The diagonal of M, and q̇ᵀ M q̇: what velocities are measured by."""
        M = self.M.rows
        square = dot([dot(row, self.v) for row in M], self.v)
        return Formula(
            self._qv(), {"diagonal": [M[i][i] for i in range(self.nv)], "square": square}
        )

    @function
    def coriolis(self) -> Formula:
        """C of the Christoffel symbols: ½ (Ṁ + D - Dᵀ) with D = ∂(M q̇)/∂q, q̇ held."""
        self._need_quadratic("coriolis(q, qd)")
        n = self.nv
        M = [self.M[i, j] for i in range(n) for j in range(n)]
        rate = tangent(M, dict(zip(self.q, self.v, strict=True)))
        # hold the velocities: they are symbols of their own under ∂/∂q
        D = jacobian([dot([self.M[k, j] for j in range(n)], self.v) for k in range(n)], self.q)
        C = [[(rate[k * n + j] + D[k, j] - D[j, k]) / 2 for j in range(n)] for k in range(n)]
        return Formula(self._qv(), {"C": C})

    @function
    def gravity(self) -> Formula:
        """∂V/∂q: what acts at rest."""
        rest = dict.fromkeys(self.v, ZERO)
        g = substitute([-x for x in gradient(self.system.lagrangian, self.q)], rest)
        return Formula({"q": self.q}, {"g": g})

    @function
    def bias(self) -> Formula:
        """h = C q̇ + N."""
        return Formula(self._qv(), {"h": self.h})

    @function
    def inverse_dynamics(self) -> Formula:
        """M q̈ + C q̇ + N: the generalized forces, those of constraints included."""
        return Formula({**self._qv(), "qdd": self.a}, {"tau": self._left})

    @function
    def applied_forces(self) -> Formula:
        """Υ(q, q̇, u)."""
        return Formula(self._qvu(), {"forces": list(self.system.forces)})

    @function
    def dry_friction(self) -> Formula:
        """Force and size of dry friction: zeros, a system has it among its forces."""
        none = [ZERO] * self.nv
        return Formula(self._qv(), {"force": none, "size": none})

    @function
    def forward_dynamics(self) -> Formula:
        """q̈ for the inputs; constraints hold."""
        return Formula(self._qvu(), {"qdd": self._accelerations(self.system.forces)})

    @function
    def constraint_dynamics(self, *, rows: tuple[int, ...] | None = None) -> Formula:
        """q̈ and the multipliers λ: of all constraints, or of some."""
        self._need_constraints()
        qdd, lam = self._constrained(self.system.forces, rows)
        return Formula(self._qvu(), {"qdd": qdd, "lam": lam})

    @function
    def inverse_dynamics_derivatives(self) -> Formula:
        """∂τ/∂q, ∂τ/∂q̇ and ∂τ/∂q̈ = M."""
        outputs = {
            "dtau_dq": jacobian(self._left, self.q),
            "dtau_dv": jacobian(self._left, self.v),
            "M": self.M,
        }
        return Formula({**self._qv(), "qdd": self.a}, outputs)

    @function
    def forward_dynamics_derivatives(self) -> Formula:
        """∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂u."""
        qdd = self._accelerations(self.system.forces)
        outputs = {
            "dqdd_dq": jacobian(qdd, self.q),
            "dqdd_dv": jacobian(qdd, self.v),
            "dqdd_du": jacobian(qdd, self.u),
        }
        return Formula(self._qvu(), outputs)

    # ---- energies

    @function
    def kinetic_energy(self) -> Formula:
        """T(q, q̇)."""
        self._need_energies()
        return Formula(self._qv(), {"T": self.system.kinetic})

    @function
    def potential_energy(self) -> Formula:
        """V(q)."""
        self._need_energies()
        return Formula({"q": self.q}, {"V": self.system.potential})

    @function
    def energy(self) -> Formula:
        """T + V; of a bare Lagrangian its energy function q̇ ∂L/∂q̇ - L."""
        if self.has_energies:
            return Formula(self._qv(), {"E": self.system.kinetic + self.system.potential})
        E = dot(self._momenta, self.v) - self.system.lagrangian
        return Formula(self._qv(), {"E": E})

    @function
    def powers(self) -> Formula:
        """The power that comes in, and the power ∂R/∂q̇ · q̇ that is dissipated.

        Ideal constraints do no work unless they move with time; where anything does, the power
        that comes in is taken from the energy itself, dE/dt + dissipated.
        """
        lost = dot(gradient(self.system.dissipation, self.v), self.v)
        supplied = dot(self.system.forces, self.v)
        if self._is_driven:
            (E,) = self.energy().outputs.values()
            flow = {**self._flow, **dict(zip(self.v, self.a, strict=True))}
            supplied = tangent([as_expr(E)], flow)[0] + lost
        outputs = {"supplied": supplied, "dissipated": lost}
        return Formula({**self._qv(), "qdd": self.a, "u": self.u}, outputs)

    @function
    def momenta(self) -> Formula:
        """p = ∂L/∂q̇ and ṗ = ∂L/∂q + Υ - ∂R/∂q̇, without reactions."""
        slopes = gradient(self.system.lagrangian, self.q)
        lost = gradient(self.system.dissipation, self.v)
        parts = zip(slopes, self.system.forces, lost, strict=True)
        return Formula(self._qvu(), {"p": self._momenta, "rate": [s + f - r for s, f, r in parts]})

    # ---- constraints

    @function
    def constraint_error(self) -> Formula:
        """a(q)."""
        self._need_constraints()
        return Formula({"q": self.q}, {"error": list(self.system.constraints)})

    @function
    def constraint_jacobian(self) -> Formula:
        """A: the rows ∂a/∂q, then the Pfaffian ones."""
        self._need_constraints()
        return Formula({"q": self.q}, {"A": self._A})

    @function
    def constraint_velocity(self) -> Formula:
        """da/dt, then the constraints of velocities alone: A q̇ and what moves by itself."""
        self._need_constraints()
        return Formula(self._qv(), {"rate": self._velocity_form})

    @function
    def constraint_correction(self, *, rows: tuple[int, ...]) -> Formula:
        """The smallest change δ of velocities in δᵀ M δ with A δ = error, for some rows."""
        self._need_constraints()
        A = picked(self._A.rows, rows)
        # any metric will do where M depends on q̇: that of rest
        rest = dict.fromkeys(self.v, ZERO)
        M = [substitute(row, rest) for row in self.M.rows]
        return correction_formula(self.q, M, A, thresholds=self.thresholds)

    @function
    def constraint_bias(self) -> Formula:
        """b with A q̈ + b = 0."""
        self._need_constraints()
        return Formula(self._qv(), {"bias": self._constraint_bias})

    # ---- configurations

    @function
    def configuration_rate(self) -> Formula:
        """dq/dt = q̇."""
        return Formula(self._qv(), {"rate": list(self.v)})

    @function
    def normalized(self) -> Formula:
        """q itself: there are no quaternions."""
        return Formula({"q": self.q}, {"q": list(self.q)})

    # ---- parts that several share

    @cached_property
    def _momenta(self) -> list[Expr]:
        return gradient(self.system.lagrangian, self.v)

    @cached_property
    def M(self) -> Matrix:
        """The mass matrix."""
        return jacobian(self._momenta, self.v)

    @cached_property
    def h(self) -> list[Expr]:
        """d/dt ∂L/∂q̇ - ∂L/∂q + ∂R/∂q̇ where q̈ = 0."""
        rates = tangent(self._momenta, self._flow)
        slopes = gradient(self.system.lagrangian, self.q)
        resistance = gradient(self.system.dissipation, self.v)
        return [p - s + r for p, s, r in zip(rates, slopes, resistance, strict=True)]

    @property
    def _flow(self) -> dict[Expr, Expr]:
        """How the symbols move while the coordinates do not accelerate."""
        return {**dict(zip(self.q, self.v, strict=True)), time: ONE}

    @cached_property
    def _left(self) -> list[Expr]:
        n = self.nv
        return [dot([self.M[i, j] for j in range(n)], self.a) + self.h[i] for i in range(n)]

    @cached_property
    def _velocity_form(self) -> list[Expr]:
        """da/dt and the Pfaffian constraints: A q̇ + drift."""
        return [
            *tangent(self.system.constraints, self._flow),
            *self.system.velocity_constraints,
        ]

    @cached_property
    def _A(self) -> Matrix:
        return jacobian(self._velocity_form, self.v)

    @cached_property
    def _constraint_bias(self) -> list[Expr]:
        return tangent(self._velocity_form, self._flow)

    def _accelerations(self, forces: Sequence[Any]) -> list[Any]:
        if self.has_constraints:
            return self._constrained(forces)[0]
        right = [f - b for f, b in zip(forces, self.h, strict=True)]
        return solve_symmetric(self.M.rows, right)

    def _constrained(
        self, forces: Sequence[Any], rows: tuple[int, ...] | None = None
    ) -> tuple[list[Any], list[Any]]:
        right = [f - b for f, b in zip(forces, self.h, strict=True)]
        A, bias = picked(self._A.rows, rows), picked(self._constraint_bias, rows)
        return constrained_dynamics(self.M.rows, right, A, bias, None, self.thresholds)

    @cached_property
    def is_quadratic(self) -> bool:
        """Whether L is quadratic in q̇, so that M depends on q alone."""
        return set(free_symbols(self.M.entries)).isdisjoint(self.v)

    @property
    def _is_driven(self) -> bool:
        """Whether constraints or energies move by themselves, and so do work."""
        drift = substitute(self.system.velocity_constraints, dict.fromkeys(self.v, ZERO))
        return self.is_timed or any(x != 0 for x in drift)

    def _need_energies(self) -> None:
        if not self.has_energies:
            raise InvalidSystem(
                "expected kinetic= and potential= for single energies, got lagrangian=: "
                "use energy, which needs the Lagrangian only"
            )

    def _need_quadratic(self, what: str) -> None:
        if not self.is_quadratic:
            raise InvalidSystem(
                f"expected a Lagrangian quadratic in the velocities for {what}, got one whose mass "
                "matrix depends on them: inverse_dynamics_derivatives(q, qd, qdd) has it as M"
            )

    def _need_constraints(self) -> None:
        if not self.has_constraints:
            raise InvalidSystem("expected constraints in the system, got none")

    def _qv(self) -> dict[str, Any]:
        return {"q": self.q, "qd": self.v}

    def _qvu(self) -> dict[str, Any]:
        return {**self._qv(), "u": self.u}
