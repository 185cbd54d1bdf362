"""Every number of a resistance is kept, or refused by name, wherever joints are rewritten."""

from __future__ import annotations

import typing
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism, UnknownName
from dalembert.mechanism import Joint, Resistance
from dalembert.mechanism.builder import JointOptions
from dalembert.mechanism.io.json import load_json, save_json
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.urdf.read import load_urdf
from dalembert.mechanism.io.urdf.write import save_urdf
from dalembert.recursions.drive_regressor import drive_regressor
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.tree import Tree
from dalembert.spatial.scalar import is_zero

NAMES = [f.name for f in fields(Resistance)]
FORCES = [f.name for f in fields(Resistance) if f.metadata.get("is_force", True)]
# distinct, and different from every default
VALUES = {name: Fraction(i, 8) for i, name in enumerate(NAMES, 9)}


def with_numbers(kind: str = "revolute", /, **numbers: Any) -> da.Mechanism:
    builder = da.Builder("arm").link("a", mass=1, com=(0, 0, 1), inertia=(1, 2, 2))
    return builder.joint(kind, "j", "a", axis="y", **numbers).build()


def test_the_builder_makes_exact_numbers_by_name() -> None:
    arm = with_numbers(**VALUES)
    assert arm.joint("j").resistance.numbers == VALUES
    assert set(NAMES) <= set(typing.get_type_hints(JointOptions))
    with pytest.raises(UnknownName, match="numbers of joint 'j', got 'dampin'"):
        with_numbers(dampin=Fraction(1))
    with pytest.raises(UnknownName, match="numbers of actuator 'm', got 'coulomb'"):
        da.Builder("arm").actuator("m", "j", coulomb=1)


@pytest.mark.parametrize("name", NAMES)
def test_json_keeps_a_number(name: str) -> None:
    arm = with_numbers(**{name: VALUES[name]})
    assert load_json(save_json(arm)) == arm
    assert load_json(save_json(arm)).joint("j").resistance.given == {name: VALUES[name]}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("stiffness", "rest")])
def test_json_keeps_a_number_of_an_actuator(name: str) -> None:
    own = Resistance(**{name: VALUES[name]})
    arm = replace(with_numbers(), actuators=(da.mechanism.Actuator("m", "j", resistance=own),))
    assert load_json(save_json(arm)).actuators[0].resistance == own


def test_json_reads_the_friction_of_an_actuator_as_a_list() -> None:
    builder = da.Builder("arm").link("a", mass=1).revolute("j", "a")
    text = save_json(builder.actuator("m", "j", friction=7).build())
    older = text.replace('"friction": "7"', '"friction": ["1", "2", "3", "4"]')
    assert load_json(older).actuators[0].resistance == Resistance(1, 2, 3, 4)


def test_scalars_are_mapped_and_bound() -> None:
    symbols = dict(zip(NAMES, da.parameters(" ".join(f"p_{name}" for name in NAMES)), strict=True))
    arm = with_numbers(**symbols)
    assert set(arm.parameters) == set(symbols.values())
    bound = arm.bind({symbols[name]: VALUES[name] for name in NAMES})
    assert bound.joint("j").resistance.numbers == VALUES
    named = bound.symbolic()
    assert named.joint("j").resistance.numbers == VALUES
    assert named.bind(bound.symbolic_values()) == bound


def test_rotors_and_other_joints_keep_all() -> None:
    arm = with_numbers(**VALUES)
    motor = da.mechanism.Actuator("m", "j", 10, 1, Resistance(damping=2))
    geared = replace(arm, actuators=(motor,))
    expanded = geared.with_rotors()
    assert expanded.joint("j").resistance.numbers == VALUES
    assert expanded.actuators[0].resistance == motor.resistance
    assert geared.with_euler_angles().joint("j").resistance.numbers == VALUES
    elastic = geared.with_elastic_joint("j", stiffness=5)
    assert elastic.joint("j").resistance.numbers == VALUES
    assert elastic.joint("j_motor").resistance == Resistance()


@pytest.mark.parametrize("name", FORCES)
@pytest.mark.parametrize("kind", ["spherical", "floating"])
def test_euler_angles_refuse_what_acts_on_the_angular_velocity(kind: str, name: str) -> None:
    arm = with_numbers(kind, **{name: VALUES[name]})
    with pytest.raises(InvalidMechanism, match=f"no {name} on 'j'"):
        arm.with_euler_angles()


@pytest.mark.parametrize("name", FORCES)
def test_a_force_is_in_the_dynamics_and_in_maximal_coordinates(name: str) -> None:
    arm = with_numbers(**{name: VALUES[name]})
    sprung, bare = (x.maximal().system for x in (arm, with_numbers()))
    same = (sprung.potential == bare.potential, sprung.dissipation == bare.dissipation)
    expected = {"stiffness": (False, True), "damping": (True, False)}.get(name, (True, True))
    assert same == expected
    assert (sprung.forces == bare.forces) == (name in ("stiffness", "damping"))
    tree, (q, v, a) = Tree.of(arm).map(float), ([0.3], [0.2], [0.1])
    assert passive_forces(tree, q, v)[0] != 0
    assert VALUES[name] in drive_regressor(tree, q, v, a).theta
    assert not is_zero(arm.equations().bias[0] - with_numbers().equations().bias[0]) or (
        arm.equations().forces != with_numbers().equations().forces
    )
    assert all(proof.is_proved for proof in arm.prove())


@pytest.mark.parametrize("name", NAMES)
def test_singularities_do_not_depend_on_it(name: str) -> None:
    arm = with_numbers(**{name: VALUES[name]})
    assert str(arm.singularities("a", rows=(4,))) == str(with_numbers().singularities("a", (4,)))


@pytest.mark.parametrize("name", FORCES)
@pytest.mark.parametrize(
    ("save", "load", "known"),
    [
        (save_urdf, load_urdf, {"damping", "friction"}),
        (save_mjcf, load_mjcf, {"damping", "friction", "stiffness"}),
    ],
)
def test_files_of_others_carry_or_refuse(
    name: str,
    save: Callable[[da.Mechanism], str],
    load: Callable[[str], da.Mechanism],
    known: set[str],
) -> None:
    arm = with_numbers(**{name: VALUES[name]})
    if name in known:
        assert load(save(arm)).joint("j").resistance == arm.joint("j").resistance
    else:
        with pytest.raises(InvalidMechanism, match="write JSON"):
            save(arm)


def test_numbers_of_the_joint_itself_are_found_by_their_type() -> None:
    joint = Joint("j", da.mechanism.JointKind.HELICAL, "world", "a", pitch=1, armature=2)
    assert joint.numbers == {"pitch": 1, "armature": 2, "reference": 0}
    assert joint.map(lambda x: 10 * x).numbers == {"pitch": 10, "armature": 20, "reference": 0}


def test_what_makes_a_force() -> None:
    assert Resistance(rest=1, stribeck_velocity=2).is_none
    assert Resistance(stiffness=1).is_frictionless
    assert not Resistance(stiffness=1).is_none
    for name in set(FORCES) - {"stiffness"}:
        assert not Resistance(**{name: VALUES[name]}).is_frictionless
