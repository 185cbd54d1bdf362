"""Springs and dampers: by hand, proved in the ring, and as MuJoCo has them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.resistance.springs import spring_energy
from dalembert.recursions.tree import Tree
from tests.cases import num_cases

mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is not installed: no oracle")

# two engines, each within rounding of a few hundred operations
AGREEMENT = 1e-11
# MuJoCo's friction is a soft constraint that a Newton solver ends within its own tolerance
SOLVER = 1e-8

TENDON = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <site name="hook" pos="0.2 -0.1 0.5"/>
    <body name="a">
      <joint name="j1" type="hinge" axis="0 1 0" stiffness="3" springref="0.4" damping="0.2"
             armature="0.7"/>
      <inertial pos="0.2 0 0.1" mass="2" diaginertia="0.1 0.2 0.15"/>
      <site name="eye" pos="0.3 0.1 0.2"/>
      <body name="b" pos="0.5 0 0">
        <joint name="j2" type="slide" axis="0 0 1" damping="1.5"/>
        <inertial pos="0 0.1 0.2" mass="1" diaginertia="0.1 0.1 0.1"/>
        <body name="c" pos="0 0.3 0">
          <joint name="j3" type="hinge" axis="1 0 0" stiffness="2"/>
          <inertial pos="0 0 0.2" mass="0.5" diaginertia="0.05 0.05 0.05"/>
          <site name="tip" pos="0.1 0.2 0.3"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="first" stiffness="40" springlength="0.3" damping="5">
      <site site="hook"/><site site="tip"/>
    </spatial>
    <spatial name="second" stiffness="25" springlength="0" damping="2">
      <site site="eye"/><site site="tip"/>
    </spatial>
  </tendon>
</mujoco>
"""


def with_springs() -> da.Mechanism:
    """Return the mechanism of the MJCF text, its tendons as springs between points."""
    return (
        da.Builder("arm")
        .link("a", mass=2, com=(0.2, 0, 0.1), inertia=(0.1, 0.2, 0.15))
        .revolute("j1", "a", axis="y", stiffness=3, rest=0.4, damping=0.2, armature=0.7)
        .link("b", mass=1, com=(0, 0.1, 0.2), inertia=(0.1, 0.1, 0.1))
        .prismatic("j2", "b", axis="z", origin=(0.5, 0, 0), damping=1.5)
        .link("c", mass=0.5, com=(0, 0, 0.2), inertia=(0.05, 0.05, 0.05))
        .revolute("j3", "c", axis="x", origin=(0, 0.3, 0), stiffness=2)
        .spring(
            "first",
            ("world", (0.2, -0.1, 0.5)),
            ("c", (0.1, 0.2, 0.3)),
            stiffness=40,
            rest_length=0.3,
            damping=5,
        )
        .spring("second", ("a", (0.3, 0.1, 0.2)), ("c", (0.1, 0.2, 0.3)), stiffness=25, damping=2)
        .build()
    )


def test_springs_and_dampers_as_mujoco_has_them(rng: np.random.Generator, scale: float) -> None:
    """Joint springs and dampers, and tendons between sites, against qfrc_passive and energy."""
    model = mujoco.MjModel.from_xml_string(TENDON)
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    data = mujoco.MjData(model)
    tree = Tree.of(with_springs()).map(float)
    weightless = mujoco.MjModel.from_xml_string(TENDON)
    weightless.opt.gravity[:] = 0
    weightless.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    light = mujoco.MjData(weightless)
    for _ in range(num_cases(10, scale)):
        data.qpos[:], data.qvel[:] = rng.normal(size=3), rng.normal(size=3)
        mujoco.mj_forward(model, data)
        mine = passive_forces(tree, list(data.qpos), list(data.qvel))
        assert mine == pytest.approx(data.qfrc_passive, rel=AGREEMENT, abs=AGREEMENT)
        light.qpos[:] = data.qpos
        mujoco.mj_forward(weightless, light)
        V = spring_energy(tree, list(data.qpos))
        assert pytest.approx(light.energy[0], rel=AGREEMENT) == V
        dense = np.zeros((3, 3))
        mujoco.mj_fullM(model, data, dense)
        M = np.array(mass_matrix(tree, list(data.qpos)), float)
        assert pytest.approx(dense, rel=AGREEMENT, abs=AGREEMENT) == M


