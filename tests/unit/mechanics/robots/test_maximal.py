"""Maximal coordinates of mechanisms reduce to the equations of the joints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da

AGREEMENT = 1e-10
ROUNDING = 1e-13

m1, m2, l, I1, I2, I3, g = da.parameters("m1 m2 l I1 I2 I3 g")


def two_links(kind: str, axis: str) -> da.Mechanism:
    builder = da.Builder("arm", gravity=(0, 0, -g))
    builder.link("a", mass=m1, com=(l / 2, 0, 0), inertia=(I1, I2, I3))
    builder.revolute("first", "a", axis="z")
    builder.link("b", mass=m2, com=(0, l / 3, 0), inertia=(I1, I2, I3))
    return builder.joint(kind, "second", "b", origin=(l, 0, 0), axis=axis).build()


@pytest.mark.parametrize(
    ("kind", "axis"), [("prismatic", "x"), ("revolute", "y"), ("revolute", "-z"), ("fixed", "z")]
)
def test_reduction_equals_the_generalized_equations(kind: str, axis: str) -> None:
    arm = two_links(kind, axis)
    form = arm.maximal()
    assert len(form.system.coordinates) == 24
    assert len(form.system.constraints) == (23 if kind == "fixed" else 22)
    generalized = arm.equations()
    reduced = form.system.equations().change_coordinates(form.positions, generalized.coordinates)
    assert len(reduced.lam) == 0
    assert da.equal(reduced.residual, generalized.residual)


def test_mass_matrix_is_constant() -> None:
    eq = two_links("revolute", "y").maximal().system.equations()
    assert all(x == 0 for x in eq.C)


def test_prove_includes_the_equivalence() -> None:
    proofs = two_links("revolute", "y").prove()
    assert all(p.is_proved for p in proofs)
    assert any("maximal coordinates" in p.statement for p in proofs)


# ---- what acts on joints, against the compiled mechanism


def arm(**options: dict[str, object]) -> da.Builder:
    """A hinge, a slider and a skew hinge in a row, each with options of its own."""
    builder = da.Builder("arm", gravity=(1, -2, -9))
    shapes = [((0.3, 0.1, 0), "z"), ((0.1, 0.2, 0.1), "-x"), ((0, 0.3, 0.2), "y")]
    for i, (com, axis) in enumerate(shapes, 1):
        kind = "prismatic" if i == 2 else "revolute"
        builder.link(f"l{i}", mass=i, com=com, inertia=(0.3, 0.4, 0.5, 0.02, 0.01, 0.03))
        own: dict[str, Any] = dict(options.get(f"j{i}", {}))
        placed: dict[str, Any] = {
            "origin": (0.4, 0.1 * i, 0.2),
            "rpy": (0.2, 0.1 * i, -0.3),
            "axis": axis,
        }
        builder.joint(str(own.pop("kind", kind)), f"j{i}", f"l{i}", **placed, **own)
    return builder


ROUND = {"j1": {"kind": "helical", "pitch": 0.2}, "j3": {"kind": "helical", "pitch": -0.3}}
RUBBING = {"friction": 0.4, "stribeck": 0.2, "stribeck_velocity": 0.5, "damping": 0.3}
FIRST, SECOND = ("l1", (0.2, 0, 0.1)), ("l3", (0.1, 0.5, 0.3))

OPEN = {
    "point spring": arm().spring("s", FIRST, SECOND, stiffness=30),
    "with a rest length and damping": arm().spring(
        "s", ("world", (1, 1, 1)), SECOND, stiffness=30, rest_length=0.4, damping=2
    ),
    "with inertia": arm()
    .spring("s", FIRST, SECOND, armature=3)
    .joint_spring("t", "j3", "j1", armature=2, ratio=2),
    "springs of joints": arm(
        j1={"stiffness": 5, "rest": 0.2}, j2={"stiffness": 20, "rest": -0.1}, j3={"stiffness": 2}
    ),
    "spring between joints": arm().joint_spring("s", "j3", "j1", stiffness=4, ratio=2, damping=1),
    "friction": arm(j1=dict(RUBBING), j2=dict(RUBBING), j3=dict(RUBBING)),
    "armature": arm(j1={"armature": 0.3}, j2={"armature": 2}, j3={"armature": 0.1}),
    "motors": arm()
    .actuator("m1", "j1", gear_ratio=20, rotor_inertia=0.001, damping=0.002, friction=0.01)
    .actuator("m2", "j2", gear_ratio=-5)
    .actuator("m3", "j3", gear_ratio=30, rotor_inertia=0.003, gyroscopic=True, host="l2"),
    "screws": arm(**ROUND),
    "mimic hinge": arm(j3={"mimic": ("j1", -3, 0.2), "armature": 0.2, "stiffness": 2}),
    "mimic slider": arm(j2={"mimic": ("j1", 0.5, 0.1), "damping": 3}),
    "mimic screw": arm(j3={"kind": "helical", "pitch": 0.4, "mimic": ("j1", 2, 0.1)}),
}


def compare(mechanism: da.Mechanism, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> None:
    """Require the links' accelerations ḧ(q, q̇, q̈), with q̈ of the compiled mechanism."""
    a = da.compile(mechanism).forward_dynamics(q, v, tau)
    form, n = mechanism.maximal(), len(q)
    joints = da.coordinates(" ".join(f"q{i + 1}" for i in range(n)))
    state = [*joints, *(x.dot for x in joints), *(x.ddot for x in joints)]
    at = dict(zip(state, (*q, *v, *a), strict=True))
    unknowns = form.system.coordinates
    h = da.Matrix.column([form.positions[x] for x in unknowns])
    x, xd, xdd = (np.ravel(part.evaluate(at)) for part in (h, h.ddt(), h.ddt().ddt()))
    links = da.compile(form.system, "numpy")
    assert links.constraint_error(x) == pytest.approx(0, abs=ROUNDING)
    # M ẍ + h = Υ + Aᵀλ and A ẍ + bias = 0
    known = dict(zip((*unknowns, *(y.dot for y in unknowns)), (*x, *xd), strict=True))
    known |= dict(zip(da.inputs(" ".join(f"tau{i + 1}" for i in range(n))), tau, strict=True))
    forces = np.ravel(da.Matrix.column(form.system.forces).evaluate(known))
    M, A = links.mass_matrix(x), links.constraint_jacobian(x)
    left = np.block([[M, A.T], [A, np.zeros((len(A), len(A)))]])
    right = np.concatenate([forces - links.bias(x, xd), -links.constraint_bias(x, xd)])
    found = np.linalg.lstsq(left, right, rcond=1e-12)[0]
    assert left @ found == pytest.approx(right, abs=AGREEMENT * np.abs(right).max())
    size = np.abs(xdd).max()
    assert size > 1e-3
    assert found[: len(x)] == pytest.approx(xdd, abs=AGREEMENT * size)


