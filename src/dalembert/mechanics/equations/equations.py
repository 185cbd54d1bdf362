"""Exact equations of motion, M q̈ + C q̇ + N = Υ + Aᵀλ, with everything they were built from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from dalembert.elsewhere import OF_EQUATIONS, unknown_attribute
from dalembert.errors import InvalidSystem
from dalembert.expr import BySymbol, Expr, Matrix, Notation, Scalar, symbol_named
from dalembert.expr.data import packable
from dalembert.mechanics.equations import coriolis
from dalembert.mechanics.equations.at_a_point import NumericalSolution, free_directions, numerical
from dalembert.mechanics.equations.closed_form import closed_form, multipliers
from dalembert.mechanics.equations.dalembert import dalembert_residual
from dalembert.mechanics.equations.derivation import Derivation, Route, derivation
from dalembert.mechanics.equations.forms import Forms, is_quadratic, require_quadratic
from dalembert.mechanics.equations.parts import (
    carried_over,
    claimed,
    in_ring,
    is_matrix,
    shapes,
    written,
)
from dalembert.mechanics.equations.routes.letters import Letters, chosen_letters, own
from dalembert.mechanics.equations.text import equations_latex, equations_text, notation
from dalembert.mechanics.equilibria.equilibrium import Equilibria
from dalembert.mechanics.proofs.identity import ring_for
from dalembert.mechanics.proofs.proof import Proof, Proofs
from dalembert.mechanics.proofs.properties import prove
from dalembert.mechanics.results.base_parameters import BaseParameters
from dalembert.mechanics.results.eigenvalue_bounds import EigenvalueBounds, eigenvalue_bounds
from dalembert.mechanics.results.lumped import Lumped, lumped
from dalembert.mechanics.results.methods import Results
from dalembert.mechanics.results.regressor import Regressor, base_parameters, regressor
from dalembert.mechanics.results.remarks import with_remarks
from dalembert.mechanics.small_motions.linearisation import Linearisation
from dalembert.ring import Ring, canonical_matrix, partials, rebuild, rebuild_matrix, ring_of
from dalembert.ring.algebra.null_space import null_space

if TYPE_CHECKING:
    from dalembert.certificates import Certificate
    from dalembert.mechanics.system.system import System
    from dalembert.recursions.tree import Tree
    from dalembert.types import Array


@with_remarks
@packable
@dataclass(frozen=True, eq=False)
class Equations(Results):
    """Equations of motion of a `System`; every part is exact and canonical.

    ``T V L`` are the energies, ``M C N`` the manipulator form, ``forces`` the applied Υ, ``a`` the
    holonomic constraints, ``A`` and ``Ad`` the constraint Jacobian and its rate, ``lam`` the
    multipliers: Aᵀλ is the force the constraints exert *on* the mechanism. Those of a mechanism are
    force and moment of its loops in world axes, as in the compiled model; see docs/notation.md.
    ``tree`` are the links of the mechanism, if there is one, ``letters`` those of `with_letters`;
    ``remark`` says what makes the equations larger than they need be, such as rounded right angles
    in a file.
    """

    system: System
    ring: Ring
    forms: Forms
    lam: tuple[Expr, ...]
    tree: Tree | None = None
    letters: tuple[tuple[str, str], ...] = ()
    remark: str = ""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise unknown_attribute("Equations", name, dir(type(self)), OF_EQUATIONS)

    @property
    def _equations(self) -> Equations:
        return self

    @property
    def coordinates(self) -> tuple[Expr, ...]:
        """The generalized coordinates q."""
        return self.system.coordinates

    @property
    def velocities(self) -> tuple[Expr, ...]:
        """q̇."""
        return self.system.velocities

    @property
    def parameters(self) -> tuple[Expr, ...]:
        """The parameters that occur, by name."""
        return self.system.parameters

    @cached_property
    def notation(self) -> Notation:
        """How all objects of these equations are printed: short or long sines, order of terms."""
        return notation(self)

    @cached_property
    def is_quadratic(self) -> bool:
        """Whether L is quadratic in q̇, so that T, V and C q̇ are parts of its own.

        Of any other regular Lagrangian M = ∂²L/∂q̇², C is zero and N is all the rest.
        """
        return is_quadratic(self.ring, self.forms, self.velocities)

    @cached_property
    def T(self) -> Expr:
        """Kinetic energy."""
        require_quadratic(self, "a kinetic energy")
        return rebuild(self.forms.T)

    @cached_property
    def V(self) -> Expr:
        """Potential energy."""
        require_quadratic(self, "a potential energy")
        return rebuild(self.forms.V)

    @cached_property
    def L(self) -> Expr:
        """Lagrangian."""
        return rebuild(self.forms.L)

    @cached_property
    def M(self) -> Matrix:
        """Mass matrix, M[k, j] = ∂²L/∂q̇ₖ∂q̇ⱼ."""
        return self._written(self.forms.M, own(self, "M").glyph)

    @cached_property
    def C(self) -> Matrix:
        """Coriolis matrix, C[k, j] = Σ_i c_ijk q̇_i from the Christoffel symbols."""
        return self._written(self.forms.C, own(self, "C").glyph, self.velocities)

    @cached_property
    def N(self) -> Matrix:
        """Everything else on the left: gravity, springs, dissipation, gyroscopic terms."""
        return self._written(self.forms.N, "N")

    @cached_property
    def forces(self) -> Matrix:
        """Applied generalized forces Υ."""
        return self._written(self.forms.forces)

    @cached_property
    def a(self) -> Matrix:
        """Holonomic constraints, a(q, t) = 0."""
        return self._written(self.forms.a)

    @cached_property
    def A(self) -> Matrix:
        """Constraint Jacobian: first the holonomic rows ∂a/∂q, then the Pfaffian ones."""
        return self._written(self.forms.A, "A")

    @cached_property
    def Ad(self) -> Matrix:
        """Rate of the constraint Jacobian."""
        return self._written(self.forms.Ad)

    @cached_property
    def drift(self) -> Matrix:
        """b in the velocity constraint A q̇ + b = 0; zero unless time occurs explicitly."""
        return self._written(self.forms.drift)

    @cached_property
    def drift_rate(self) -> Matrix:
        """ḃ, so that accelerations obey A q̈ + Ȧ q̇ + ḃ = 0."""
        return self._written(self.forms.drift_rate)

    def _written(self, a: Matrix, letter: str = "", rates: Sequence[Expr] = ()) -> Matrix:
        """Return a matrix of ring elements as expressions, printed in this system's notation."""
        return rebuild_matrix(a, rates).printed_as(self.notation._replace(letter=letter))

    # ---- in the ring

    @cached_property
    def rates(self) -> Matrix:
        """q̇ as ring elements."""
        return self.ring.column(self.velocities)

    @cached_property
    def second_rates(self) -> Matrix:
        """q̈ as ring elements."""
        return self.ring.column(self.system.accelerations)

    @cached_property
    def bias_form(self) -> Matrix:
        """h = C q̇ + N as ring elements."""
        return self.forms.C @ self.rates + self.forms.N

    @cached_property
    def residual_form(self) -> Matrix:
        """M q̈ + C q̇ + N - Υ - Aᵀλ as ring elements."""
        left = self.forms.M @ self.second_rates + self.bias_form - self.forms.forces
        if not self.lam:
            return left
        return left - self.forms.A.T @ self.ring.column(self.lam)

    @cached_property
    def residual(self) -> Matrix:
        """M q̈ + C q̇ + N - Υ - Aᵀλ, zero along every motion."""
        return self._written(self.residual_form)

    @cached_property
    def bias(self) -> Matrix:
        """h = C q̇ + N."""
        return self._written(self.bias_form)

    # ---- what follows from them

    def christoffel(self) -> list[list[list[Expr]]]:
        """Return c[i][j][k] = ½ (∂M_kj/∂q_i + ∂M_ki/∂q_j - ∂M_ij/∂q_k)."""
        require_quadratic(self, "Christoffel symbols")
        dM = [d.of_matrix(self.forms.M) for d in partials(self.ring, self.coordinates)]
        c = coriolis.christoffel_symbols(self.ring, dM)
        return [[[rebuild(x) for x in row] for row in plane] for plane in c]

    def coriolis_by_differentiation(self) -> Matrix:
        """Return C q̇ = Ṁ q̇ - ½ ∂(q̇ᵀ M q̇)/∂q (Savin 18)."""
        require_quadratic(self, "C q̇")
        return self._written(coriolis.coriolis_by_differentiation(self))

    def coriolis_by_kronecker(self) -> Matrix:
        """Return C q̇ = Ṁ q̇ - ½ (∂vec(M)/∂q)ᵀ (q̇ ⊗ q̇) (Savin 19)."""
        require_quadratic(self, "C q̇")
        return self._written(coriolis.coriolis_by_kronecker(self))

    def multipliers(self) -> Matrix:
        """Return λ in closed form by exact elimination, of large systems in factors."""
        return multipliers(self)

    def accelerations(self) -> Matrix:
        """Return q̈ in closed form by exact elimination, or raise `TooLarge`."""
        return closed_form(self)[0].printed_as(self.notation)

    def solve(self, values: BySymbol[float]) -> NumericalSolution:
        """Return q̈ and λ at given numbers; redundant constraints get the smallest λ."""
        return numerical(self, values)

    def virtual_displacements(self) -> Matrix:
        """Return Z whose columns span the virtual displacements {δq : A δq = 0}.

        They do at almost every point: where a minor of A vanishes, columns may depend on each other
        though the constraints do not. At one point `virtual_displacements_at` has them all.
        """
        return self._written(self.virtual_displacements_form)

    @cached_property
    def virtual_displacements_form(self) -> Matrix:
        """Z of `virtual_displacements` as ring elements."""
        return null_space(self.ring, self.forms.A)

    def virtual_displacements_at(self, values: BySymbol[float]) -> Array:
        """Return the virtual displacements at given numbers as orthonormal columns ``(n, k)``.

        Their number k is that of this point, also where constraints depend on each other.

        >>> import dalembert as da
        >>> x, y, z = da.coordinates("x y z")
        >>> on_ball = [x**2 + y**2 + z**2 - 1]
        >>> T = (x.dot**2 + y.dot**2 + z.dot**2) / 2
        >>> eq = da.System(coordinates=[x, y, z], kinetic=T, constraints=on_ball).equations()
        >>> eq.virtual_displacements_at({x: 0, y: 0, z: 1}).shape
        (3, 2)
        """
        return free_directions(self, values)

    def degrees_of_freedom(self) -> int:
        """Return the number of independent virtual displacements at almost every point."""
        return self.virtual_displacements_form.shape[1]

    def change_coordinates(
        self, positions: BySymbol[Scalar], coordinates: Sequence[Expr | str] | None = None
    ) -> Equations:
        """Return the equations in new coordinates, q = h(new); see `system.coordinates`."""
        from dalembert.mechanics.system.coordinates import change_coordinates

        return change_coordinates(self, positions, coordinates)

    def dalembert_residual(self) -> Matrix:
        """Return the residual built body by body with inertia forces; needs bodies."""
        return dalembert_residual(self.system, self.lam)

    def regressor(self, parameters: Sequence[Expr | str] | None = None) -> Regressor:
        """Return Y and Θ with M q̈ + C q̇ + N = Y Θ; Θ are products of parameters, such as m l²."""
        return regressor(self, self._parameters(parameters))

    def base_parameters(self, parameters: Sequence[Expr | str] | None = None) -> BaseParameters:
        """Return the fewest combinations of products of parameters that the motion depends on."""
        return base_parameters(self, self._parameters(parameters))

    def _parameters(self, given: Sequence[Expr | str] | None) -> list[Expr] | None:
        return None if given is None else [symbol_named(p, self.parameters) for p in given]

    def lumped(self) -> Lumped:
        """Return M, C and N in lumped parameters, with the table of what they stand for."""
        return lumped(self)

    def eigenvalue_bounds(
        self,
        values: Mapping[Expr, float],
        ranges: Mapping[Expr, tuple[float, float]] | None = None,
        *,
        tolerance: float = 0.01,
        max_boxes: int = 2000,
    ) -> EigenvalueBounds:
        """Return guaranteed bounds on the eigenvalues of M(q); see `results.eigenvalue_bounds`."""
        return eigenvalue_bounds(self, values, ranges, tolerance=tolerance, max_boxes=max_boxes)

    def equilibria(
        self,
        values: BySymbol[Scalar] | None = None,
        ranges: Mapping[Expr, tuple[float, float]] | None = None,
        steady: BySymbol[Scalar] | None = None,
    ) -> Equilibria:
        """Return where the system can rest, in closed form where there is one, and how stably.

        Inputs are zero and parameters positive symbols unless ``values`` has them. With values for
        all, equilibria without closed form are searched for, between the (low, high) of ``ranges``.
        ``steady`` has constant velocities of coordinates that occur nowhere: relative equilibria.

        Raises:
            Undecided: there is no closed form, and parameters have no values.

        >>> import dalembert as da
        >>> for x in da.textbook.cart_pole().equations().equilibria():
        ...     print(x.where, "|", x.stability.verdict)
        x any, θ = 0 | stable
        x any, θ = π | unstable
        """
        from dalembert.mechanics.equilibria.find import equilibria

        return equilibria(self, values, ranges, steady)

    def linearise(
        self, about: BySymbol[Scalar] | None = None, *, affine: bool = False
    ) -> Linearisation:
        """Return the linear equations of small deviations δq from an equilibrium or a motion.

        ``about`` has coordinates, inputs and, if wanted, parameters, by symbol or name; what is not
        named is zero. A coordinate may be an expression of parameters and `da.time`. ``affine``
        keeps the unbalanced force of a point that is no equilibrium.

        Raises:
            InvalidSystem: the forces do not balance there, or a constraint is violated.

        >>> import dalembert as da
        >>> print(da.textbook.cart_pole().equations().linearise({"theta": da.pi}))
        (m_c + m_p) δẍ - m_p l δθ̈ = δF
        -m_p l δẍ + m_p l² δθ̈ - m_p g l δθ = 0
        """
        from dalembert.mechanics.small_motions.linearise import linearise

        return linearise(self, about, affine=affine)

    def prove(self) -> list[Proof]:
        """Prove or refute the properties of the equations, exactly."""
        return Proofs(prove(self))

    def certificate(self, name: str | None = None) -> Certificate:
        """Return the equations with proofs in a file that anyone can check without dalembert.

        The checker, `dalembert/certificates/check.py`, is one file that needs nothing but Python.
        Claims that it refuses are left out, and `missing` says why. `Model.certificate` adds the
        code that is compiled.

        Args:
            name: The title. Default: the name of the mechanism, or "system".

        >>> import dalembert as da
        >>> claims = da.textbook.double_pendulum().equations().certificate("double pendulum")
        >>> "mass_matrix_is_positive" in claims.claims, sum(claims.check().values())
        (True, 31)

        Raises:
            InvalidExpression: a function that the checker has no rules for, such as log.
            TooLarge: equations that cannot be multiplied out.
        """
        from dalembert.certificates import certify

        title = "system" if self.tree is None else self.tree.name
        return certify(self, title if name is None else name)

    def derivation(
        self,
        route: Route = "lagrange",
        positions: BySymbol[Scalar] | None = None,
        letters: Letters | None = None,
    ) -> Derivation:
        """Return the derivation: ordered steps, each a sentence with its formulas.

        ``route`` "lagrange" goes by the energies; "dalembert" projects the inertia forces of every
        body, Σ (Fᵢ - mᵢ aᵢ)·δrᵢ = 0, on the displacements that the constraints allow, and proves
        that the equations are the same. It ends with λ and q̈ in closed form where they are short.
        With ``positions``, as `change_coordinates` takes them, HᵀMH and the equations in the new
        coordinates are written out. ``letters`` are those of `with_letters`.

        Raises:
            InvalidSystem: D'Alembert's route of a system that was given by its energies alone.

        >>> import dalembert as da
        >>> steps = da.textbook.planar_arm().equations().derivation("dalembert").steps
        >>> print(steps[-1].remarks[0].splitlines()[0])
        ✓ D'Alembert's principle and Lagrange's method give the same equations
        """
        return derivation(self.with_letters(letters), route, positions)

    def replaced(self, **parts: Matrix | Scalar) -> Equations:
        """Return these equations with other parts, such as ``M=``: a claim for `prove` to judge.

        Every part can be replaced: the energies ``T V L`` and the ``dissipation``, the matrices
        ``M C N forces``, and of the constraints ``a A Ad drift drift_rate``.

        >>> import dalembert as da
        >>> eq = da.textbook.particle().equations()
        >>> [p.verdict for p in eq.replaced(N=-eq.N).prove()].count("refuted") > 0
        True
        """
        columns = {name: claimed(self.forms, name, part) for name, part in parts.items()}
        ring = ring_for(self, [x for a in columns.values() for x in a.entries])
        forms = self.forms if ring is self.ring else carried_over(self.forms, ring)
        given = {name: canonical_matrix(ring, a) for name, a in columns.items()}
        scalars = {name: a[0] for name, a in given.items() if not is_matrix(self.forms, name)}
        return replace(self, ring=ring, forms=forms._replace(**(given | scalars)))

    def with_letters(self, letters: Letters | None) -> Equations:
        """Return these equations, printed in the letters of a course; λ keeps its sign.

        Args:
            letters: "penn" (D, C, φ), "savin" (H, c, F), "cmu" (M, C, N, A) or ``{"M": "B"}``.

        Raises:
            UnknownName: no such course, or a letter that is not ours.
        """
        return self if letters is None else replace(self, letters=chosen_letters(letters))

    # ---- data

    def packed_fields(self) -> dict[str, object]:
        """Return the description and the parts as expressions."""
        return {
            "system": self.system,
            "generators": list(self.ring.generators),
            "parts": {name: written(part) for name, part in self.forms._asdict().items()},
            "lam": self.lam,
            "tree": self.tree,
            "letters": dict(self.letters),
            "remark": self.remark,
        }

    @classmethod
    def from_packed(
        cls,
        system: System,
        generators: list[Expr],
        parts: dict[str, Matrix | Expr],
        lam: tuple[Expr, ...],
        tree: Tree | None,
        letters: dict[str, str] | None = None,
        remark: str = "",
    ) -> Equations:
        """Return the equations with these parts: a claim for `prove` to judge, like `replaced`."""
        for name, shape in shapes(system, len(lam)).items():
            got = parts[name].shape if isinstance(parts[name], Matrix) else ()  # type: ignore[union-attr]
            if got != shape:
                raise InvalidSystem(f"expected {name} of shape {shape}, got {got}")
        symbols = [g for g in generators if g.op == "symbol"]
        # the generators first: they give the order of the angles
        ring = ring_of([*generators, *system.expressions()], symbols)
        chosen = chosen_letters(letters or None)
        return cls(system, ring, Forms(**in_ring(ring, parts)), lam, tree, chosen, remark)

    # ---- text

    def __str__(self) -> str:
        return equations_text(self)

    __repr__ = __str__

    def latex(self, letters: Letters | None = None) -> str:
        """Return the equations of motion, one line for each coordinate, as LaTeX.

        With ``letters``, as `with_letters` takes them, a last line says what they are.
        """
        return equations_latex(self.with_letters(letters))

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"