def test_friction_of_mujoco_when_it_slides(rng: np.random.Generator) -> None:
    """Away from rest frictionloss is Coulomb's law."""
    text = TENDON.replace('type="slide"', 'type="slide" frictionloss="0.4"')
    text = text[: text.index("<tendon>")] + "</mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = rng.normal(size=3), rng.normal(size=3) + 4
    mujoco.mj_forward(model, data)
    tree = Tree.of(load_mjcf(text)).map(float)
    mine = passive_forces(tree, list(data.qpos), list(data.qvel))
    theirs = data.qfrc_passive + data.qfrc_constraint
    assert mine == pytest.approx(theirs, rel=SOLVER, abs=SOLVER)


def test_springs_are_proved() -> None:
    """∂V/∂q + ∂R/∂q̇ of the energies = the forces of the recursion, in the ring."""
    for proof in with_springs().prove():
        assert proof.verdict == "proved", proof


k, c, l, l0, m, h = da.parameters("k c l l0 m h")
(q1,) = da.coordinates("q1")


def test_spring_on_a_slider_by_hand() -> None:
    """A mass on a rod, tied to a point at height h: F = k (1 - l₀/d) q + c q q̇ q / d²."""
    arm = (
        da.Builder("slider", gravity=(0, 0, 0))
        .link("a", mass=m)
        .prismatic("j", "a", axis="x")
        .spring("s", ("world", (0, 0, h)), ("a", (0, 0, 0)), stiffness=k, rest_length=l0, damping=c)
        .build()
    )
    d = da.sqrt(q1**2 + h**2)
    by_hand = k * (1 - l0 / d) * q1 + c * q1**2 * q1.dot / d**2
    (tau,) = da.inputs("tau1")
    (residual,) = arm.equations().residual
    assert da.equal(residual, m * q1.ddot + by_hand - tau)
    (force,) = passive_forces(Tree.of(arm), [q1], [q1.dot])
    assert da.equal(force, -by_hand)


def test_spring_between_joints_by_hand() -> None:
    """x = q₁ - 2 q₂ - ½: forces -k x - c ẋ and twice that, opposed."""
    arm = (
        da.Builder("two", gravity=(0, 0, 0))
        .link("a", mass=1, inertia=(1, 1, 1))
        .revolute("j1", "a", parent="world")
        .link("b", mass=1, inertia=(1, 1, 1))
        .revolute("j2", "b", parent="world")
        .joint_spring("s", "j1", "j2", stiffness=k, ratio=2, rest=0.5, damping=c)
        .build()
    )
    q = da.coordinates("q1 q2")
    v = [x.dot for x in q]
    pull = k * (q[0] - 2 * q[1] - Fraction(1, 2)) + c * (v[0] - 2 * v[1])
    forces = passive_forces(Tree.of(arm), q, v)
    assert da.equal(forces[0], -pull)
    assert da.equal(forces[1], 2 * pull)
    assert all(proof.verdict == "proved" for proof in arm.prove())


def test_a_spring_of_a_mimic_joint_acts_through_its_ratio() -> None:
    """x = 3 q₁ + 1 of the follower: V = ½ k x², force -3 k x."""
    arm = (
        da.Builder("mimic", gravity=(0, 0, 0))
        .link("a", mass=1, inertia=(1, 1, 1))
        .revolute("j1", "a")
        .link("b", mass=1, inertia=(1, 1, 1))
        .prismatic("j2", "b", parent="world", mimic=("j1", 3, 1), stiffness=k)
        .build()
    )
    (force,) = passive_forces(Tree.of(arm), [q1], [q1.dot])
    assert da.equal(force, -3 * k * (3 * q1 + 1))


def test_batches_are_the_single_results(rng: np.random.Generator) -> None:
    tree = Tree.of(with_springs()).map(float)
    q, v = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
    batch = np.array(passive_forces(tree, list(q), list(v)))
    for i in range(4):
        single = passive_forces(tree, list(q[:, i]), list(v[:, i]))
        assert batch[:, i] == pytest.approx(single, rel=AGREEMENT)


def test_a_spring_in_a_ball_joint_is_refused() -> None:
    arm = da.Builder("ball").link("a", mass=1).spherical("j", "a", stiffness=1).build()
    with pytest.raises(InvalidMechanism, match="spherical joint 'j'"):
        passive_forces(Tree.of(arm), [1, 0, 0, 0], [0, 0, 0])
