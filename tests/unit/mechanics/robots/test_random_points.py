"""Proofs of large mechanisms at random points agree with the exact ones, and see every fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

import dalembert as da
from dalembert.mechanics.printed.statement import STATEMENT
from dalembert.mechanics.robots import proofs
from dalembert.mechanics.robots.at_random_points import GRAM, look, prove_at_random_points
from dalembert.mechanics.robots.equations import system_of, torque_symbols
from dalembert.mechanics.robots.written import Written
from dalembert.recursions.tree import Tree
from tests.effort import at_once


def at_points(mechanism: da.Mechanism) -> list[da.Proof]:
    return prove_at_random_points(system_of(mechanism), Tree.of(mechanism))


@pytest.mark.parametrize(
    "name", ["scara", "ur5e", "biped", "stanford_arm", "planar_3r", "four_bar", "five_bar"]
)
def test_both_ways_prove_the_same(name) -> None:
    robot = getattr(da.textbook.robots, name)()
    found = {p.statement: p.verdict for p in at_points(robot)}
    assert set(found.values()) == {"proved"}
    exact = {p.statement: p.verdict for p in proofs.prove_exactly(robot, robot.equations())}
    shared = found.keys() & exact.keys()
    assert len(shared) >= 9
    assert all(exact[name] == "proved" for name in shared)


def test_large_robots_are_proved_at_once() -> None:
    robot = da.textbook.robots.panda()
    found = at_once(robot.prove, 10.0)
    assert all(p.is_proved for p in found)
    assert any("chance of error" in p.method for p in found)
    names = {p.statement for p in found}
    assert {"M ⪰ 0", "M ≻ 0 everywhere", "Ṁ - 2C is skew-symmetric"} <= names


def test_small_robots_are_proved_exactly() -> None:
    found = da.textbook.robots.ur5e().prove()
    exact = [p for p in found if p.statement != STATEMENT]
    assert not any("chance of error" in p.method for p in exact)
    from_equations = {p.statement for p in da.textbook.robots.ur5e().equations().prove()}
    assert from_equations <= {p.statement for p in found}


def changed(tree: Tree, i: int, change: Callable[[da.Expr], object]) -> Tree:
    nodes = list(tree.nodes)
    nodes[i] = change(nodes[i])  # type: ignore[assignment]
    return replace(tree, nodes=tuple(nodes))


FAULTS = {
    "mass": lambda node: replace(
        node, inertia=node.inertia._replace(m=node.inertia.m + Fraction(1, 10**12))
    ),
    "product of inertia": lambda node: replace(
        node, inertia=node.inertia._replace(I=(*node.inertia.I[:5], Fraction(1, 10**9)))
    ),
    "rotor": lambda node: replace(node, joint=replace(node.joint, armature=Fraction(1, 10**9))),
}


@pytest.mark.parametrize("case", FAULTS)
def test_every_difference_of_tree_and_energies_is_seen(case) -> None:
    """The energies are those of one robot, the recursions run on another: nothing is proved."""
    robot = da.textbook.robots.ur5e()
    tree = Tree.of(robot)
    wrong = changed(tree, 3, FAULTS[case])
    found = {p.statement: p.verdict for p in prove_at_random_points(system_of(robot), wrong)}
    assert found["T = ½ q̇ᵀM q̇"] == "refuted"
    assert found["M = ∂²L/∂q̇²"] == "refuted"
    assert found["M q̈ + C q̇ + N = d/dt ∂L/∂q̇ - ∂L/∂q + ∂R/∂q̇, Lagrange's equations"] == "refuted"
    # what concerns the recursions alone stays true
    assert found["M is symmetric"] == found["Ṁ - 2C is skew-symmetric"] == "proved"


def test_wrong_gravity_is_seen() -> None:
    robot = da.textbook.robots.ur5e()
    x, y, z = robot.gravity
    tree = replace(Tree.of(robot), gravity=(x, y + Fraction(1, 10**9), z))
    found = {p.statement: p.verdict for p in prove_at_random_points(system_of(robot), tree)}
    assert found["Newton–Euler recursion = Euler–Lagrange equations"] == "refuted"


def resisted_arm() -> da.Mechanism:
    """An arm of three joints with rotors, springs, viscous and dry friction."""
    builder = da.Builder("arm")
    for i in range(1, 4):
        builder.link(f"link{i}", mass=1, com=(1, 0, 0), inertia=(1, 2, 3))
        builder.revolute(
            f"joint{i}", f"link{i}", origin=(1, 0, 0), axis="xyz"[i - 1], friction=2, damping=3,
            stiffness=5, armature=Fraction(1, 7),
        )  # fmt: skip
    return builder.build()


def test_dry_friction_and_springs() -> None:
    assert all(p.is_proved for p in at_points(resisted_arm()))


def written(mechanism: da.Mechanism) -> Written:
    tree = Tree.of(mechanism)
    return Written(system_of(mechanism), tree, torque_symbols(tree.nv))


WITNESSES = {
    "M": "T = ½ q̇ᵀM q̇",
    "Gram": GRAM,
    "recursive C": "recursive Coriolis matrix",
    "torque": "Newton–Euler recursion",
    "torque of links": "τ = Y θ with ten parameters",
    "torque of drives": "τ = Y θ with rotors",
    "passive": "Newton–Euler recursion",
    "applied": "Newton–Euler recursion",
    "forces": "Newton–Euler recursion",
    "E": "dE/dt",
    "T": "T = ½ q̇ᵀM q̇",
    "momentum": "Lagrange's equations",
    "dT/dq": "Lagrange's equations",
    "dV/dq": "Newton–Euler recursion",
    "dR/dv": "Newton–Euler recursion",
    "A": "A q̈ + Ȧ q̇",
    "second rates": "A q̈ + Ȧ q̇",
}


@pytest.mark.parametrize("part", WITNESSES)
def test_a_wrong_entry_of_any_part_is_seen(part) -> None:
    robot = da.textbook.robots.four_bar() if part in ("A", "second rates") else resisted_arm()
    claim = written(robot)
    assert look(claim).wrong == set()
    assert set(claim.places) == set(WITNESSES)
    # the last entry is that of another node: a velocity
    claim.places[part][-1] = claim.graph.place[claim.system.velocities[0]]
    assert any(WITNESSES[part] in statement for statement in look(claim).wrong)


def test_what_is_no_polynomial_is_proved_in_the_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    arm = (
        da.Builder("arm")
        .link("rod", mass=1, com=(1, 0, 0), inertia=(1, 1, 1))
        .revolute("hinge", "rod")
        .spring("spring", ("world", (2, 0, 0)), ("rod", (1, 0, 0)), stiffness=3, rest_length=1)
        .build()
    )
    with pytest.raises(da.Undecided):
        at_points(arm)
    monkeypatch.setattr(proofs, "MAX_EXACT_SIZE", 0)
    found = arm.prove()
    assert found
    exact = [p for p in found if p.statement != STATEMENT]
    assert not any("chance of error" in p.method for p in exact)
