"""Accelerations and multipliers: closed form against numbers, and what cannot be solved."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import SingularSystem
from dalembert.expr import ZERO
from dalembert.mechanics.points.compare import compare
from dalembert.mechanics.printed.read_back import fault_of_latex, fault_of_mathml, fault_of_text
from dalembert.typeset.printer import mathml
from tests.oracles import column, constrained_accelerations, random_state, rates

x, y = da.coordinates("x y")
m, k = da.parameters("m k")

SYSTEMS = [
    "particle",
    "geared_link",
    "elastic_joint",
    "wire_particles",
    "rp_arm",
    "rp_arm_maximal",
    "planar_arm",
    "pinned_three_link",
    "double_pendulum",
    "spherical_pendulum",
    "cart_pole",
    "furuta_pendulum",
    "driven_pendulum",
    "free_rigid_body",
    "rolling_disc",
    "knife_edge",
]


@pytest.mark.parametrize("name", SYSTEMS)
def test_closed_form_against_numbers(name, rng):
    eq = getattr(da.textbook, name)().equations()
    qdd, lam = eq.accelerations(), eq.multipliers()
    assert qdd.shape == (len(eq.coordinates), 1)
    assert lam.shape == (len(eq.lam), 1)
    for _ in range(5):
        values = random_state(eq, rng)
        # one dense system, assembled here
        M, A, v = eq.M.evaluate(values), eq.A.evaluate(values), rates(eq, values)
        right = column(eq.forces, values) - eq.C.evaluate(values) @ v - column(eq.N, values)
        gamma = -eq.Ad.evaluate(values) @ v
        expected, forces = constrained_accelerations(M, right, A, gamma)
        # conditioning of the mass matrix at the point
        tolerance = 1e-12 * np.linalg.cond(M) * (1 + np.abs(expected).max())
        assert column(qdd, values) == pytest.approx(expected, abs=max(tolerance, 1e-9))
        solution = eq.solve(values)
        assert solution.accelerations == pytest.approx(expected, abs=max(tolerance, 1e-9))
        if len(eq.lam):
            assert column(lam, values) == pytest.approx(forces, rel=1e-7, abs=1e-7)
            assert solution.multipliers == pytest.approx(forces, rel=1e-7, abs=1e-7)
        assert solution.constraint_rank == len(eq.lam)


@pytest.mark.parametrize("name", SYSTEMS)
def test_closed_form_satisfies_the_equations_exactly(name):
    eq = getattr(da.textbook, name)().equations()
    solved = dict(zip([q.ddot for q in eq.coordinates], eq.accelerations(), strict=True))
    solved |= dict(zip(eq.lam, eq.multipliers(), strict=True))
    left = eq.residual.subs(solved)
    if name == "pinned_three_link":
        # λ in factors is exact, and too long to be multiplied out: random points of a prime field
        found = compare([(e, ZERO) for e in left], random.Random(1))
        assert found.verdict == "equal", found.method
        return
    assert da.equal(left, da.Matrix.zeros(len(eq.coordinates), 1))


def test_numbers_for_numerical_parameters():
    # a double pendulum with masses and lengths 1: at rest, both horizontal, θ̈ = (-g, 0)
    eq = da.textbook.double_pendulum().equations()
    a1, a2 = eq.coordinates
    values = dict.fromkeys(eq.parameters, 1.0) | {a1: np.pi / 2, a2: np.pi / 2}
    values |= {a1.dot: 0.0, a2.dot: 0.0, da.parameters("g")[0]: 9.81}
    assert eq.solve(values).accelerations == pytest.approx([-9.81, 0.0], abs=1e-12)


def test_large_chain_is_refused_with_its_size_and_the_numerical_way(rng):
    eq = da.textbook.planar_chain(7).equations()
    with pytest.raises(da.TooLarge) as caught:
        eq.accelerations()
    message = str(caught.value)
    assert "\n" not in message
    for word in ("7 accelerations", "0 multipliers", "terms in M", "eq.solve({...})"):
        assert word in message
    # and the numerical way works
    values = random_state(eq, rng)
    qdd = eq.solve(values).accelerations
    left = eq.M.evaluate(values) @ qdd + column(eq.bias, values)
    assert left == pytest.approx(np.zeros(7), abs=1e-8)


def test_singular_along_a_combination():
    # only x + y has inertia: M annihilates (1, -1)
    eq = da.System(kinetic=m * (x.dot + y.dot) ** 2 / 2, coordinates=[x, y]).equations()
    with pytest.raises(da.SingularSystem, match="none along x, y"):
        eq.accelerations()


def test_singular_configuration():
    # the spherical pendulum hanging down: φ has no inertia there, and only there
    eq = da.textbook.spherical_pendulum().equations()
    theta, phi = eq.coordinates
    values = dict.fromkeys(eq.parameters, 1.0) | {
        theta: 0.0,
        phi: 0.3,
        theta.dot: 0.1,
        phi.dot: 0.2,
    }
    with pytest.raises(da.SingularSystem, match="along phi at this point"):
        eq.solve(values)
    assert eq.solve(values | {theta: 0.5}).accelerations.shape == (2,)


def test_everything_massless():
    system = da.System(kinetic=0, potential=k * x**2, coordinates=[x])
    with pytest.warns(UserWarning, match="none along x"):
        eq = system.equations()
    with pytest.raises(da.SingularSystem, match="along x"):
        eq.accelerations()
    with pytest.raises(da.SingularSystem, match="along x"):
        eq.solve({k: 1.0, x: 1.0, x.dot: 0.0})


def test_long_multipliers_are_printed_in_factors():
    """Savin's homework: multiplied out, λ has 13,038 characters, of LaTeX 38,916."""
    lam = da.textbook.pinned_three_link().equations().multipliers()
    text, latex = str(lam), lam.latex()
    assert len(text) < 13_038 / 4
    assert len(latex) < 38_916 / 4
    assert fault_of_text(lam, text) == ""
    assert fault_of_latex(lam, latex) == ""
    assert fault_of_mathml(lam, mathml(lam)) == ""
    # each part is explained once
    lefts = [line.split(" = ")[0].split()[-1] for line in text.splitlines() if " = " in line]
    assert len(set(lefts)) == len(lefts)
    assert str(pickle.loads(pickle.dumps(lam))) == text


def test_long_multipliers_of_dependent_constraints():
    """Three links, with one constraint twice: singular, as for short equations."""
    chain = da.textbook.pinned_three_link()
    twice = da.System.from_bodies(
        chain.bodies,
        coordinates=chain.coordinates,
        gravity=chain.gravity,
        constraints=[*chain.constraints, 2 * chain.constraints[0]],
        keep_redundant=True,
    )
    with pytest.raises(SingularSystem, match="rank 2"):
        twice.equations().multipliers()
