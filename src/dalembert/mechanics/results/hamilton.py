"""Hamilton's form: H(q, p) with q̇ = ∂H/∂p and ṗ = -∂H/∂q + Υ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.errors import InvalidSystem, SingularSystem
from dalembert.expr import Expr, Kind, Matrix, gradient, symbol
from dalembert.mechanics.equations.closed_form import explain_singular
from dalembert.mechanics.equations.forms import split_lagrangian
from dalembert.mechanics.equations.formula import (
    DerivationLine,
    formulas_latex,
    formulas_text,
)
from dalembert.ring import Element, canonical, cramer, partials, rebuild, rebuild_matrix, ring_of

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


class HamiltonianForm(NamedTuple):
    """``momenta`` p (symbols), ``definitions`` p = ∂L/∂q̇, ``H``, ``qdot`` = ∂H/∂p and ``pdot``."""

    momenta: tuple[Expr, ...]
    definitions: Matrix
    H: Expr
    qdot: Matrix
    pdot: Matrix

    def _formulas(self) -> list[DerivationLine]:
        letters = (("H", "H", self.H), ("q̇", "\\dot{q}", self.qdot), ("ṗ", "\\dot{p}", self.pdot))
        formulas = [DerivationLine(*letter) for letter in letters]
        momenta = zip(self.momenta, self.definitions, strict=True)
        return formulas + [DerivationLine(str(p), p.latex(), value) for p, value in momenta]

    def __str__(self) -> str:
        return formulas_text(self._formulas())

    def _repr_latex_(self) -> str:
        return formulas_latex(self._formulas())


def hamiltonian_form(eq: Equations) -> HamiltonianForm:
    """Return Hamilton's equations of an unconstrained system.

    p = M q̇ + b gives q̇ = M⁻¹(p - b); H = Σ p q̇ - L in terms of q and p;
    ṗ = -∂H/∂q + Υ - ∂R/∂q̇.
    """
    if eq.lam:
        raise InvalidSystem(
            "expected a system without constraints for Hamilton's form, got "
            f"{len(eq.lam)}: use change_coordinates to independent coordinates first"
        )
    momenta = _momentum_symbols(eq)
    symbols = [g for g in eq.ring.generators if g.op == "symbol"]
    ring = ring_of(eq.system.expressions(), [*symbols, *momenta])
    L = canonical(ring, eq.system.lagrangian)
    dv = partials(ring, eq.velocities)
    split = split_lagrangian(ring, L, dv, eq.velocities)
    p = ring.column(momenta)
    try:
        numerators, det = cramer(ring, split.M, p - split.b)
    except SingularSystem:
        raise SingularSystem(explain_singular(eq)) from None
    places = [ring.index[x] for x in eq.velocities]

    def in_momenta(x: Element) -> Element:
        return _replace_rates(x, places, numerators, det)

    # Σ p q̇ - L = ½ (p - b)ᵀ q̇ - L₀
    H = Matrix.column(numerators).dot(p - split.b) / (det * 2) - split.constant
    qdot = rebuild_matrix(Matrix.column([n / det for n in numerators]))
    # ∂H/∂q at fixed p is -∂L/∂q at fixed q̇
    slopes = [rebuild(in_momenta(d(L))) for d in partials(ring, eq.coordinates)]
    drag = gradient(eq.system.dissipation, eq.velocities)
    applied = (Matrix.column(eq.system.forces) - Matrix.column(drag)).subs(
        dict(zip(eq.velocities, qdot, strict=True))
    )
    return HamiltonianForm(
        momenta,
        rebuild_matrix(Matrix.column([d(L) for d in dv])),
        rebuild(H),
        qdot,
        Matrix.column(slopes) + applied,
    )


def _replace_rates(
    x: Element, places: Sequence[int], numerators: Sequence[Element], det: Element
) -> Element:
    """Return x with q̇ = n/d put in, gathered over the highest power of d and divided once."""
    ring = x.ring
    parts: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
    for exponents, k in x.num.to_dict().items():
        e = [int(n) for n in exponents]
        key = tuple(e[i] for i in places)
        for i in places:
            e[i] = 0
        parts.setdefault(key, {})[tuple(e)] = k
    highest = max((sum(key) for key in parts), default=0)
    total = ring.zero
    for key, terms in parts.items():
        term = Element(ring, ring.context.from_dict(terms), ring.one_poly)
        for n, times in zip(numerators, key, strict=True):
            term = term * n**times
        total = total + term * det ** (highest - sum(key))
    return total / (det**highest * Element(ring, x.den, ring.one_poly))


def _momentum_symbols(eq: Equations) -> tuple[Expr, ...]:
    """Return p_<name> for each coordinate, p1 for q1; they are coordinates of the phase space."""
    names = [q.symbol.name for q in eq.coordinates if q.symbol]
    short = [f"p{name[1:]}" for name in names]
    taken = {g.symbol.name for g in eq.ring.generators if g.symbol}
    usual = all(name[0] == "q" and (name[1:].isdigit() or not name[1:]) for name in names)
    chosen = short if usual and not taken & set(short) else [f"p_{name}" for name in names]
    return tuple(symbol(Kind.COORDINATE, name) for name in chosen)
