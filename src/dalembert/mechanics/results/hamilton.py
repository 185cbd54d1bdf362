"""Hamilton's form: H(q, p) with q̇ = ∂H/∂p and ṗ = -∂H/∂q + Υ."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import flint

from dalembert.errors import InvalidSystem, SingularSystem
from dalembert.expr import Expr, Kind, Matrix, gradient, symbol
from dalembert.mechanics.equations.closed_form import explain_singular
from dalembert.mechanics.equations.forms import split_lagrangian
from dalembert.mechanics.equations.formula import (
    DerivationLine,
    formulas_latex,
    formulas_text,
)
from dalembert.mechanics.equations.routes.letters import Letter
from dalembert.mechanics.results.regressor import split_parameters
from dalembert.ring import (
    Element,
    Ring,
    canonical,
    cramer,
    partials,
    rebuild,
    rebuild_matrix,
    ring_of,
)
from dalembert.typeset.parts.letters import names_in, own_letter

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
        used = names_in([self.H, *self.qdot, *self.pdot, *self.definitions])
        formulas = [Letter(own_letter("H", used)).line(self.H)]
        formulas.append(DerivationLine("q̇", "\\dot{q}", self.qdot))
        formulas.append(DerivationLine("ṗ", "\\dot{p}", self.pdot))
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
        rebuild(_collected(H, [ring.index[x] for x in momenta])),
        qdot,
        Matrix.column(slopes) + applied,
    )


def _collected(H: Element, places: Sequence[int]) -> Element:
    """Return H with each product of momenta over one denominator of its own."""
    ring, total = H.ring, []
    for exponents, x in split_parameters(ring, H, places).items():
        term = x.as_one()
        for i, n in enumerate(exponents):
            term = term * ring.element_at(i) ** n if n else term
        total.append(term)
    return ring.sum(total)


def _replace_rates(
    x: Element, places: Sequence[int], numerators: Sequence[Element], det: Element
) -> Element:
    """Return x with q̇ = n/d put in, gathered over the highest power of d and divided once.

    What has no rates stays apart.
    """
    ring = x.ring
    return ring.sum(
        [_in_numerator(ring, p, places, numerators, det).over(key) for key, p in x.parts()]
    )


def _in_numerator(
    ring: Ring,
    p: flint.fmpq_mpoly,
    places: Sequence[int],
    numerators: Sequence[Element],
    det: Element,
) -> Element:
    parts: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
    for exponents, k in p.to_dict().items():
        e = [int(n) for n in exponents]
        key = tuple(e[i] for i in places)
        for i in places:
            e[i] = 0
        parts.setdefault(key, {})[tuple(e)] = k
    highest = max((sum(key) for key in parts), default=0)
    at_rest = parts.pop((0,) * len(places), {})
    total = ring.zero
    for key, terms in parts.items():
        term = Element(ring, ring.context.from_dict(terms))
        for n, times in zip(numerators, key, strict=True):
            term = term * n**times
        total = total + term * det ** (highest - sum(key))
    return Element(ring, ring.context.from_dict(at_rest)) + total / det**highest


def _momentum_symbols(eq: Equations) -> tuple[Expr, ...]:
    """Return p_<name> for each coordinate, p1 for q1; they are coordinates of the phase space."""
    names = [q.symbol.name for q in eq.coordinates if q.symbol]
    short = [f"p{name[1:]}" for name in names]
    taken = names_in(eq.ring.generators)
    usual = all(name[0] == "q" and (name[1:].isdigit() or not name[1:]) for name in names)
    is_free = usual and not set(taken) & set(short)
    chosen = short if is_free else [momentum_name(name, taken) for name in names]
    return tuple(symbol(Kind.COORDINATE, name) for name in chosen)


def momentum_name(coordinate: str, taken: Collection[str]) -> str:
    """Return p_x, or P_x where a name is p_x already, or π_x.

    >>> momentum_name("x", ["p_x", "m"])
    'P_x'
    """
    letters = ("p", "P", "pi", "Pi")
    free = (f"{letter}_{coordinate}" for letter in letters)
    return next((name for name in free if name not in taken), f"p_{coordinate}_{len(taken)}")
