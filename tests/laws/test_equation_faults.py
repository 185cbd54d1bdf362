"""Faults in every member of the equations are refuted: energies, matrices, constraints, drift.

`inject` counts them for docs/trust.md. A fault changes a coefficient, adds a term, moves a part
from one member to another so that their sum stays right, or multiplies what it adds by a factor
that vanishes at small rational numbers. `test_faults.py` looks at the witnesses.
"""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanics import Forms
from dalembert.ring import Element, monomial_expr, rebuild, rebuild_matrix
from tests.cases import num_cases

x, y, z = da.coordinates("x y z")
m, k, c, W = da.parameters("m k c W")
(F,) = da.inputs("F")


def driven_and_rolling() -> da.System:
    """A system in which no member is zero: friction, a force, both kinds of moving constraints."""
    return da.System(
        kinetic=m * (x.dot**2 + y.dot**2 + (1 + x**2) * z.dot**2) / 2 + m * W * y * x.dot,
        potential=k * x**2 * da.cos(z),
        dissipation=c * (x.dot**2 + x.dot * y.dot) / 2,
        forces=[F, x * F, -z.dot],
        constraints=[x - y * da.sin(W * da.time)],
        velocity_constraints=[z.dot - x * y.dot - W * da.time * z],
        coordinates=[x, y, z],
    )


SYSTEMS: dict[str, Callable[[], da.System]] = {
    "driven_and_rolling": driven_and_rolling,
    "rp_arm_maximal": da.textbook.rp_arm_maximal,
    "knife_edge": da.textbook.knife_edge,
    "driven_pendulum": da.textbook.driven_pendulum,
    "spherical_pendulum": da.textbook.spherical_pendulum,
    "cart_pole": da.textbook.cart_pole,
}

Parts = dict[str, da.Matrix | da.Expr]


@functools.cache
def equations(name: str) -> da.Equations:
    return SYSTEMS[name]().equations()


def random_change(eq: da.Equations, element: Element, rng: np.random.Generator) -> da.Expr:
    """Return what changes one term of an element, or a new term."""
    terms = list(element.polynomial.to_dict().items())
    symbols = [*eq.coordinates, *eq.velocities, *eq.parameters, da.time]
    if not terms or rng.random() < 0.2:
        change = int(rng.integers(1, 9)) * symbols[rng.integers(len(symbols))]
    else:
        exponents, coefficient = terms[rng.integers(len(terms))]
        number = Fraction(int(coefficient.p), int(coefficient.q))
        factor = [-2 * number, number, Fraction(1, 10**9), Fraction(-3)][rng.integers(4)]
        change = factor * monomial_expr(eq.ring, tuple(int(n) for n in exponents))
    return change * vanishing(eq.coordinates[0]) if rng.random() < 0.2 else change


def vanishing(q: da.Expr) -> da.Expr:
    """Return a factor that is zero at the small rationals that a search may try first."""
    zeros = {Fraction(i, n) for n in (1, 7, 10) for i in range(-4, 5)}
    return functools.reduce(operator.mul, [q - zero for zero in sorted(zeros)])


def in_one_member(eq: da.Equations, name: str, rng: np.random.Generator) -> Parts:
    """Return the member with one entry changed."""
    form = getattr(eq.forms, name)
    if not isinstance(form, da.Matrix):
        return {name: rebuild(form) + random_change(eq, form, rng)}
    rows = [list(row) for row in rebuild_matrix(form).rows]
    i, j = (int(rng.integers(n)) for n in form.shape)
    rows[i][j] = rows[i][j] + random_change(eq, form[i, j], rng)
    return {name: da.Matrix(rows)}


def moved(eq: da.Equations, rng: np.random.Generator) -> tuple[str, Parts]:
    """Return two members of which one gains what the other loses: each sum stays right."""
    n = len(eq.coordinates)
    q_dot = da.Matrix.column(eq.velocities)
    shift = da.Matrix([[int(rng.integers(1, 3)) * eq.velocities[(i + j) % n] for j in range(n)]
                       for i in range(n)])  # fmt: skip
    shift = with_entry(shift, eq.velocities[0])
    if not eq.lam or rng.random() < 0.5:
        return "C and N", {"C": eq.C + shift, "N": eq.N - shift @ q_dot}
    rows = da.Matrix(shift.rows[:1] * len(eq.lam))
    rate = rebuild_matrix(eq.forms.drift_rate)
    return "Ad and drift_rate", {"Ad": eq.Ad + rows, "drift_rate": rate - rows @ q_dot}


