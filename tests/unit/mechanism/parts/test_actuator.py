"""Actuators, rotors and springs as data: builder, bind, symbols, files, refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism, UnknownName
from dalembert.mechanism import Actuator, Joint, JointKind, PointSpring, Resistance
from dalembert.mechanism.io.json import load_json, save_json
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.urdf.write import save_urdf

J, r, B, k, l = da.parameters("J r B k l")


def builder() -> da.Builder:
    return (
        da.Builder("arm")
        .link("a", mass=2, inertia=(1, 1, 1))
        .revolute("j1", "a", axis="z", stribeck=0.5, stribeck_velocity=0.1)
        .link("b", mass=1, inertia=(1, 1, 1))
        .revolute("j2", "b", axis=(1, 2, 2), origin=(l, 0, 0))
    )


def driven() -> da.Mechanism:
    return (
        builder()
        .actuator("motor1", "j1", gear_ratio=50, rotor_inertia=0.001, damping=B, friction=0.1)
        .actuator("motor2", "j2", gear_ratio=r, rotor_inertia=J, gyroscopic=True, stribeck=0.2)
        .spring("s", ("world", (0, 0, 1)), ("b", (0, l, 0)), stiffness=k, rest_length=0.5)
        .joint_spring("belt", "j1", "j2", stiffness=k, ratio=2, rest=0.1, damping=B)
        .build()
    )


def test_json_round_trip_is_exact() -> None:
    assert load_json(save_json(driven())) == driven()


def test_expanded_rotors_round_trip_too() -> None:
    expanded = driven().with_rotors()
    assert expanded.joint("motor2_rotor").spins
    assert load_json(save_json(expanded)) == expanded


@pytest.mark.parametrize(
    ("part", "key", "value", "message"),
    [
        ("actuators", "gyroscopic", "yes", "true or false"),
        ("actuators", "torque", "1", "expected a known key"),
        ("actuators", "friction", ["1"], "4 numbers"),
        ("springs", "elasticity", "1", "expected a known key"),
    ],
)
def test_files_are_read_strictly(part: str, key: str, value: object, message: str) -> None:
    data = json.loads(save_json(driven()))
    data[part][0][key] = value
    with pytest.raises(InvalidMechanism, match=message):
        load_json(json.dumps(data))


def test_parameters_of_actuators_and_springs_bind() -> None:
    arm = driven()
    assert set(arm.parameters) == {J, r, B, k, l}
    bound = arm.bind({J: 0.01, r: 100, B: 3, k: 7, l: 1})
    assert bound.parameters == ()
    assert bound.actuators[1].gear_ratio == 100
    assert bound.actuators[0].resistance.damping == 3
    assert [spring.stiffness for spring in bound.springs] == [7, 7]  # type: ignore[union-attr]


def test_symbolic_names_rotors_and_rest_lengths() -> None:
    arm = driven().bind({J: 0.01, r: 100, B: 3, k: 7, l: 1})
    named = arm.symbolic()
    J1, J2, l1 = da.parameters("J1 J2 l1")
    assert [a.rotor_inertia for a in named.actuators] == [J1, J2]
    spring = named.springs[0]
    assert isinstance(spring, PointSpring)
    assert spring.rest_length is l1
    assert named.bind(arm.symbolic_values()) == arm


def test_a_rotor_is_armature_or_a_link_its_host_gives_away() -> None:
    expanded = driven().with_rotors()
    assert expanded.joint("j1").armature == Fraction(5, 2)  # 50² · 0.001
    assert expanded.link("motor2_rotor").inertia.I == (0, 0, J, 0, 0, 0)
    # the host gives away J a aᵀ with a = (1, 2, 2)/3, to the digits of an exact rotation
    left = expanded.bind({J: 9, r: 1, B: 0, k: 0, l: 1}).link("a").inertia.I
    given = [float(x - y) for x, y in zip(driven().link("a").inertia.I, left, strict=True)]
    assert given == pytest.approx([1, 4, 4, 2, 2, 4], abs=1e-14)
    assert expanded.with_rotors() is expanded


def test_a_rotor_on_the_root_needs_no_link() -> None:
    arm = builder().actuator("m", "j1", gear_ratio=3, rotor_inertia=J, gyroscopic=True).build()
    assert arm.with_rotors().links == arm.links
    assert arm.with_rotors().joint("j1").armature == 9 * J


@pytest.mark.parametrize(
    ("actuator", "error", "message"),
    [
        (Actuator("m", "j3"), UnknownName, "a joint of arm, got 'j3'"),
        (Actuator("m", "j1", host="c"), UnknownName, "a link of arm, got 'c'"),
        (Actuator("m", "weld"), InvalidMechanism, "one velocity, got the fixed joint"),
        (
            Actuator("m", "j1", resistance=Resistance(stribeck_velocity=0)),
            InvalidMechanism,
            "got 0",
        ),
        (
            Actuator("m", "j1", resistance=Resistance(stiffness=1)),
            InvalidMechanism,
            "got stiffness",
        ),
    ],
)
def test_impossible_actuators_are_refused(
    actuator: Actuator, error: type[Exception], message: str
) -> None:
    arm = builder().link("tool").fixed("weld", "tool").build()
    with pytest.raises(error, match=message):
        replace(arm, actuators=(actuator,))


def test_names_are_distinct() -> None:
    with pytest.raises(InvalidMechanism, match="distinct actuator names"):
        builder().actuator("m", "j1").actuator("m", "j2").build()


def test_springs_on_nothing_are_refused() -> None:
    with pytest.raises(UnknownName, match="between links of arm, got 'c'"):
        builder().spring("s", ("a", (0, 0, 0)), ("c", (0, 0, 0))).build()
    with pytest.raises(UnknownName, match="between joints of arm, got 'j3'"):
        builder().joint_spring("s", "j1", "j3").build()


def test_only_a_rotor_spins() -> None:
    links = (da.Link("world"), da.Link.of("a", mass=1))
    joint = Joint("j", JointKind.REVOLUTE, "world", "a", spins=True)
    with pytest.raises(InvalidMechanism, match="about the axis alone"):
        da.Mechanism("top", links, (joint,))


def test_formats_that_cannot_say_it_refuse() -> None:
    arm = driven().bind({J: 0.01, r: 100, B: 3, k: 7, l: 1})
    with pytest.raises(InvalidMechanism, match="write JSON"):
        save_mjcf(arm)
    with pytest.raises(InvalidMechanism, match="write JSON"):
        save_urdf(arm)


def test_a_rotor_axis_must_be_known() -> None:
    with pytest.raises(InvalidMechanism, match="expected an axis"):
        builder().actuator("m", "j1", axis="w")
