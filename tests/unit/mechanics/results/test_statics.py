"""Statics by virtual work: ladders, trusses and linkages against free-body diagrams."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidSystem, SingularSystem
from tests.oracles import random_state

x, y, z, x1, theta = da.coordinates("x y z x1 theta")
q1, q2, q3 = da.coordinates("q1 q2 q3")
m, g, l, W, L1, L2, L3, alpha, k, r = da.parameters("m g l W L1 L2 L3 alpha k r")
a1, a2, a3, a4, m1, m2 = da.parameters("a1 a2 a3 a4 m1 m2")
F, tau, load = da.inputs("F tau load")
s, c = da.sin, da.cos


def ladder() -> da.Equations:
    """A ladder at a smooth wall x = 0 on a smooth floor y = 0, its foot held by the force F."""
    body = da.Body(m, (x, y), m * l**2 / 12, -theta)
    foot = (x + l * c(theta) / 2, y - l * s(theta) / 2)
    return da.System.from_bodies(
        [body],
        coordinates=[x, y, theta],
        gravity=(0, -g),
        forces=[da.Load(force=(-F, 0), point=foot)],
        constraints=[y - l * s(theta) / 2, x - l * c(theta) / 2],
    ).equations()


def test_ladder():
    at_rest = ladder().statics()
    # moments about the point where wall and floor normals meet: F l sin θ = m g (l/2) cos θ
    assert da.equal(at_rest.solve(F)[F], m * g * c(theta) / (2 * s(theta)))
    floor, wall = at_rest.reactions()
    assert da.equal(floor.value, m * g)
    assert da.equal(wall.value, F)
    assert da.equal(floor.force, da.Matrix.column([0, m * g, -m * g * l * c(theta) / 2]))


def test_reactions_in_equilibrium_are_the_multipliers():
    eq = ladder()
    at_rest = eq.statics()
    balance = {**at_rest.solve(F), **dict.fromkeys(eq.velocities, 0)}
    lam = eq.multipliers().subs(balance)
    for reaction, value in zip(at_rest.reactions(), lam, strict=True):
        assert da.equal(reaction.value.subs(balance), value)


def truss() -> da.Equations:
    """Two inclined members and a tie: a joint at 0, one on rollers at x1, the load W on (x, y)."""
    return da.System(
        kinetic=m * (x1.dot**2 + x.dot**2 + y.dot**2) / 2,
        potential=W * y,
        coordinates=[x1, x, y],
        constraints=[
            da.sqrt(x**2 + y**2) - L1,
            da.sqrt((x - x1) ** 2 + y**2) - L2,
            x1 - L3,
        ],
    ).equations()


def test_members_of_a_truss():
    at_rest = truss().statics()
    assert "no virtual displacement" in str(at_rest)
    # joint under the load: two members at the slope α carry W/(2 sin α) each, the tie W/(2 tan α)
    slope = math.atan2(2.0, 1.0)
    values = {x: 1.0, y: 2.0, x1: 2.0, W: 10.0}
    left, right, tie = (reaction.value.evaluate(values) for reaction in at_rest.reactions())
    assert left == pytest.approx(10 / (2 * math.sin(slope)))
    assert right == pytest.approx(10 / (2 * math.sin(slope)))
    # λ of x1 - L3 pulls the roller back: tension
    assert tie == pytest.approx(-10 / (2 * math.tan(slope)))


def four_bar() -> da.Equations:
    """Crank a1, coupler a2, rocker a3, ground a4; torques on crank and rocker."""
    return da.System(
        kinetic=m * (q1.dot**2 + q2.dot**2 + q3.dot**2) / 2,
        coordinates=[q1, q2, q3],
        forces=[tau, 0, load],
        constraints=[
            a1 * c(q1) + a2 * c(q2) - a4 - a3 * c(q3),
            a1 * s(q1) + a2 * s(q2) - a3 * s(q3),
        ],
    ).equations()


def test_static_balance_of_a_four_bar():
    # τ ω₁ + load ω₃ = 0 with ω₃/ω₁ = a₁ sin(q₁ - q₂) / (a₃ sin(q₃ - q₂)) (Norton, 6.18)
    found = four_bar().statics().solve(tau)[tau]
    ratio = a1 * s(q1 - q2) / (a3 * s(q3 - q2))
    assert da.equal(found, -load * ratio)


def test_equilibrium_without_constraints():
    # a spring pendulum hangs straight: k (r - l) = m g
    eq = da.System.from_particles(
        [m],
        [(z * s(theta), -z * c(theta))],
        coordinates=[z, theta],
        gravity=(0, -g),
        potential=k * (z - l) ** 2 / 2,
    ).equations()
    along, turning = eq.statics().work
    assert da.equal(along, m * g * c(theta) - k * (z - l))
    assert da.equal(turning, -m * g * z * s(theta))


def test_damping_and_velocities_do_not_matter():
    b, w = da.parameters("b w")
    eq = da.System(
        kinetic=m * x.dot**2 / 2,
        potential=k * x**2 / 2,
        coordinates=[x],
        dissipation=b * x.dot**2,
        forces=[F + w * x.dot],
    ).equations()
    assert da.equal(eq.statics().work[0], F - k * x)


def test_refused():
    eq = ladder()
    at_rest = eq.statics()
    with pytest.raises(InvalidSystem, match="1 unknowns"):
        at_rest.solve()
    with pytest.raises(InvalidSystem, match="linear"):
        at_rest.solve(theta)
    with pytest.raises(SingularSystem, match="balance"):
        at_rest.solve(tau)
    with pytest.raises(InvalidSystem, match="from 1 to 2, got 3"):
        at_rest.reaction(3)
    driven = da.System(
        kinetic=m * x.dot**2 / 2, coordinates=[x], constraints=[x - da.time]
    ).equations()
    with pytest.raises(InvalidSystem, match="moves with time"):
        driven.statics()


def test_statically_indeterminate():
    # two supports in one place: neither can be released to give way
    eq = da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        potential=m * g * y,
        coordinates=[x, y],
        constraints=[y, 2 * y],
        keep_redundant=True,
    ).equations()
    with pytest.raises(SingularSystem, match="indeterminate"):
        eq.statics().reaction(1)


def test_texts():
    at_rest = ladder().statics()
    assert str(at_rest) == "l F sin(θ) - m g l cos(θ)/2 = 0"
    assert str(at_rest.reaction(1)) == "λ₁ = m g"
    assert "= 0" in at_rest._repr_latex_()
    assert "\\lambda" in at_rest.reaction(1)._repr_latex_()


# ---- forces along and across the motions


def slope() -> da.Equations:
    return da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        potential=m * g * y,
        coordinates=[x, y],
        constraints=[y * c(alpha) - x * s(alpha)],
    ).equations()


def two_masses_on_a_wire() -> da.Equations:
    return da.textbook.wire_particles().equations()


def test_weight_on_a_slope():
    # m g sin α down the slope, m g cos α into it
    split = slope().split_forces()
    down, into = m * g * s(alpha), m * g * c(alpha)
    assert da.equal(split.along, da.Matrix.column([-down * c(alpha), -down * s(alpha)]))
    assert da.equal(split.across, da.Matrix.column([into * s(alpha), -into * c(alpha)]))
    # for one particle both metrics are the same
    other = slope().split_forces(metric="euclidean")
    assert da.equal(other.projector, split.projector)
    assert str(split).startswith("f∥ = ")
    assert "f_{\\perp}" in split._repr_latex_()


def test_particle_on_a_sphere():
    # f⊥ = (f · n) n with n = r/|r|
    eq = da.System(
        kinetic=m * (x.dot**2 + y.dot**2 + z.dot**2) / 2,
        potential=m * g * z,
        coordinates=[x, y, z],
        constraints=[x**2 + y**2 + z**2 - l**2],
    ).equations()
    split = eq.split_forces()
    n = da.Matrix.column([x, y, z])
    assert da.equal(split.across, n * (-m * g * z / (x**2 + y**2 + z**2)))


@pytest.mark.parametrize("make", [slope, two_masses_on_a_wire, four_bar, truss])
@pytest.mark.parametrize("metric", ["kinetic", "euclidean"])
def test_proofs_and_projectors(make, metric, rng):
    eq = make()
    split = eq.split_forces(metric=metric)
    assert all(proof.is_proved for proof in split.prove())
    # P = 1 - Aᵀ (A G⁻¹ Aᵀ)⁻¹ A G⁻¹, by numpy
    values = random_state(eq, rng)
    A = eq.A.evaluate(values)
    inverse = np.linalg.inv(eq.M.evaluate(values)) if metric == "kinetic" else np.eye(A.shape[1])
    P = np.eye(A.shape[1]) - A.T @ np.linalg.inv(A @ inverse @ A.T) @ A @ inverse
    assert np.allclose(split.projector.evaluate(values), P, atol=1e-9)


@pytest.mark.parametrize("make", [slope, two_masses_on_a_wire, four_bar])
def test_constraints_balance_what_is_across_at_rest(make):
    # Penn: the normal components are in equilibrium with the constraint forces; true at q̇ = 0
    eq = make()
    rest = dict.fromkeys(eq.velocities, 0)
    held = (eq.A.T @ eq.multipliers()).subs(rest)
    across = eq.split_forces().across.subs(rest)
    assert da.equal(held + across, da.Matrix.zeros(len(eq.coordinates), 1))


def test_in_motion_the_path_bends():
    # on a circle the constraint also turns the velocity: Aᵀλ + f⊥ = -m v²/l n, not 0
    eq = da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2, coordinates=[x, y], constraints=[x**2 + y**2 - l**2]
    ).equations()
    held = eq.A.T @ eq.multipliers()
    speed = x.dot**2 + y.dot**2
    expected = da.Matrix.column([x, y]) * (-m * speed / (x**2 + y**2))
    assert da.equal(held, expected)
    assert da.equal(eq.split_forces().across, da.Matrix.zeros(2, 1))


def test_metrics_differ_for_different_masses():
    eq = two_masses_on_a_wire()
    kinetic, plain = eq.split_forces(), eq.split_forces(metric="euclidean")
    assert not da.equal(kinetic.projector, plain.projector)


def test_a_given_force_and_bad_ones():
    eq = slope()
    split = eq.split_forces([F, 0])
    assert da.equal(split.along, da.Matrix.column([F * c(alpha) ** 2, F * s(alpha) * c(alpha)]))
    with pytest.raises(InvalidSystem, match="2 coordinates"):
        eq.split_forces([F])
    with pytest.raises(InvalidSystem, match="metric"):
        eq.split_forces(metric="spherical")  # type: ignore[arg-type]
    # without constraints everything is along
    free = da.System(kinetic=m * x.dot**2 / 2, coordinates=[x], forces=[F]).equations()
    assert da.equal(free.split_forces().along[0], F)
    # where nothing can move everything is across
    held = da.System(
        kinetic=m * x.dot**2 / 2, coordinates=[x], forces=[F], constraints=[x]
    ).equations()
    assert da.equal(held.split_forces().across[0], F)