def with_entry(a: da.Matrix, change: da.Expr) -> da.Matrix:
    rows = [list(row) for row in a.rows]
    rows[0][0] = rows[0][0] + change
    return da.Matrix(rows)


def another_coriolis(eq: da.Equations) -> Parts:
    """Return C + S with S skew and S q̇ = 0: every product, but not C itself, stays right."""
    u, v, w = eq.velocities
    return {"C": eq.C + da.Matrix([[0, -w, v], [w, 0, -u], [-v, u, 0]])}


def members(eq: da.Equations) -> list[str]:
    """Return the members that have an entry to change."""
    forms = eq.forms._asdict()
    return [name for name, form in forms.items() if not isinstance(form, da.Matrix) or len(form)]


def random_fault(eq: da.Equations, rng: np.random.Generator) -> tuple[str, Parts]:
    """Return the names of the changed members, and what they are changed to."""
    if rng.random() < 0.1:
        return moved(eq, rng)
    if len(eq.coordinates) == 3 and rng.random() < 0.05:
        return "C, skew", another_coriolis(eq)
    names = members(eq)
    name = names[rng.integers(len(names))]
    return name, in_one_member(eq, name, rng)


def inject(count: int, seed: int) -> dict[str, int | dict[str, int] | list[str]]:
    """Inject faults into random members, and count the verdicts of `prove`.

    Returns:
        ``injected``, ``refuted``, ``by_member`` (faults in each member) and ``missed``, a list of
        the faults that no proof refuted.
    """
    rng = np.random.default_rng(seed)
    by_member: Counter[str] = Counter()
    missed = []
    names = list(SYSTEMS)
    for i in range(count):
        eq = equations(names[i % len(names)])
        name, parts = random_fault(eq, rng)
        by_member[name] += 1
        if not any(p.verdict == "refuted" for p in eq.replaced(**parts).prove()):
            missed.append(f"{names[i % len(names)]}: {parts}")
    refuted = count - len(missed)
    return {"injected": count, "refuted": refuted, "by_member": dict(by_member), "missed": missed}


@pytest.mark.parametrize("name", SYSTEMS)
def test_true_equations_are_proved(name) -> None:
    assert [str(p) for p in equations(name).prove() if not p.is_proved] == []


def test_every_fault_is_refuted(rng, scale, figures) -> None:
    found = inject(num_cases(150, scale), seed=int(rng.integers(2**31)))
    figures.count("faults in members of equations", found["injected"])
    figures.count("faults in members of equations refuted", found["refuted"])
    assert found["missed"] == []
    assert found["refuted"] == found["injected"]


@pytest.mark.parametrize("name", Forms._fields)
def test_every_member_is_checked(name, rng) -> None:
    eq = equations("driven_and_rolling")
    for _ in range(3):
        proofs = eq.replaced(**in_one_member(eq, name, rng)).prove()
        assert any(p.verdict == "refuted" for p in proofs), name


def test_what_is_moved_between_members_is_refuted(rng) -> None:
    eq = equations("driven_and_rolling")
    found = {moved(eq, rng)[0] for _ in range(20)}
    assert found == {"C and N", "Ad and drift_rate"}
    for parts in (moved(eq, rng)[1], another_coriolis(eq)):
        assert any(p.verdict == "refuted" for p in eq.replaced(**parts).prove())


def test_replaced_twice_keeps_both() -> None:
    eq = equations("driven_and_rolling")
    twice = eq.replaced(M=eq.M * 2).replaced(V=eq.V + da.exp(x))
    assert da.equal(twice.M, eq.M * 2)
    assert da.equal(twice.V, eq.V + da.exp(x))
    assert da.equal(twice.N, eq.N)


def test_replaced_refuses_what_is_no_part() -> None:
    eq = equations("cart_pole")
    with pytest.raises(da.InvalidSystem, match="expected a part of the equations, got K="):
        eq.replaced(K=eq.M)
    with pytest.raises(da.InvalidSystem, match=r"expected V as one expression, got \(2, 2\)"):
        eq.replaced(V=eq.M)
    with pytest.raises(da.InvalidSystem, match=r"expected M of shape .*, got one expression"):
        eq.replaced(M=eq.V)
