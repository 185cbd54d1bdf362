"""Grading and symmetries on the systems of the gallery, judged by numerical motions."""

from __future__ import annotations

import random
from functools import cache
from itertools import product

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import total
from dalembert.mechanics.answers.at_a_point import motion_points
from tests.cases import num_cases
from tests.laws.gallery.exhibits import exhibits

PAGES = ["particles", "pendulums", "rolling", "ropes", "tops", "wheels"]

# beside the largest term of an equation: rounding of floats, and what a slip makes
ROUNDING, SLIP = 1e-9, 1e-7


@cache
def systems() -> dict[str, da.Equations]:
    return {title: eq for page in PAGES for title, eq in exhibits(page).items()}


def terms(e: da.Expr) -> list[da.Expr]:
    found, stack = [], [(e, 1)]
    while stack:
        node, sign = stack.pop()
        if node.op in ("add", "sub"):
            stack.append((node.args[0], sign))
            stack.append((node.args[1], sign if node.op == "add" else -sign))
        else:
            found.append(sign * node)
    return found


def in_motion(eq: da.Equations) -> dict[da.Expr, float]:
    """Return a point on the constraints with the accelerations and λ of the motion there."""
    values = dict(motion_points(eq)[0])
    if eq.lam:
        rates = np.array([values[v] for v in eq.velocities])
        assert np.abs(eq.a.evaluate(values)).max(initial=0) < ROUNDING
        drift = eq.A.evaluate(values) @ rates + eq.drift.evaluate(values)[:, 0]
        assert np.abs(drift).max() < ROUNDING
    solution = eq.solve(values)
    values |= dict(zip(eq.system.accelerations, map(float, solution.accelerations), strict=True))
    return values | dict(zip(eq.lam, map(float, solution.multipliers), strict=True))


def size(e: da.Expr, values: dict[da.Expr, float]) -> float:
    """Return |e| beside 1 and its largest term."""
    parts = [float(t.evaluate(values)) for t in terms(e)]
    return abs(sum(parts)) / max([1.0, *map(abs, parts)])


def smallest(eq: da.Equations, e: da.Expr, values: dict[da.Expr, float]) -> float:
    """Return the smallest size of e for all signs of λ."""
    found = []
    for signs in product((1, -1), repeat=len(eq.lam)):
        at = {x: s * values[x] for x, s in zip(eq.lam, signs, strict=True)}
        found.append(size(e, values | at))
    return min(found)


def test_what_is_graded_right_holds_in_motion_and_what_is_wrong_does_not(rng, scale):
    draw = random.Random(int(rng.integers(2**31)))
    for title, eq in systems().items():
        values = in_motion(eq)
        for _ in range(num_cases(2, scale)):
            row = draw.randrange(len(eq.coordinates))
            parts = terms(eq.residual[row])
            slip, factor = draw.randrange(len(parts)), draw.choice([0, 2, -1])
            changed = total([t * (factor if i == slip else 1) for i, t in enumerate(parts)])
            if da.equal(changed, 0):
                continue
            grade = da.check_answer(changed, eq, "equation")
            case = (title, row, parts[slip], factor)
            if grade.is_right:
                # only a factor, or a λ of opposite sign: the motion satisfies it
                assert smallest(eq, changed, values) < ROUNDING, case
            else:
                assert grade.verdict in ("wrong", "other convention"), case
                assert size(changed, values) > SLIP, case


def test_the_equations_themselves_are_right():
    for title, eq in systems().items():
        grade = da.check_answer({"equations": list(eq.residual), "M": eq.M, "N": eq.N}, eq)
        assert grade.is_right, (title, grade)


def test_conserved_quantities_are_proved_and_constant_in_numbers():
    count = 0
    for title, eq in systems().items():
        values = in_motion(eq)
        for item in eq.conserved():
            assert item.prove().is_proved, (title, item.name)
            rate = da.ddt(item.quantity)
            parts = [abs(float(t.evaluate(values))) for t in terms(rate)]
            assert abs(float(rate.evaluate(values))) < ROUNDING * max([1, *parts]), title
            count += 1
    assert count > 30


@pytest.mark.parametrize("page", ["wheels", "rolling"])
def test_quasi_velocities_of_what_rolls(page):
    for title, eq in exhibits(page).items():
        if eq.lam:
            form = eq.quasi_velocities()
            assert len(form.velocities) == eq.degrees_of_freedom()
            assert all(proof.is_proved for proof in form.prove()), title
            verdict = eq.integrability()
            assert len(verdict.integrals) == verdict.num_holonomic, title
