"""Positivity of the mass matrix of a mechanism: decided by its links and rotors."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanics.proofs.hypotheses import examine
from dalembert.mechanics.proofs.links import gram_matrix, link_hypotheses, unresisted
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.tree import Tree
from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia

ROBOTS = ["ur5e", "scara", "stanford_arm", "puma560", "biped", "four_bar", "planar_3r"]


def verdicts(mechanism: da.Mechanism) -> dict[str, str]:
    return {p.statement: p.verdict for p in mechanism.equations().prove()}


@pytest.mark.parametrize("name", ROBOTS)
def test_mass_matrix_of_a_robot_is_proved_definite(name) -> None:
    robot = getattr(da.textbook.robots, name)()
    found = verdicts(robot)
    assert found["M ⪰ 0"] == "proved"
    assert found["M ≻ 0 everywhere"] == "proved"


def test_gram_matrix_is_the_mass_matrix_in_numbers(rng) -> None:
    tree = Tree.of(da.textbook.robots.puma560()).map(float)
    q = list(rng.uniform(-3, 3, tree.nv))
    G, M = np.array(gram_matrix(tree, q)), np.array(mass_matrix(tree, q))
    assert np.abs(G - M).max() < 1e-12 * np.abs(M).max()


def with_inertia(tree: Tree, i: int, inertia: Inertia) -> Tree:
    nodes = list(tree.nodes)
    nodes[i] = replace(nodes[i], inertia=inertia)
    return replace(tree, nodes=tuple(nodes))


ARM = Tree.of(da.textbook.robots.planar_arm_nr(3))
UNIT = ((1, 0, 0), (0, 1, 0), (0, 0, 1))

IMPOSSIBLE = {
    "negative mass": Inertia.from_com(-1, (0, 0, 0), UNIT),
    "negative moment": Inertia.from_com(1, (1, 2, 3), ((1, 0, 0), (0, -1, 0), (0, 0, 1))),
    "negative by a product": Inertia.from_com(1, (0, 0, 0), ((1, 2, 0), (2, 1, 0), (0, 0, 1))),
    "moment about the origin only": Inertia(1, (1, 0, 0), (0, Fraction(999, 1000), 1, 0, 0, 0)),
    "first moment without mass": Inertia(0, (1, 0, 0), (1, 1, 1, 0, 0, 0)),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_impossible_numbers_are_refused(case) -> None:
    found = examine(link_hypotheses(with_inertia(ARM, 1, IMPOSSIBLE[case])))
    assert found.witness is None
    assert found.are_false


POSSIBLE = {
    "point": Inertia.from_com(1, (1, 0, 0), ((0, 0, 0), (0, 0, 0), (0, 0, 0))),
    "rod": Inertia.from_com(2, (1, 0, 0), ((0, 0, 0), (0, 1, 0), (0, 0, 1))),
    "rotor without mass": Inertia(0, (0, 0, 0), (0, 0, 1, 0, 0, 0)),
    "nothing": NO_INERTIA,
}


@pytest.mark.parametrize("case", POSSIBLE)
def test_possible_numbers_need_no_hypothesis(case) -> None:
    found = examine(link_hypotheses(with_inertia(ARM, 1, POSSIBLE[case])))
    assert found.witness == {}


def numbers(tree: Tree) -> Tree:
    """Return the tree with 1 for every symbol."""
    one = dict.fromkeys(tree.scalars[0].symbols, 1) if tree.scalars else {}
    for x in tree.scalars:
        one |= dict.fromkeys(x.symbols, 1)
    return tree.map(lambda x: x.subs(one).value if isinstance(x, da.Expr) else x)


def test_a_joint_whose_link_weighs_nothing_is_named() -> None:
    arm = numbers(ARM)
    assert unresisted(arm) == []
    # the last link resists nothing: its joint turns freely
    assert unresisted(with_inertia(arm, 2, NO_INERTIA)) == [2]
    # a rod resists both joints before it; a point at its end does not when they are in line
    assert unresisted(with_inertia(arm, 1, NO_INERTIA)) == []
    point = Inertia.from_com(1, (1, 0, 0), ((0, 0, 0), (0, 0, 0), (0, 0, 0)))
    pointed = with_inertia(with_inertia(arm, 1, NO_INERTIA), 2, point)
    assert unresisted(pointed) == [1, 2]
    # a point on the axis of its joint does not resist it
    on_axis = Inertia.from_com(1, (0, 0, 5), ((0, 0, 0), (0, 0, 0), (0, 0, 0)))
    assert 2 in unresisted(with_inertia(arm, 2, on_axis))


def test_a_claim_about_the_mass_matrix_of_a_robot_is_judged() -> None:
    eq = da.textbook.robots.scara().equations()
    wrong = eq.replaced(M=-eq.M)
    found = {p.statement: p.verdict for p in wrong.prove()}
    assert found["M ⪰ 0"] == "refuted"
    assert "M ≻ 0 everywhere" not in found


def test_massless_chain_has_a_witness_direction() -> None:
    arm = (
        da.Builder("arm")
        .link("upper", mass=1, com=(1, 0, 0), inertia=(1, 1, 1))
        .link("tip", mass=0)
        .revolute("shoulder", "upper")
        .revolute("elbow", "tip", origin=(1, 0, 0))
        .build()
    )
    (proof,) = [p for p in arm.equations().prove() if p.statement.startswith("M ≻ 0")]
    assert proof.verdict == "refuted"
    assert "direction (0, 1)" in proof.method


def test_links_that_are_welded_count_with_the_link_that_carries_them() -> None:
    arm = (
        da.Builder("arm")
        .link("flange")
        .link("tool", mass=1, com=(1, 0, 0))
        .revolute("hinge", "flange")
        .fixed("weld", "tool", origin=(0, 0, 1))
        .build()
    )
    assert unresisted(Tree.of(arm)) == []


def test_a_rotor_resists_its_joint_whatever_the_link_weighs() -> None:
    arm = (
        da.Builder("arm")
        .link("upper", mass=1, com=(1, 0, 0))
        .link("tip")
        .revolute("shoulder", "upper")
        .revolute("elbow", "tip", origin=(1, 0, 0), armature=Fraction(1, 100))
        .build()
    )
    found = verdicts(arm)
    assert found["M ⪰ 0"] == found["M ≻ 0 everywhere"] == "proved"


def test_symbolic_robot_states_its_hypotheses() -> None:
    robot = da.textbook.robots.scara()
    proofs = {p.statement: p for p in robot.symbolic().equations().prove()}
    semidefinite, definite = proofs["M ⪰ 0"], proofs["M ≻ 0 everywhere"]
    assert semidefinite.is_proved
    assert semidefinite.hypotheses
    assert all(text.endswith((" ≥ 0", " ⪰ 0")) for text in semidefinite.hypotheses)
    assert definite.is_proved
    assert definite.hypotheses == (*semidefinite.hypotheses, "parameters > 0")
    # numbers assume nothing
    numbers = {p.statement: p for p in da.textbook.robots.ur5e().equations().prove()}
    assert numbers["M ⪰ 0"].hypotheses == numbers["M ≻ 0 everywhere"].hypotheses == ()


def test_a_joint_that_follows_another_may_show_that_both_stand_still() -> None:
    """Two hinges about one axis: the link sees only their sum, until the first is known to rest."""
    builder = (
        da.Builder("coaxial")
        .link("inner")
        .link("outer", mass=1, inertia=(1, 1, 1))
        .link("follower", mass=1, com=(1, 0, 0))
        .revolute("first", "inner")
        .revolute("second", "outer")
    )
    together = Tree.of(builder.revolute("third", "follower", parent="world").build())
    assert unresisted(together) == [0, 1]
    builder.joints.pop()
    follows = builder.revolute("third", "follower", parent="world", mimic=("first", 2, 0))
    assert unresisted(Tree.of(follows.build())) == []
