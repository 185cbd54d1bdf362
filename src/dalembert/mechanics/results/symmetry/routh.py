"""Routh's reduction: cyclic coordinates leave, their constant momenta stay as parameters."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import InvalidSystem, SingularSystem
from dalembert.expr import Expr, Kind, Matrix, substitute, symbol, symbol_text
from dalembert.mechanics.equations.closed_form import explain_singular
from dalembert.mechanics.equations.forms import LagrangianParts, split_lagrangian
from dalembert.mechanics.equations.formula import DerivationLine, formulas_latex, formulas_text
from dalembert.mechanics.equations.routes.letters import own
from dalembert.mechanics.proofs.domain import defined_where
from dalembert.mechanics.proofs.identity import IDENTICAL, identity
from dalembert.mechanics.proofs.proof import Proof
from dalembert.mechanics.results.conserved import cyclic_coordinates
from dalembert.mechanics.results.hamilton import momentum_name
from dalembert.mechanics.system.system import System
from dalembert.ring import (
    Element,
    Ring,
    canonical,
    canonical_all,
    partials,
    rebuild,
    rebuild_matrix,
    ring_of,
    solve,
)
from dalembert.typeset.parts.letters import names_in

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


class RouthForm(NamedTuple):
    """A system without its cyclic coordinates.

    ``momenta`` are the constants p = ∂L/∂q̇ of the ``cyclic`` coordinates, as parameters, with
    ``definitions`` by the velocities; ``routhian`` is R = L - Σ p q̇ without cyclic velocities and
    ``effective_potential`` -R at rest; ``system`` has the other coordinates and R for Lagrangian;
    ``rates`` are q̇ of the cyclic coordinates, whose integrals give back the motion.
    """

    cyclic: tuple[Expr, ...]
    momenta: tuple[Expr, ...]
    definitions: Matrix
    routhian: Expr
    effective_potential: Expr
    system: System
    rates: Matrix
    equations: Equations

    def prove(self) -> Proof:
        """Prove that the reduced equations are the full ones with the cyclic velocities put in."""
        return _prove(self)

    def _formulas(self) -> list[DerivationLine]:
        lines = [
            DerivationLine(str(p), p.latex(), value)
            for p, value in zip(self.momenta, self.definitions, strict=True)
        ]
        R, V = own(self.equations, "R"), own(self.equations, "V")
        effective = (f"{V}_eff", f"{V.latex}_{{\\mathrm{{eff}}}}")
        lines += [R.line(self.routhian), DerivationLine(*effective, self.effective_potential)]
        return lines + [
            DerivationLine(str(q.dot), q.dot.latex(), value)
            for q, value in zip(self.cyclic, self.rates, strict=True)
        ]

    def __str__(self) -> str:
        return f"{formulas_text(self._formulas())}\n{self.system.equations()}"

    def _repr_latex_(self) -> str:
        equations = self.system.equations().latex()
        return f"{formulas_latex(self._formulas())}\n\n$\\displaystyle {equations}$"


def routh(eq: Equations, coordinates: Sequence[Expr] = ()) -> RouthForm:
    """Return the system reduced by some of its cyclic coordinates, all of them if none is given."""
    cyclic = _checked(eq, coordinates)
    others = [q for q in eq.coordinates if q not in cyclic]
    momenta = _momentum_symbols(eq, cyclic)
    symbols = [g for g in eq.ring.generators if g.op == "symbol"]
    ring = ring_of(eq.system.expressions(), [*symbols, *momenta])
    L = canonical(ring, eq.system.lagrangian)
    order = (*cyclic, *others)
    split = _split(ring, L, order)
    R, rates = _eliminated(eq, ring, split, momenta, [q.dot for q in others])
    reduced = _split(ring, R, others)
    dv = partials(ring, [q.dot for q in cyclic])
    return RouthForm(
        cyclic,
        momenta,
        rebuild_matrix(Matrix.column([d(L) for d in dv])).printed_as(eq.notation),
        rebuild(R),
        rebuild(-reduced.constant),
        _reduced_system(eq, R, reduced, others, dict(zip(cyclic, rates, strict=True))),
        Matrix.column(rates).printed_as(eq.notation),
        eq,
    )


def _split(ring: Ring, L: Element, order: Sequence[Expr]) -> LagrangianParts:
    v = tuple(q.dot for q in order)
    return split_lagrangian(ring, L, partials(ring, v), v)


def _eliminated(
    eq: Equations,
    ring: Ring,
    split: LagrangianParts,
    momenta: Sequence[Expr],
    velocities: Sequence[Expr],
) -> tuple[Element, list[Expr]]:
    """Return R and the cyclic velocities, in terms of the momenta and the other velocities.

    With the cyclic coordinates c first and π = p - M_cr q̇_r - b_c:
    q̇_c = M_cc⁻¹ π,  R = ½ q̇_rᵀ M_rr q̇_r + b_rᵀ q̇_r + L₀ - ½ πᵀ M_cc⁻¹ π
    """
    n = len(momenta)
    M, b = split.M, split.b
    p, v = ring.column(momenta), ring.column(velocities)
    rest = Matrix([row[n:] for row in M.rows[:n]], len(velocities)) @ v
    pi = p - rest - Matrix.column(b.entries[:n])
    try:
        rates = solve(ring, Matrix([row[:n] for row in M.rows[:n]], n), pi)
    except SingularSystem:
        raise SingularSystem(explain_singular(eq)) from None
    M_rr = Matrix([row[n:] for row in M.rows[n:]], len(velocities))
    quadratic = v.dot(M_rr @ v) - pi.dot(rates)
    R = quadratic * Fraction(1, 2) + Matrix.column(b.entries[n:]).dot(v) + split.constant
    return R, [rebuild(x) for x in rates]


def _reduced_system(
    eq: Equations,
    R: Element,
    split: LagrangianParts,
    others: Sequence[Expr],
    rates: dict[Expr, Expr],
) -> System:
    old = eq.system
    applied = [f for q, f in zip(eq.coordinates, old.forces, strict=True) if q in others]
    forces = substitute(applied, {q.dot: value for q, value in rates.items()})
    for part in [*forces, *old.constraints, *old.velocity_constraints, old.dissipation]:
        for q in rates:
            if q in part.symbols:
                raise InvalidSystem(
                    f"expected forces and constraints without the cyclic coordinate "
                    f"{symbol_text(q)}, got {part}: reduce by others"
                )
    is_natural = all(x.is_surely_zero for x in split.b)
    return System(
        coordinates=others,
        kinetic=rebuild(split.quadratic) if is_natural else None,
        potential=rebuild(-split.constant) if is_natural else 0,
        lagrangian=None if is_natural else rebuild(R),
        forces=forces,
        constraints=old.constraints,
        velocity_constraints=old.velocity_constraints,
        dissipation=old.dissipation,
        keep_redundant=old.keep_redundant,
    )


def _checked(eq: Equations, coordinates: Sequence[Expr]) -> tuple[Expr, ...]:
    cyclic = cyclic_coordinates(eq)
    names = ", ".join(map(symbol_text, cyclic)) or "none is"
    for q in coordinates:
        if q not in cyclic:
            raise InvalidSystem(
                f"expected cyclic coordinates, on which neither L nor a force nor a constraint "
                f"depends, got {q}: cyclic here: {names}"
            )
    chosen = tuple(coordinates) or tuple(cyclic)
    if not chosen or len(chosen) == len(eq.coordinates):
        what = "all of them: nothing is left to solve" if chosen else "none"
        raise InvalidSystem(
            f"expected some cyclic coordinates beside others for Routh's reduction, got {what}; "
            f"cyclic here: {names}"
        )
    return chosen


def _momentum_symbols(eq: Equations, cyclic: Sequence[Expr]) -> tuple[Expr, ...]:
    taken = names_in(eq.ring.generators)
    names = [momentum_name(symbol_text(q), taken) for q in cyclic]
    return tuple(symbol(Kind.PARAMETER, name) for name in names)


def _prove(form: RouthForm) -> Proof:
    """Compare the residuals of both systems, q̇ and q̈ of the cyclic coordinates replaced."""
    eq, reduced = form.equations, form.system.equations()
    values: dict[Expr, Expr] = {}
    for q, rate in zip(form.cyclic, form.rates, strict=True):
        values |= {q.dot: rate, q.ddot: rate.dot}
    rows = zip(eq.coordinates, eq.residual, strict=True)
    full = substitute([row for q, row in rows if q not in form.cyclic], values)
    # the rates contain q̇, whose own rates are accelerations
    short = list(reduced.residual)
    ring = ring_of([*full, *short])
    elements = canonical_all(ring, [*full, *short])
    n = len(short)
    differences = [a - b for a, b in zip(elements[:n], elements[n:], strict=True)]
    where = defined_where(list(form.rates))
    return identity(ring, "the reduced equations are the full ones", differences, IDENTICAL, where)
