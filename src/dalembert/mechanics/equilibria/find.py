"""Find the equilibria of a system: in closed form, else numerically where numbers are given."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from dalembert.errors import Undecided
from dalembert.expr import (
    BySymbol,
    Expr,
    Kind,
    Scalar,
    free_symbols,
    is_kind,
    postorder,
    substitute,
    symbol_text,
    time,
)
from dalembert.mechanics.equilibria.defined import conditions_at
from dalembert.mechanics.equilibria.equilibrium import Equilibria, Equilibrium
from dalembert.mechanics.equilibria.exact import Rest, exact_rests
from dalembert.mechanics.equilibria.search import numerical_equilibria
from dalembert.mechanics.equilibria.stability import stability, steady_stability
from dalembert.mechanics.equilibria.statics import Statics, statics
from dalembert.mechanics.proofs.signs import inequality, sign_of

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def equilibria(
    eq: Equations,
    values: BySymbol[Scalar] | None = None,
    ranges: Mapping[Expr, tuple[float, float]] | None = None,
    steady: BySymbol[Scalar] | None = None,
) -> Equilibria:
    """Return the points of rest; see `Equations.equilibria`."""
    problem = statics(eq, values, steady)
    try:
        rests = exact_rests(problem)
    except Undecided as error:
        if problem.is_unloaded or problem.steady:
            raise
        return _numerical(eq, problem, ranges or {}, error)
    found = [_equilibrium(eq, problem, rest) for rest in rests]
    return Equilibria(x for x in found if x is not None)


def _numerical(
    eq: Equations, problem: Statics, ranges: Mapping[Expr, tuple[float, float]], why: Undecided
) -> Equilibria:
    unknown = [x.value.name for x in postorder(problem.equations) if x.op == "apply"]
    if unknown:
        raise Undecided(
            f"expected forces that are known, got those of {unknown[0]}, a function without a "
            "definition, on which it depends whether there are any: define it with System.bind"
        ) from None
    # the verdicts need all of them, not only those of the forces
    exprs = substitute(eq.system.expressions(), problem.values)
    open_parameters = [x for x in free_symbols(exprs) if is_kind(x, Kind.PARAMETER)]
    if open_parameters:
        names = ", ".join(symbol_text(x) for x in open_parameters)
        raise Undecided(
            f"expected equations of rest with a closed form, got none ({why}): give values of "
            f"{names}, and the equilibria are found numerically"
        ) from None
    return numerical_equilibria(eq, problem, ranges)


def _equilibrium(eq: Equations, problem: Statics, rest: Rest) -> Equilibrium | None:
    """Return an exact equilibrium with its conditions; None where they cannot hold."""
    texts, assumed = [], []
    for condition in rest.conditions:
        sign = sign_of(condition)
        if sign.is_negative:
            return None
        if sign.factors:
            texts.append(inequality(sign.factors, sign.sign, "≥"))
            if len(sign.factors) == 1:
                assumed.append(sign.factors[0] * sign.sign)
    point, free = rest.coordinates, rest.free
    domain = conditions_at(eq, dict(problem.values) | point)
    if domain is None:
        return None
    texts += domain
    judge = partial(stability, eq, point, problem.values, tuple(assumed))
    if problem.steady:
        judge = partial(steady_stability, eq, point, problem.values, tuple(assumed), problem.steady)
        point = point | {q: rate * time for q, rate in problem.steady.items()}
        free = tuple(q for q in free if q not in problem.steady)
    return Equilibrium(point, rest.multipliers, tuple(dict.fromkeys(texts)), free, judge=judge)