@pytest.mark.parametrize("case", OPEN)
def test_links_move_as_the_joints_do(case: str, rng: np.random.Generator) -> None:
    mechanism = OPEN[case].build()
    n = mechanism.nv
    compare(mechanism, rng.uniform(-1, 1, n), rng.uniform(-1, 1, n), rng.uniform(-3, 3, n))


def linkage(num_links: int) -> da.Builder:
    """Hinges about z in a row, each link 0.5 m long."""
    builder = da.Builder("linkage", gravity=(0, -9, 0))
    for i in range(num_links):
        builder.link(f"l{i}", mass=1, com=(0.2, 0.1, 0), inertia=(0.1, 0.1, 0.2))
        builder.revolute(f"j{i}", f"l{i}", origin=(0.5 if i else 0, 0, 0), damping=0.1)
    return builder


def tip(q: np.ndarray) -> tuple[float, float, float]:
    angles = np.cumsum(q)
    return float(0.5 * np.cos(angles).sum()), float(0.5 * np.sin(angles).sum()), 0


# turns that add up to zero: the frames at the ends agree
FOUR = np.array([0.7, -1.2, 0.9, -0.4])
CLOSED = {
    "point loop": (
        linkage(3).loop("end", ("l2", (0.5, 0, 0)), ("world", tip(FOUR[:3]))),
        FOUR[:3],
    ),
    "frame loop": (
        linkage(4).loop("end", ("l3", (0.5, 0, 0)), ("world", tip(FOUR)), kind="frame"),
        FOUR,
    ),
    "gears": (arm().couple("gear", "j3", "j1", -2, 0.25), np.array([0.5, 0.3, -0.75])),
    "rack": (arm().couple("rack", "j2", "j1", 0.5, 0.25), np.array([0.5, 0.5, -0.6])),
}


@pytest.mark.parametrize("case", CLOSED)
def test_closed_links_move_as_the_joints_do(case: str, rng: np.random.Generator) -> None:
    builder, q = CLOSED[case]
    mechanism = builder.build()
    _, _, Vt = np.linalg.svd(da.compile(mechanism).constraint_jacobian(q))
    rank = {"point loop": 2, "frame loop": 3}.get(case, 1)
    v = rng.uniform(1, 2, len(q) - rank) @ Vt[rank:]
    compare(mechanism, q, v, rng.uniform(-3, 3, len(q)))


def test_a_spring_at_the_border_of_the_range() -> None:
    """Angles are those of an atan2: up to π on either side of the reference, no further."""
    builder = da.Builder("hinge").link("a", mass=1, com=(1, 0, 0), inertia=(1, 1, 1))
    hinge = builder.revolute("j", "a", stiffness=2).build()
    form = hinge.maximal()
    (q,) = da.coordinates("q1")
    for angle, seen in ((3.1, 3.1), (-3.1, -3.1), (3.3, 3.3 - 2 * np.pi)):
        at = {x: h.evaluate({q: angle}) for x, h in form.positions.items()}
        assert form.system.potential.evaluate(at) == pytest.approx(seen**2)


def test_joints_of_several_coordinates_are_refused() -> None:
    builder = da.Builder("free").link("a", mass=1, inertia=(1, 1, 1))
    with pytest.raises(da.InvalidMechanism, match="scalar joints"):
        builder.floating("base", "a").build().maximal()
