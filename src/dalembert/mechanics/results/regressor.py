"""Linearity in the parameters: regressor, and the base parameters that motion can reveal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.errors import InvalidSystem
from dalembert.expr import Expr, Kind, Matrix, count_nodes, is_kind, symbol_text
from dalembert.mechanics.equations.formula import (
    DerivationLine,
    formulas_latex,
    formulas_text,
)
from dalembert.mechanics.proofs.proof import Proof
from dalembert.mechanics.results.base_parameters import BaseParameters
from dalembert.ring import (
    Element,
    Ring,
    monomial_expr,
    rebuild_matrix,
    row_reduce,
)
from dalembert.ring.algebra.minors import without_denominators

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

Exponents = tuple[int, ...]


MAX_SHOWN_NODES = 2000


class Regressor(NamedTuple):
    """Y and Θ (a column) with M q̈ + C q̇ + N = Y Θ; Θ are products of the system's parameters."""

    Y: Matrix
    theta: Matrix

    def __str__(self) -> str:
        return formulas_text(self._formulas())

    def _repr_latex_(self) -> str:
        return formulas_latex(self._formulas())

    def _formulas(self) -> list[DerivationLine]:
        theta = DerivationLine("Θ", "\\Theta", self.theta)
        # of a real robot Y would fill pages
        is_short = count_nodes(self.Y.entries) <= MAX_SHOWN_NODES
        return [DerivationLine("Y", "Y", self.Y), theta] if is_short else [theta]


def regressor(eq: Equations, parameters: Sequence[Expr] | None = None) -> Regressor:
    """Split the left side into what moves (Y) and what is constant (Θ).

    Without ``parameters``, Θ lists every product of parameters that occurs, such as m l² or
    m g sin α; only a parameter inside a function of the motion, as ω in cos ωt, stays in Y. With
    ``parameters``, Θ is that list, and the left side must be linear in it; the other parameters
    count as known and stay in Y.
    """
    ring = eq.ring
    left = left_side(eq)
    chosen = _chosen(eq, left, parameters)
    parts = [split_parameters(ring, x, chosen) for x in left]
    if parameters is None:
        keys = _ordered_keys(ring, parts)
    else:
        keys = [_unit(ring, p) for p in parameters]
        _require_linear(ring, parts, keys)
    theta = Matrix.column([monomial_expr(ring, key) for key in keys])
    return Regressor(rebuild_matrix(_columns(ring, parts, keys)), theta)


def base_parameters(eq: Equations, parameters: Sequence[Expr] | None = None) -> BaseParameters:
    """Combine dependent columns of the regressor, exactly.

    Each dependent column is Σ kᵢ · (independent column i); its parameter joins those with weight
    kᵢ. Weights are rational, or quotients of the parameters that count as known.
    """
    ring = eq.ring
    left = left_side(eq)
    chosen = _chosen(eq, left, parameters)
    parts = [split_parameters(ring, x, chosen) for x in left]
    keys = _ordered_keys(ring, parts)
    if parameters is not None:
        _require_linear(ring, parts, [_unit(ring, p) for p in parameters])
    whole = [
        dict(zip(part, without_denominators(ring, list(part.values()))[0], strict=True))
        for part in parts
    ]
    columns = [_coefficient_column(ring, whole, key) for key in keys]
    monomials = list(dict.fromkeys(k for column in columns for k in column))
    table = Matrix([[column.get(k, ring.zero) for column in columns] for k in monomials], len(keys))
    rows, pivots = row_reduce(ring, table)
    found = sorted(zip(pivots, rows, strict=True), key=lambda pair: pair[0])
    independent = tuple(j for j, _ in found)
    full = Matrix.column([monomial_expr(ring, key) for key in keys])
    # of angles that depend on each other products of sines may depend too
    certain = ring.is_complete and not ring.wild
    return BaseParameters(
        full=full,
        independent=independent,
        weights=tuple(tuple(row) for _, row in found),
        columns=_columns(ring, parts, [keys[j] for j in independent]),
        given=full.entries,
        proof=Proof(
            f"{len(found)} of {len(keys)} products of parameters determine the equations",
            "proved" if certain else "undecided",
            "row reduction in the ring" + (": more may depend" * (not certain)),
        ),
    )


def left_side(eq: Equations) -> list[Element]:
    """Return M q̈ + C q̇ + N as ring elements."""
    return list(eq.forms.M @ eq.second_rates + eq.bias_form)


def _columns(
    ring: Ring, parts: Sequence[dict[Exponents, Element]], keys: Sequence[Exponents]
) -> Matrix:
    """Return Y, the coefficients of the products of parameters."""
    return Matrix([[part.get(key, ring.zero) for key in keys] for part in parts], len(keys))


