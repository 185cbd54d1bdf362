"""Forces and impulses of contacts with friction: beside all combinations, and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.simulation.contact.rows import (
    BOUND,
    FREE,
    GIVEN,
    OPEN,
    STICK,
    Elements,
    Mode,
    Problem,
)
from dalembert.simulation.contact.solver import Solution, solve
from tests.cases import num_cases
from tests.unit.simulation.contact.enumeration import solutions

SPRING = 1e-5
NATURAL, CONE = 1e-9, 1e-8
"""Residuals beside the rates without forces, and beside the largest force."""


def feet(J: np.ndarray, inverse: np.ndarray, rates: np.ndarray, mu: np.ndarray) -> Problem:
    """Return the problem of feet with rows (normal, tangential …) and rates of the body."""
    n, W = len(mu), J @ inverse @ J.T
    rows = len(J) // n
    first = np.ravel([[rows * i, rows * i + 1] for i in range(n)])
    is_contact = np.tile([True, False], n)
    normal = np.where(is_contact, -1, np.arange(2 * n) - 1)
    presses = np.zeros((2 * n, len(J)))
    presses[np.arange(1, 2 * n, 2), rows * np.arange(n)] = 1
    elements = Elements(first, np.tile([1, rows - 1], n), is_contact, normal)
    spring = np.full(len(J), SPRING * np.diag(W)[::rows].mean())
    both = np.zeros(2 * n)
    both[1::2] = mu
    terms = np.abs(J) @ np.abs(rates)
    none = np.zeros(2 * n)
    return Problem(
        elements, W, J @ rates, terms, W.diagonal().copy(), spring, both, both, none, presses
    )


def planar(places: np.ndarray, height: float) -> np.ndarray:
    """Return rows of feet of a body (x, y, angle)."""
    return np.array([row for p in places for row in ([0, 1, p], [1, 0, height])], dtype=float)


def spatial(places: np.ndarray) -> np.ndarray:
    """Return rows of feet of a body: velocity, then angular velocity."""
    rows = []
    for x, y, z in places:
        rows += [[0, 0, 1, y, -x, 0], [1, 0, 0, 0, z, -y], [0, 1, 0, -z, 0, x]]
    return np.array(rows)


def at_rest(p: Problem, given: np.ndarray | None = None) -> tuple[Mode, np.ndarray]:
    """Return the guess that everything sticks, or slides in directions."""
    k = len(p.elements.first)
    status, known = np.full(k, STICK), np.full(k, FREE)
    direction = np.tile([1.0, 0.0], (k, 1))
    if given is not None:
        status[1::2], known[1::2] = BOUND, GIVEN
        direction[1::2, : given.shape[1]] = given
        if given.shape[1] == 1:
            direction[1::2, 1] = 0
    return Mode.of(status, direction), known


def check(p: Problem, found: Solution) -> None:
    assert found.residual.natural.max() <= NATURAL * np.abs(p.b).max()
    assert found.residual.cone.max() <= CONE * np.abs(found.z).max()


@pytest.mark.parametrize("level", ["impulses", "accelerations", "sliding"])
def test_feet_on_a_plane_beside_all_combinations(level, rng, scale):
    """What exists is found, what is found is a solution, and none is made up."""
    for _ in range(num_cases(40, scale)):
        n = int(rng.integers(1, 4))
        J = planar(rng.uniform(-0.3, 0.3, n), rng.uniform(0.02, 0.5))
        inverse = np.diag([1, 1, 1 / rng.uniform(0.005, 0.1)])
        rates = rng.normal(size=3) * ([1, 1, 1] if level == "impulses" else [10, 10, 30])
        mu = rng.uniform(0, 1.2, n)
        given = np.full((n, 1), rng.choice([-1.0, 1.0])) if level == "sliding" else None
        p = feet(J, inverse, rates, mu)
        found = solve(p, *at_rest(p, given))
        expected = solutions(p.W, p.b, mu, 1, given)
        # of three feet loads may be shared in ways that are not tried there
        assert found.is_solved or not expected
        if found.is_solved:
            check(p, found)
        if n < 3:
            assert found.is_solved == bool(expected)
        if n < 3 and expected:
            assert min(np.abs(found.w - w).max() for w in expected) < 1e-6 * np.abs(p.b).max()


def test_feet_in_space_beside_all_combinations(rng, scale):
    for _ in range(num_cases(6, scale)):
        n = int(rng.integers(1, 3))
        places = rng.uniform([-0.3, -0.3, -0.3], [0.3, 0.3, -0.05], (n, 3))
        inverse = np.diag([1, 1, 1, *(1 / rng.uniform(0.005, 0.1, 3))])
        rates, mu = rng.normal(size=6) - [0, 0, 2, 0, 0, 0], rng.uniform(0, 0.9, n)
        p = feet(spatial(places), inverse, rates, mu)
        found = solve(p, *at_rest(p))
        assert found.is_solved
        check(p, found)
        expected = solutions(p.W, p.b, mu, 2)
        # roots are looked for from some places: it may miss what `check` has seen to be one
        near = [np.abs(found.w - w).max() for w in expected]
        assert min(near, default=0.0) < 1e-6 * np.abs(p.b).max()


@pytest.mark.parametrize("is_flat", [True, False])
def test_many_feet_in_space(is_flat, rng, scale):
    """Up to twelve feet of one body, whose forces depend on each other."""
    missed = 0
    cases = num_cases(30, scale)
    for _ in range(cases):
        n = int(rng.integers(3, 13))
        places = rng.uniform([-0.3, -0.3, -0.3], [0.3, 0.3, -0.05], (n, 3))
        if is_flat:
            places[:, 2] = -0.15
        inverse = np.diag([1, 1, 1, *(1 / rng.uniform(0.005, 0.1, 3))])
        rates = rng.normal(size=6) - [0, 0, 2, 0, 0, 0]
        p = feet(spatial(places), inverse, rates, rng.uniform(0, 0.9, n))
        found = solve(p, *at_rest(p))
        missed += not found.is_solved
        if found.is_solved:
            check(p, found)
            # impulses of a plastic impact take energy away
            assert found.z @ (p.b + found.w) <= 1e-12 * np.abs(found.z) @ np.abs(p.b)
    # one in three hundred, of up to twelve feet with as many coefficients
    assert missed <= max(1, 0.01 * cases)


@pytest.mark.parametrize("n", [2, 3, 6, 12])
def test_redundant_feet_share_a_load_like_equal_springs(n):
    """N = m g / n + p M / Σ p² under a weight and a moment M, friction by the same springs."""
    places, height, pull = np.linspace(-0.2, 0.2, n), 0.15, 0.4
    p = feet(
        planar(places, height), np.diag([1, 1, 50.0]), np.array([pull, -9.81, 0]), 0.5 + 0 * places
    )
    found = solve(p, *at_rest(p))
    assert found.is_solved
    # the pull at the centre and friction at the feet turn the block
    expected = 9.81 / n + places * height * pull / (places @ places)
    assert found.z[::2] == pytest.approx(expected, rel=1e-11)
    assert found.z[1::2] == pytest.approx(np.full(n, -pull / n), rel=1e-11)
    assert np.abs(found.w).max() < 1e-13
    assert (found.mode.status == STICK).all()


def test_what_the_rest_holds_is_at_its_bound_and_does_not_move():
    """Of three feet pulled by nearly the whole friction the least loaded one has yielded."""
    places, height, mu = np.array([-0.2, 0.0, 0.2]), 0.15, 0.3
    pull = 0.29 * 9.81
    p = feet(
        planar(places, height), np.diag([1, 1, 50.0]), np.array([pull, -9.81, 0]), mu + 0 * places
    )
    found = solve(p, *at_rest(p))
    assert found.is_solved
    assert found.mode.status[1::2].tolist() == [BOUND, STICK, STICK] or (
        found.mode.status[1::2].tolist() == [BOUND, BOUND, STICK]
    )
    assert not found.mode.moves.any()
    N, T = found.z[::2], found.z[1::2]
    assert np.sum(T) == pytest.approx(-pull, rel=1e-12)
    assert T[0] == pytest.approx(-mu * N[0], rel=1e-12)
    # its spring would carry more than the bound
    assert -found.candidate[1] > mu * N[0]


def test_bodies_that_share_nothing_are_solved_apart():
    """Thirty balls, each with the same impulses as alone."""
    n, r, e = 30, 0.1, np.linspace(-3, 3, 30)
    J = np.zeros((2 * n, 3 * n))
    rates = np.zeros(3 * n)
    for i in range(n):
        J[2 * i, 3 * i + 1], J[2 * i + 1, 3 * i], J[2 * i + 1, 3 * i + 2] = 1, 1, r
        rates[3 * i : 3 * i + 3] = e[i], -1, 0
    inverse = np.diag(np.tile([1, 1, 2.5 / r**2], n))
    p = feet(J, inverse, rates, np.full(n, 0.3))
    found = solve(p, *at_rest(p))
    assert found.is_solved
    assert found.z[::2] == pytest.approx(1.0, rel=1e-13)
    # 2/7 of the slip, or what friction gives
    expected = -np.sign(e) * np.minimum(2 / 7 * np.abs(e), 0.3)
    assert found.z[1::2] == pytest.approx(expected, rel=1e-12)


def boxes(W: np.ndarray, b: np.ndarray, is_contact: np.ndarray, bound: np.ndarray) -> Problem:
    n = len(b)
    size, none = np.ones(n, int), np.full(n, -1)
    elements = Elements(np.arange(n), size, is_contact, none)
    mu = np.where(is_contact, 0.0, bound)
    offset = np.where(is_contact, 0.0, 1.0)
    spring = SPRING * W.diagonal()
    return Problem(
        elements, W, b, np.abs(b), W.diagonal().copy(), spring, mu, mu, offset, np.zeros((n, n))
    )


def test_frictions_with_bounds_of_their_own_beside_all_combinations(rng, scale):
    """0 ≤ z ⊥ w ≥ 0 and |z| ≤ bound: the convex problem of contacts and joint friction."""
    from itertools import product

    for _ in range(num_cases(60, scale)):
        n = int(rng.integers(1, 6))
        B = rng.normal(size=(n + 1, n))
        W, b = B.T @ B, rng.normal(size=n)
        is_contact, bound = rng.random(n) < 0.5, rng.random(n)
        p = boxes(W, b, is_contact, bound)
        found = solve(p, Mode.of(np.full(n, STICK)))
        assert found.is_solved
        lower, upper = np.where(is_contact, 0, -bound), np.where(is_contact, np.inf, bound)
        for choice in product("flu", repeat=n):
            z = np.array(
                [
                    {"f": 0.0, "l": x, "u": y}[c]
                    for c, x, y in zip(choice, lower, upper, strict=True)
                ]
            )
            free = np.array([c == "f" for c in choice])
            if not np.isfinite(z).all():
                continue
            if free.any():
                z[free] = np.linalg.solve(
                    W[np.ix_(free, free)], -b[free] - W[np.ix_(free, ~free)] @ z[~free]
                )
            w = W @ z + b
            is_low, is_up = (
                np.array([c == "l" for c in choice]),
                np.array([c == "u" for c in choice]),
            )
            if (
                (z >= lower - 1e-12).all()
                and (z <= upper + 1e-12).all()
                and (w[is_low] >= -1e-12).all()
                and (w[is_up] <= 1e-12).all()
            ):
                assert found.z == pytest.approx(z, abs=1e-8)
                break
        else:
            raise AssertionError("no choice fits")


def test_rows_that_depend_on_each_other_have_one_w(rng, scale):
    for _ in range(num_cases(20, scale)):
        B = rng.normal(size=(2, 5))
        W, b = B.T @ B, B.T @ rng.normal(size=2)
        p = boxes(W, b, np.full(5, True), np.zeros(5))
        found = solve(p, Mode.of(np.full(5, STICK)))
        assert found.is_solved
        assert found.z.min() >= -1e-9 * np.abs(found.z).max()
        assert found.w.min() > -1e-10 * np.abs(b).max()
        assert abs(found.z @ found.w) < 1e-9 * np.abs(b).max() * (1 + found.z.max())


@pytest.mark.parametrize("angle", [1e-2, 1e-3, 1e-4])
def test_rows_that_nearly_depend_on_each_other(angle, rng, scale):
    """As the hips of a quadruped that stands: legs in parallel, which no force tells apart."""
    for _ in range(num_cases(40, scale)):
        n, pairs = int(rng.integers(4, 7)), int(rng.integers(3, 7))
        one = rng.normal(size=(pairs, n))
        J = np.concatenate([one, one + angle * rng.normal(size=one.shape)])
        b, bound = J @ rng.normal(size=n), rng.uniform(0.01, 0.3, 2 * pairs)
        p = boxes(J @ J.T, b, rng.random(2 * pairs) < 0.2, bound)
        found = solve(p, Mode.of(np.full(2 * pairs, STICK)))
        assert found.is_solved
        check(p, found)


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_units_do_not_matter(unit, rng):
    """In other units of mass and length forces are the same, modes too."""
    places = rng.uniform([-0.3, -0.3, -0.15], [0.3, 0.3, -0.15], (5, 3))
    inverse = np.diag([1, 1, 1, 30, 20, 10.0])
    rates, mu = np.array([0.5, 0.2, -2, 0.3, 0.1, -0.4]), np.full(5, 0.4)
    p = feet(spatial(places), inverse, rates, mu)
    one = solve(p, *at_rest(p))
    length = np.array([1, 1, 1, 1 / unit, 1 / unit, 1 / unit])
    J = spatial(places * unit)
    # lengths in another unit: linear rates grow, inertias too
    other = feet(J, inverse * length**2, rates * unit * length, mu)
    two = solve(other, *at_rest(other))
    assert (one.mode.status == two.mode.status).all()
    assert two.z / unit == pytest.approx(one.z, rel=1e-9, abs=1e-10)
    heavy = feet(spatial(places), inverse / unit, rates, mu)
    three = solve(heavy, *at_rest(heavy))
    assert (one.mode.status == three.mode.status).all()
    assert three.z / unit == pytest.approx(one.z, rel=1e-9, abs=1e-10)


def test_where_friction_presses_by_more_than_it_is_given_there_is_none():
    """Painlevé's rod at tan θ = 2 with μ = 3, sliding: no force fits, and nothing raises."""
    s, c = np.sin(np.arctan(2.0)), np.cos(np.arctan(2.0))
    J = np.array([[0, 1, -c], [1, 0, s]])
    p = feet(J, np.diag([1, 1, 3.0]), np.array([0, -9.81, 0]), np.array([3.0]))
    found = solve(p, *at_rest(p, np.array([[-1.0]])))
    assert not found.is_solved
    assert found.residual.natural.max() > 0.1
    # an impulse there always is
    found = solve(p, *at_rest(p))
    assert found.is_solved


def test_rows_without_any_mobility_have_no_force():
    J = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]], float)
    p = feet(J, np.eye(3), np.array([1.0, -1, 0]), np.array([0.2, 0.2]))
    found = solve(p, *at_rest(p))
    assert found.is_solved
    assert found.z == pytest.approx([1, -0.2, 0, 0])
    assert found.mode.status.tolist() == [STICK, BOUND, OPEN, OPEN]
