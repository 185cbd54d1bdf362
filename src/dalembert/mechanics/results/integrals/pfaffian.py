"""Integrate Pfaffian forms: functions whose differentials are combinations of given forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from dalembert.errors import DivisionByZero, TooLarge, Undecided
from dalembert.expr import Expr, Kind, exp, postorder, substitute, symbol
from dalembert.expr.calculus import diff
from dalembert.mechanics.results.integrals.antiderivative import antiderivative
from dalembert.mechanics.results.integrals.potential import potential
from dalembert.ring import Element, Ring, canonical_all, partials, rebuild, ring_of
from dalembert.ring.budget import check_factor
from dalembert.ring.factors import factors

MAX_FACTORS = 4
MAX_TERMS = 60
"""Terms of a form up to which an integrating factor is searched for."""

Form = list[Expr]


def integrals(forms: Sequence[Form], symbols: Sequence[Expr]) -> list[Expr]:
    """Return functions F whose differentials are combinations of the forms, as many as are found.

    Each form is tried as a differential, then with an integrating factor. The integral F = C gives
    a coordinate, if it is linear in one, by which the other forms are simplified.
    """
    for number, form in enumerate(forms):
        F = integral(form, symbols)
        if F is None:
            continue
        others = [other for i, other in enumerate(forms) if i != number]
        p = _linear_coordinate(F, symbols)
        if p is None or not others:
            return [F, *integrals(others, symbols)]
        C = symbol(Kind.PARAMETER, f"_constant{len(symbols)}")
        left, rest = _without(others, symbols, p, F, C)
        return [F, *substitute(integrals(left, rest), {C: F})]
    return []


def integral(form: Form, symbols: Sequence[Expr]) -> Expr | None:
    """Return F with dF = μ · form for some factor μ, or None if none is found."""
    try:
        F = potential(form, symbols)
        if F is not None:
            return F
        for factor in _factors(form, symbols):
            F = potential([_multiplied(x, factor) for x in form], symbols)
            if F is not None:
                return F
    except (TooLarge, Undecided, DivisionByZero):
        # a form out of reach has no integral that we know
        return None
    return None


def _multiplied(x: Expr, factor: Expr) -> Expr:
    e = x * factor
    ring = ring_of([e])
    return rebuild(canonical_all(ring, [e])[0])


def _factors(form: Form, symbols: Sequence[Expr]) -> Iterator[Expr]:
    """Yield integrating factors: products of inverse factors of the entries, then exponentials."""
    ring = ring_of(form, symbols)
    elements = canonical_all(ring, form)
    if sum(map(len, elements)) > MAX_TERMS:
        return
    d = partials(ring, symbols)
    parts = _irreducible(ring, elements, symbols)[:MAX_FACTORS]
    powers = sorted(product((0, 1, 2), repeat=len(parts)), key=sum)
    for exponents in powers[1:]:
        mu = ring.one
        for part, n in zip(parts, exponents, strict=True):
            mu = mu * part**n
        if _is_closed(d, [x / mu for x in elements]):
            yield 1 / rebuild(mu)
    for k, x in enumerate(symbols):
        exponential = _exponential(elements, d, k, x)
        if exponential is not None:
            yield exponential


def _irreducible(ring: Ring, elements: Sequence[Element], symbols: Sequence[Expr]) -> list[Element]:
    """Return the factors of all entries that contain a coordinate, and sums of squares of two."""
    moving = [i for i, g in enumerate(ring.generators) if any(x in g.symbols for x in symbols)]
    found: list[Element] = []
    for x in elements:
        for p in x.over_one():
            if not p:
                continue
            check_factor(p)
            for factor, _ in factors(p)[1]:
                candidate = ring.polynomial(factor)
                if candidate not in found and any(candidate.involves(i) for i in moving):
                    found.append(candidate)
    return sorted(found, key=len)


def _is_closed(d: Sequence, form: Sequence[Element]) -> bool:
    n = len(form)
    return all((d[j](form[i]) - d[i](form[j])).is_surely_zero for i in range(n) for j in range(i))


def _exponential(elements: Sequence[Element], d: Sequence, k: int, x: Expr) -> Expr | None:
    """Return μ(x_k) = exp ∫ h with h = (∂ⱼωₖ - ∂ₖωⱼ)/ωⱼ, if h depends on x_k only."""
    for j, other in enumerate(elements):
        if j == k or other.is_surely_zero:
            continue
        h = (d[j](elements[k]) - d[k](other)) / other
        if h.is_surely_zero or any(not d[i](h).is_surely_zero for i in range(len(d)) if i != k):
            return None
        log_mu = antiderivative(rebuild(h), x)
        if log_mu is None or any(node.op == "log" for node in postorder([log_mu])):
            return None
        return exp(log_mu)
    return None


def _linear_coordinate(F: Expr, symbols: Sequence[Expr]) -> Expr | None:
    """Return a coordinate in which F is linear, with the simplest slope."""
    slopes = [(x, diff(F, x)) for x in symbols]
    usable = [(x, k) for x, k in slopes if x in F.symbols and x not in k.symbols]
    constant = [x for x, k in usable if not any(y in k.symbols for y in symbols)]
    return next(iter([*constant, *(x for x, _ in usable)]), None)


def _without(
    forms: Sequence[Form], symbols: Sequence[Expr], p: Expr, F: Expr, C: Expr
) -> tuple[list[Form], list[Expr]]:
    """Return the forms on the surface F = C, with the coordinate p replaced by the others."""
    rest = [x for x in symbols if x is not p]
    value = (C - F.subs({p: 0})) / diff(F, p)
    slopes = [diff(value, x) for x in rest]
    left = []
    for form in forms:
        by = dict(zip(symbols, form, strict=True))
        # dp = Σ ∂p/∂xⱼ dxⱼ
        entries = substitute([*(by[x] for x in rest), by[p]], {p: value})
        left.append([e + entries[-1] * k for e, k in zip(entries, slopes, strict=False)])
    return left, rest
