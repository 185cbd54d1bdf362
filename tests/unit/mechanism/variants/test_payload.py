"""Payloads: a load on a link is a body welded to it."""

from __future__ import annotations

from typing import Any

import pytest

import dalembert as da
from dalembert.errors import UnknownName

m, mp, l, x, z, I = da.parameters("m m_p l x z I")


def arm() -> da.Builder:
    return (
        da.Builder("arm")
        .link("a", mass=m, com=(l, 0, 0), inertia=(1, 2, 3))
        .revolute("j1", "a", axis="z")
        .link("b", mass=2, com=(l, 0, 0), inertia=(3, 2, 3))
        .revolute("j2", "b", axis="y", origin=(2 * l, 0, 0))
    )


def test_a_payload_is_a_welded_link() -> None:
    """The same load as a link behind a fixed joint: equal equations, in symbols."""
    load = {"mass": mp, "inertia": (I, 2 * I, 3 * I, 0.1, 0.2, 0.3)}
    payload = arm().build().with_payload("b", com=(x, 0, z), **load)
    welded = arm().link("load", **load).fixed("weld", "load", origin=(x, 0, z)).build()
    assert da.equal(payload.equations().residual, welded.equations().residual)


def test_a_point_mass_by_hand() -> None:
    """At distance x of the axis it adds m_p x² to M."""
    bare = da.Builder("one").link("a", mass=m, inertia=(1, 1, 1)).revolute("j", "a").build()
    (M,) = bare.with_payload("a", mass=mp, com=(x, 0, z)).equations().M
    assert da.equal(M, 1 + mp * x**2)


def test_a_payload_keeps_everything_else() -> None:
    driven = arm().actuator("m", "j1", rotor_inertia=1).build()
    loaded = driven.with_payload("b", mass=1)
    assert loaded.actuators == driven.actuators
    assert loaded.link("a") == driven.link("a")
    assert loaded.link("b").inertia.m == driven.link("b").inertia.m + 1


@pytest.mark.parametrize(
    ("load", "words"),
    [
        ({"mass": -1}, "expected mass that is not negative for the payload of link 'b', got -1"),
        ({"mass": 1, "inertia": (1, 1, 3)}, "sum of the others, got 1, 1, 3 for the payload"),
        ({"mass": float("inf")}, "expected a finite number"),
    ],
)
def test_a_payload_that_is_no_body_is_refused(load: dict[str, Any], words: str) -> None:
    """By itself: beside the mass of its link it would not be noticed."""
    heavy = da.Builder("one").link("b", mass=9, inertia=(9, 9, 9)).revolute("j", "b").build()
    with pytest.raises(da.DalembertError, match=r".*") as caught:
        heavy.with_payload("b", **load)
    assert words in str(caught.value)


def test_a_massless_link_can_carry() -> None:
    bare = da.Builder("one").link("a").revolute("j", "a").build()
    link = bare.with_payload("a", mass=2).link("a")
    assert link.has_inertia
    assert link.inertia.m == 2


def test_a_payload_on_a_frame() -> None:
    """In the axes of the frame: the same load on its link, at the frame's place."""
    turned = arm().frame("tool", "b", origin=(x, 0, z), rpy=(0, 0, 3.141592653589793 / 2)).build()
    found = turned.with_payload("tool", mass=3, com=(1, 0, 0), inertia=(1, 2, 3))
    # x of the tool is y of the link, and the other way round
    same = turned.with_payload("b", mass=3, com=(x, 1, z), inertia=(2, 1, 3))
    assert da.equal(found.equations().residual, same.equations().residual)


def test_an_unknown_link_is_refused() -> None:
    with pytest.raises(UnknownName, match="expected a frame of arm, got 'c'"):
        arm().build().with_payload("c", mass=1)


def test_a_loaded_arm_is_proved() -> None:
    for proof in arm().build().with_payload("b", mass=mp, com=(x, 0, z)).prove():
        assert proof.verdict == "proved", proof