def split_parameters(ring: Ring, x: Element, chosen: Sequence[int]) -> dict[Exponents, Element]:
    """Return {product of chosen parameters: coefficient}, keyed by exponents."""
    found: dict[Exponents, list[Element]] = {}
    inside = set(chosen)
    for below, p in x.parts():
        parts: dict[Exponents, dict[Exponents, Any]] = {}
        for exponents, k in p.to_dict().items():
            e = [int(n) for n in exponents]
            key = tuple(n if i in inside else 0 for i, n in enumerate(e))
            rest = tuple(0 if i in inside else n for i, n in enumerate(e))
            parts.setdefault(key, {})[rest] = k
        for key, terms in parts.items():
            part = Element(ring, ring.context.from_dict(terms))
            found.setdefault(key, []).append(part.over(below))
    return {key: ring.sum(terms) for key, terms in found.items()}


def _chosen(eq: Equations, left: Sequence[Element], parameters: Sequence[Expr] | None) -> list[int]:
    """Return the generators that Θ is made of; refuse parameters that are not linear factors."""
    for p in parameters or ():
        if not isinstance(p, Expr) or p not in eq.parameters:
            names = ", ".join(symbol_text(x) for x in eq.parameters)
            raise InvalidSystem(
                f"expected parameters of the system ({names}), got {p}: choose among these"
            )
    if parameters is None:
        chosen = [i for i, g in enumerate(eq.ring.generators) if is_constant(g)]
        _require_free_denominators(eq, left, chosen)
        return chosen
    for i, g in enumerate(eq.ring.generators):
        inside = [p for p in parameters if g is not p and p in g.symbols]
        if inside and any(x.involves(i) for x in left):
            raise InvalidSystem(
                f"expected equations linear in the given parameters, got {g}, which contains "
                f"{symbol_text(inside[0])}: leave parameters=None to lump such functions"
            )
    chosen = [eq.ring.index[p] for p in parameters if p in eq.ring.index]
    _require_free_denominators(eq, left, chosen)
    return chosen


def _require_free_denominators(
    eq: Equations, left: Sequence[Element], chosen: Sequence[int]
) -> None:
    for q, x in zip(eq.coordinates, left, strict=True):
        below = {i for key in x.fractions or () for i in eq.ring.denominators.used(key)}
        inside = [eq.ring.generators[i] for i in chosen if i in below]
        if inside:
            raise InvalidSystem(
                f"expected equations polynomial in the parameters, got {inside[0]} in a "
                f"denominator of the equation of {symbol_text(q)}: name the quotient as a "
                "parameter of its own"
            )


def is_constant(g: Expr) -> bool:
    """Tell whether a generator is a parameter or a function of parameters alone."""
    return bool(g.symbols) and all(is_kind(x, Kind.PARAMETER) for x in g.symbols)


def _ordered_keys(ring: Ring, parts: Sequence[dict[Exponents, Element]]) -> list[Exponents]:
    """Return all parameter products, simple ones first, then by name."""
    names = [symbol_text(g) if g.op == "symbol" else "" for g in ring.generators]
    found = dict.fromkeys(key for part in parts for key in part)

    def order(key: Exponents) -> tuple:
        return sum(key), sorted((names[i], n) for i, n in enumerate(key) if n)

    return sorted(found, key=order)


def _unit(ring: Ring, p: Expr) -> Exponents:
    return tuple(int(g is p) for g in ring.generators)


def _require_linear(
    ring: Ring, parts: Sequence[dict[Exponents, Element]], allowed: Sequence[Exponents]
) -> None:
    for part in parts:
        for key in part:
            if key not in allowed:
                term = f"a term with {monomial_expr(ring, key)}" if any(key) else "one without any"
                raise InvalidSystem(
                    f"expected equations linear in the given parameters, got {term}: "
                    "leave parameters=None to lump such products"
                )


def _coefficient_column(
    ring: Ring, parts: Sequence[dict[Exponents, Element]], key: Exponents
) -> dict[tuple[int, Exponents], Element]:
    """Return {(equation, monomial in motion): coefficient in known parameters} of one column."""
    known = {i for i, g in enumerate(ring.generators) if is_constant(g)}
    column: dict[tuple[int, Exponents], Element] = {}
    for row, part in enumerate(parts):
        if key not in part:
            continue
        for exponents, k in part[key].polynomial.to_dict().items():
            e = [int(n) for n in exponents]
            motion = tuple(0 if i in known else n for i, n in enumerate(e))
            weight = tuple(n if i in known else 0 for i, n in enumerate(e))
            term = Element(ring, ring.context.from_dict({weight: k}))
            place = (row, motion)
            column[place] = column[place] + term if place in column else term
    return column
