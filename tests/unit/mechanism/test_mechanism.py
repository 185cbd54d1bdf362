"""Mechanisms: names, errors, parameters, variants."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism, UnknownName
from dalembert.expr import Expr, as_expr
from dalembert.mechanism import Builder, Joint, JointKind, Link, Mechanism, Mimic
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.tree import Tree
from dalembert.ring import equal
from tests.cases import num_cases
from tests.random_mechanisms import random_mechanism, random_state

ROUNDING = 1e-12


def hinge(name: str, parent: str, child: str, **options: object) -> Joint:
    return Joint(name, JointKind.REVOLUTE, parent, child, **options)  # type: ignore[arg-type]


def mechanism(*joints: Joint, links: str = "world a b c") -> Mechanism:
    return Mechanism("arm", tuple(Link(name) for name in links.split()), joints)


# ---- errors

A, B, C = hinge("j1", "world", "a"), hinge("j2", "a", "b"), hinge("j3", "b", "c")
ERRORS = {
    "two links of a name": (
        lambda: mechanism(A, B, links="world a b a"),
        "expected distinct link names in arm, got 'a' twice: rename one",
    ),
    "two joints of a name": (
        lambda: mechanism(A, hinge("j1", "a", "b"), links="world a b"),
        "expected distinct joint names in arm, got 'j1' twice: rename one",
    ),
    "unknown link": (
        lambda: mechanism(A, hinge("j2", "wirld", "b"), links="world a b"),
        r"expected joint 'j2' between links of arm, got 'wirld' \(.*world.*\)",
    ),
    "two parents": (
        lambda: mechanism(A, B, C, hinge("j4", "a", "c")),
        "expected one parent joint for link 'c', got 'j3' and 'j4': close the ring with a loop",
    ),
    "root with a parent": (
        lambda: mechanism(A, B, C, hinge("j4", "c", "world")),
        "expected the root 'world' to have no parent, got joint 'j4'",
    ),
    "ring": (
        lambda: mechanism(A, hinge("j2", "c", "b"), hinge("j3", "b", "c")),
        "expected every link to hang on 'world', got a separate part or a ring with 'b': connect",
    ),
    "own parent": (
        lambda: mechanism(A, B, hinge("j3", "c", "c")),
        "got a separate part or a ring with 'c'",
    ),
    "no joint": (
        lambda: mechanism(A, B),
        "expected every link to hang on 'world', got 'c' without a joint",
    ),
    "unknown master": (
        lambda: mechanism(A, B, replace(C, mimic=Mimic("j9"))),
        r"expected joint 'j3' to mimic a scalar joint of arm, got 'j9' \(.*j1.*\)",
    ),
    "master of several freedoms": (
        lambda: mechanism(replace(A, kind=JointKind.SPHERICAL), B, replace(C, mimic=Mimic("j1"))),
        "expected joint 'j3' to mimic a scalar joint of arm, got 'j1'",
    ),
    "master that is fixed": (
        lambda: mechanism(replace(A, kind=JointKind.FIXED), B, replace(C, mimic=Mimic("j1"))),
        "expected joint 'j3' to mimic a scalar joint of arm, got 'j1'",
    ),
    "mimic itself": (
        lambda: mechanism(A, B, replace(C, mimic=Mimic("j3"))),
        "expected joint 'j3' to mimic another joint, got a ring through 'j3'",
    ),
    "mimic ring": (
        lambda: mechanism(A, replace(B, mimic=Mimic("j3")), replace(C, mimic=Mimic("j2"))),
        "expected joint 'j2' to mimic another joint, got a ring through 'j2': let one of them",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case: str) -> None:
    change, message = ERRORS[case]
    with pytest.raises(InvalidMechanism, match=message):
        change()


def test_unknown_names_list_the_nearest() -> None:
    arm = Builder("arm").link("elbow", mass=1).revolute("hinge", "elbow").frame("tool", "elbow")
    built = arm.build()
    with pytest.raises(UnknownName, match=r"expected a link of arm, got 'elbo' \(.*elbow.*\)"):
        built.link("elbo")
    with pytest.raises(UnknownName, match=r"expected a joint of arm, got 'hing' \(.*hinge.*\)"):
        built.joint("hing")
    with pytest.raises(UnknownName, match=r"expected a frame of arm, got 'tol' \(.*tool.*\)"):
        built.frame("tol")
    # the errors are also the built-in they are
    with pytest.raises(LookupError):
        built.link("elbo")


# ---- the tree


def test_parents_come_before_children() -> None:
    arm = mechanism(C, B, A)
    assert [joint.name for joint in arm.joints] == ["j1", "j2", "j3"]
    # as far as the tree allows, the order of the file stays
    star = mechanism(hinge("j3", "world", "c"), hinge("j2", "world", "b"), A)
    assert [joint.name for joint in star.joints] == ["j3", "j2", "j1"]


def test_sizes() -> None:
    arm = mechanism(replace(A, kind=JointKind.FLOATING), B, replace(C, mimic=Mimic("j2")))
    assert (arm.nq, arm.nv, arm.root) == (8, 7, "world")
    assert [joint.name for joint in arm.moving_joints] == ["j1", "j2"]


def test_a_chain_of_mimics() -> None:
    arm = mechanism(A, replace(B, mimic=Mimic("j1", 2, 1)), replace(C, mimic=Mimic("j2", 3, 5)))
    node = Tree.of(arm).nodes[2]
    # q3 = 3 (2 q1 + 1) + 5
    assert (node.multiplier, node.offset, node.positions) == (6, 8, (0,))
    assert arm.master_of(arm.joint("j3")) == (A, 6, 8)
    assert arm.master_of(A) == (A, 1, 0)


def test_text() -> None:
    arm = (
        Builder("arm")
        .link("a", mass=1)
        .link("b", mass=1)
        .link("c", mass=1)
        .link("d", mass=1)
        .floating("free", "a")
        .revolute("j1", "b")
        .prismatic("j2", "c", mimic=("j1", 0.5, 2))
        .fixed("weld", "d")
        .build()
    )
    assert str(arm) == (
        "arm: 5 links, 7 degrees of freedom\n"
        "  world → a  floating free  v[0:6]\n"
        "  a → b  revolute j1  v[6]\n"
        "  b → c  prismatic j2  mimics j1: 1/2 q + 2\n"
        "  c → d  fixed weld"
    )


# ---- parameters


def test_bind() -> None:
    m, l = da.parameters("m l")
    arm = Builder("arm").link("a", mass=m, com=(l, 0, 0)).revolute("j", "a", armature=m).build()
    half = arm.bind({m: 2})
    assert half == arm.bind({"m": 2})
    assert half.parameters == (l,)
    assert half.link("a").inertia.m == 2
    assert half.joint("j").armature == 2
    # by an expression, and all at once: nothing is replaced twice
    swapped = arm.bind({m: l, l: m})
    assert swapped.link("a").inertia.m is l
    assert equal(swapped.link("a").inertia.h[0], l * m)
    numbers = arm.bind({m: 0.5, l: 0.1})
    assert numbers.parameters == ()
    assert numbers.link("a").inertia.h == (Fraction(1, 20), 0, 0)


def test_bind_unknown() -> None:
    m, n = da.parameters("m n")
    arm = Builder("arm").link("a", mass=m).revolute("j", "a").build()
    with pytest.raises(UnknownName, match="expected one of the symbols m, got n"):
        arm.bind({n: 1})
    with pytest.raises(UnknownName, match="expected one of the symbols m, got mass"):
        arm.bind({"mass": 1})


def test_symbolic_goes_back_exactly(rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(10, scale)):
        arm = random_mechanism(rng, int(rng.integers(1, 6)))
        arm = replace(arm, gravity=(0, 0, Fraction(-981, 100)))
        named, values = arm.symbolic(), arm.symbolic_values()
        assert set(named.parameters) == set(values)
        back = named.bind(values)
        assert back.parameters == ()
        assert back == arm
        assert back.gravity == arm.gravity


def test_symbolic_names() -> None:
    arm = (
        Builder("arm")
        .link("a", mass=2, com=(0.5, 0, 0), inertia=(1, 2, 3))
        .link("empty")
        .revolute("j", "a", origin=(0, 0.25, 0))
        .fixed("f", "empty")
        .build()
    )
    named, values = arm.symbolic(), arm.symbolic_values()
    text = {str(symbol): value for symbol, value in values.items()}
    expected = {str(s) for s in da.parameters("g m1 r_x1 r_y1 r_z1 p_y1")}
    assert expected <= set(text)
    by_name = {s: values[s] for s in da.parameters("g m1 r_x1 p_y1 I_zz1")}
    g, m1, r_x1, p_y1, I_zz1 = by_name
    assert by_name == {
        g: Fraction(981, 100),
        m1: 2,
        r_x1: Fraction(1, 2),
        p_y1: Fraction(1, 4),
        I_zz1: 3,
    }
    # what is zero or massless has no name
    assert named.link("empty").is_massless
    assert named.joint("j").placement.p[0] == 0
    assert named.gravity == (0, 0, -g)
    # symbols that are there already stay
    again = named.symbolic().link("a").inertia.I
    assert all(equal(a, b) for a, b in zip(again, named.link("a").inertia.I, strict=True))
    assert named.symbolic_values() == {}


def test_symbolic_dynamics_are_those_of_the_numbers(rng: np.random.Generator) -> None:
    arm = random_mechanism(rng, 4)
    named, values = arm.symbolic(), arm.symbolic_values()
    q, v = (x.tolist() for x in random_state(rng, arm))
    a = rng.normal(size=arm.nv).tolist()
    tree = Tree.of(named).map(lambda x: float(values[x]) if x in values else _float(x, values))
    tau = inverse_dynamics(tree, q, v, a)
    expected = inverse_dynamics(Tree.of(arm).map(float), q, v, a)
    assert tau == pytest.approx(expected, abs=ROUNDING)


def _float(x: object, values: dict[Expr, object]) -> float:
    from dalembert.expr.evaluate import evaluate

    numbers = {s: float(values[s]) for s in as_expr(x).symbols}  # type: ignore[arg-type]
    return float(evaluate([as_expr(x)], numbers)[0])  # type: ignore[arg-type]


# ---- variants


def test_with_floating_base() -> None:
    arm = (
        Builder("arm", root="base").link("a", mass=1, inertia=(1, 1, 1)).revolute("j", "a").build()
    )
    base = replace(arm, links=(Link.of("base", mass=2, inertia=(1, 1, 1)), *arm.links[1:]))
    free = base.with_floating_base()
    assert (free.root, free.nv, free.joints[0].name) == ("world", 7, "floating_base")
    M = mass_matrix(Tree.of(free), [0, 0, 0, 1, 0, 0, 0, 0])
    # the mass of both, in every direction
    assert [M[i][i] for i in range(3)] == [3, 3, 3]
    assert free.joint("floating_base").nq == 7
    with pytest.raises(InvalidMechanism, match="joint 'floating_base' sets it free already"):
        free.with_floating_base()


def test_equality_ignores_notes() -> None:
    arm = mechanism(A, B, C)
    assert replace(arm, notes=("read from a file",)) == arm


def test_a_model_without_inertia_is_refused_never_zero() -> None:
    bare = da.Mechanism.from_dh([(1, 0, 0, 0), (1, 0, 0, 0)])
    for derive in (bare.equations, bare.system, bare.prove):
        with pytest.raises(da.MissingInertia, match="no mass is given for 'link1', 'link2'"):
            derive()
