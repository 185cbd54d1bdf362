"""The audit of the proofs: every injected fault is refuted, at a point where it really shows.

A fault changes one coefficient or one sign of one term of one entry of M, C or N. The witness of
each refutation is checked here in floating point, against SymPy's equations and difference
quotients, never with the routine that found it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import as_expr
from dalembert.ring import monomial_expr
from tests.cases import num_cases
from tests.oracles import SympyDynamics, by_name, column, lagranges_method, random_state, rates

SYSTEMS = [
    "rp_arm",
    "rp_arm_maximal",
    "planar_arm",
    "cart_pole",
    "spherical_pendulum",
    "furuta_pendulum",
    "pinned_three_link",
]
FAULTS_PER_SYSTEM = 55
# what a difference quotient with step 1e-5 can resolve; the faults at rational points are larger
VISIBLE = 1e-7


class Fault(NamedTuple):
    """``change`` is added to one entry of the part ``name``."""

    name: str
    row: int
    col: int
    change: da.Expr
    words: str


def faults(eq: da.Equations) -> Iterator[Fault]:
    """Yield every sign, doubling and ±1 of every coefficient; zeros become ±1."""
    for name in ("M", "C", "N"):
        part: da.Matrix = getattr(eq.forms, name)
        rows, columns = part.shape
        for i in range(rows):
            for j in range(columns):
                terms = part[i, j].polynomial.to_dict()
                if not terms:
                    yield Fault(name, i, j, as_expr(1), "0 to 1")
                for exponents, coefficient in terms.items():
                    k = Fraction(int(coefficient.p), int(coefficient.q))
                    term = monomial_expr(eq.ring, tuple(int(n) for n in exponents))
                    for change, words in (
                        (-2 * k, "sign"),
                        (k, "doubled"),
                        (Fraction(1), "+1"),
                        (Fraction(-1), "-1"),
                    ):
                        yield Fault(name, i, j, change * term, f"{words} of {k} {term}")


def injected(eq: da.Equations, fault: Fault) -> da.Equations:
    part: da.Matrix = getattr(eq, fault.name)
    rows = [list(row) for row in part.rows]
    rows[fault.row][fault.col] = rows[fault.row][fault.col] + fault.change
    return eq.replaced(**{fault.name: da.Matrix(rows)})


# ---- what each refuted statement claims, evaluated independently at its witness


class Claim(NamedTuple):
    """The claimed matrices, with the true equations at a point."""

    eq: da.Equations
    values: dict[da.Expr, float]
    true: SympyDynamics

    def M(self, moved: Mapping[da.Expr, float] | None = None) -> np.ndarray:
        return self.eq.M.evaluate(self.values | dict(moved or {}))

    @property
    def v(self) -> np.ndarray:
        return rates(self.eq, self.values)

    def slope(self, direction: np.ndarray) -> np.ndarray:
        """Return dM along a direction of q, by a central difference."""
        step = 1e-5
        ends = []
        for sign in (1, -1):
            moved = {
                q: self.values[q] + sign * step * d
                for q, d in zip(self.eq.coordinates, direction, strict=True)
            }
            ends.append(self.M(moved))
        return (ends[0] - ends[1]) / (2 * step)

    def left(self) -> np.ndarray:
        """Return M q̈ + C q̇ + N as claimed."""
        a = np.array([self.values[q.ddot] for q in self.eq.coordinates])
        C = self.eq.C.evaluate(self.values)
        return self.M() @ a + C @ self.v + column(self.eq.N, self.values)

    def true_left(self) -> np.ndarray:
        a = np.array([self.values[q.ddot] for q in self.eq.coordinates])
        return self.true.M @ a + self.true.h


def wrong_motion(claim: Claim) -> float:
    return float(np.abs(claim.left() - claim.true_left()).max())


def wrong_symmetry(claim: Claim) -> float:
    return float(np.abs(claim.M() - claim.M().T).max())


def wrong_mass(claim: Claim) -> float:
    return float(np.abs(claim.M() - claim.true.M).max())


def negative_direction(claim: Claim) -> float:
    M = claim.M()
    return float(-np.linalg.eigvalsh((M + M.T) / 2).min())


def wrong_skew(claim: Claim) -> float:
    S = claim.slope(claim.v) - 2 * claim.eq.C.evaluate(claim.values)
    return float(np.abs(S + S.T).max())


def wrong_christoffel(claim: Claim) -> float:
    v = claim.v
    B = np.column_stack([claim.slope(e) @ v for e in np.eye(len(v))])
    C = claim.eq.C.evaluate(claim.values)
    return float(np.abs(2 * C - (claim.slope(v) + B - B.T)).max())


def wrong_coriolis(claim: Claim) -> float:
    v = claim.v
    gradient = np.array([v @ claim.slope(e) @ v for e in np.eye(len(v))])
    product = claim.eq.C.evaluate(claim.values) @ v
    return float(np.abs(product - (claim.slope(v) @ v - gradient / 2)).max())


def wrong_power(claim: Claim) -> float:
    return float(abs(claim.v @ (claim.left() - claim.true_left())))


MEANINGS: dict[str, Callable[[Claim], float]] = {
    "Lagrange's equations": wrong_motion,
    "D'Alembert's": wrong_motion,
    "M is symmetric": wrong_symmetry,
    "M = ∂²L/∂q̇²": wrong_mass,
    "M ⪰ 0": negative_direction,
    "skew-symmetric": wrong_skew,
    "Christoffel symbols": wrong_christoffel,
    "three forms of C q̇": wrong_coriolis,
    "dE/dt": wrong_power,
}


def amount_of_falsehood(proof: da.Proof, claim: Claim) -> float:
    (meaning,) = [f for words, f in MEANINGS.items() if words in proof.statement]
    return meaning(claim)


def sympy_equations(eq: da.Equations) -> Callable[[Mapping[str, float]], SympyDynamics]:
    system = eq.system
    return lagranges_method(
        da.to_sympy(system.lagrangian), [da.to_sympy(q) for q in system.coordinates]
    )


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_fault_is_refuted_where_it_shows(name, rng, scale):
    eq = getattr(da.textbook, name)().equations()
    assert [p.statement for p in eq.prove() if p.verdict != "proved"] == []
    true = sympy_equations(eq)
    every = list(faults(eq))
    num = min(len(every), num_cases(FAULTS_PER_SYSTEM, scale))
    chosen = [every[i] for i in sorted(rng.choice(len(every), size=num, replace=False))]
    assert num >= 30
    for fault in chosen:
        wrong = injected(eq, fault)
        refuted = [p for p in wrong.prove() if p.verdict == "refuted"]
        witnessed = [p for p in refuted if p.counterexample is not None]
        assert witnessed, fault
        for proof in witnessed:
            assert proof.counterexample is not None
            # symbols without a value at the witness do not matter: any number will do
            values = random_state(eq, rng) | {x: float(y) for x, y in proof.counterexample.items()}
            claim = Claim(wrong, values, true(by_name(values)))
            assert amount_of_falsehood(proof, claim) > VISIBLE, (fault, proof.statement)


@pytest.mark.parametrize("name", SYSTEMS)
def test_measures_of_falsehood_are_zero_on_the_truth(name, rng):
    """The checks above can fail: on the true equations all of them vanish."""
    eq = getattr(da.textbook, name)().equations()
    true = sympy_equations(eq)
    for _ in range(3):
        values = random_state(eq, rng)
        claim = Claim(eq, values, true(by_name(values)))
        for words, meaning in MEANINGS.items():
            assert meaning(claim) < VISIBLE, words


def test_at_least_three_hundred_faults_are_tried():
    numbers = [
        min(FAULTS_PER_SYSTEM, len(list(faults(getattr(da.textbook, name)().equations()))))
        for name in SYSTEMS
    ]
    assert sum(numbers) >= 300
