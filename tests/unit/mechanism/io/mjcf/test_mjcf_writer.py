"""MJCF that we write, compiled by MuJoCo and compared with where it came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.mechanism import Builder, JointKind
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.state_layouts import to_mujoco
from tests.unit.mechanism.io.mjcf.mjcf_models import (
    ARM,
    MODELS,
    close,
    constraint_rows,
    mujoco,
    mujoco_dynamics,
    random_state,
)


@pytest.fixture(params=MODELS)
def text(request: pytest.FixtureRequest) -> str:
    return MODELS[request.param]


def test_written_model_has_the_same_dynamics(text: str, rng: np.random.Generator) -> None:
    arm, model = load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    again = mujoco.MjModel.from_xml_string(save_mjcf(arm))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    for m in (model, again):
        m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    for _ in range(3):
        q, v = random_state(model, rng)
        one, two = mujoco_dynamics(model, q, v), mujoco_dynamics(again, q, v)
        assert close(two.M, one.M)
        assert close(two.h, one.h)
        assert close(two.passive, one.passive)
        for loop in arm.loops:
            first, second = (constraint_rows(x, loop.name)[:3] for x in (one, two))
            assert close(second, first)
        for c in arm.couplings:
            first, second = (constraint_rows(x, c.name) for x in (one, two))
            assert close(second, first)
    assert close(np.array(again.jnt_range), np.array(model.jnt_range))
    assert close(again.dof_frictionloss, model.dof_frictionloss)


def test_reading_what_was_written(text: str) -> None:
    arm = load_mjcf(text)
    again = load_mjcf(save_mjcf(arm))
    assert [link.name for link in again.links] == [link.name for link in arm.links]
    assert [(j.name, j.kind, j.parent) for j in again.joints] == [
        (j.name, j.kind, j.parent) for j in arm.joints
    ]
    assert [c.name for c in again.couplings] == [c.name for c in arm.couplings]


def test_mimic_joints_become_equalities(rng: np.random.Generator) -> None:
    arm = (
        Builder("arm", root="floor")
        .link("a", mass=1, com=(1, 0, 0), inertia=(1, 1, 1))
        .revolute("i", "a", axis="y", reference=0.5)
        .link("b", mass=2, inertia=(1, 2, 2))
        .revolute("j", "b", axis=(1, 2, 3), mimic=("i", 3, 0.25), reference=-1)
        .build()
    )
    model = mujoco.MjModel.from_xml_string(save_mjcf(arm))
    assert [model.body(i).name for i in range(model.nbody)] == ["world", "floor", "a", "b"]
    q, v = to_mujoco(arm, rng.normal(size=1), rng.normal(size=1))
    residual = constraint_rows(mujoco_dynamics(model, q, v), "j/mimic")
    assert residual == pytest.approx([0.0], abs=1e-14)


def test_save_writes_a_file(tmp_path: Path) -> None:
    arm = load_mjcf(ARM)
    text = save_mjcf(arm, tmp_path / "arm.xml")
    assert (tmp_path / "arm.xml").read_text(encoding="utf-8") == text


def test_names_are_escaped() -> None:
    name = "a<\"&'>é"
    arm = Builder(name).link(name, mass=1, inertia=(1, 1, 1)).revolute(f"j{name}", name).build()
    assert load_mjcf(save_mjcf(arm)).joint(f"j{name}").child == name


def refused() -> dict[str, tuple[Builder, str]]:
    (m,) = da.parameters("m")
    solid = {"mass": 1, "inertia": (1, 1, 1)}

    def arm() -> Builder:
        return Builder("arm").link("a", **solid)

    return {
        "symbols": (Builder("arm").link("a", mass=m).revolute("j", "a"), "parameters m"),
        "helical": (arm().helical("j", "a", pitch=1), "helical joint 'j'"),
        "massless": (Builder("arm").link("a").revolute("j", "a"), "link 'a'.*mass and inertia"),
        "format": (Builder("arm").link("a%s", **solid).revolute("j", "a%s"), "without %.*'a%s'"),
        "point mass": (Builder("arm").link("a", mass=1).revolute("j", "a"), "link 'a'"),
        "floating on a link": (
            arm().revolute("i", "a").link("b", **solid).floating("j", "b"),
            "floating joint 'j'",
        ),
        "another world": (
            Builder("arm", root="floor").link("world", **solid).revolute("j", "world"),
            "rename",
        ),
        "spring of a ball": (arm().spherical("j", "a", stiffness=1), "spherical 'j'"),
    }


@pytest.mark.parametrize("case", refused())
def test_what_mujoco_cannot_have_is_refused(case: str) -> None:
    builder, message = refused()[case]
    with pytest.raises(InvalidMechanism, match=message):
        save_mjcf(builder.build())


def test_massless_link_with_a_fixed_load_is_written(rng: np.random.Generator) -> None:
    arm = (
        Builder("arm")
        .link("flange")
        .revolute("j", "flange", axis=(1, 1, 0))
        .link("load", mass=2, com=(0, 0, 1), inertia=(1, 2, 2))
        .fixed("weld", "load", origin=(1, 0, 0))
        .build()
    )
    model = mujoco.MjModel.from_xml_string(save_mjcf(arm))
    assert model.nv == 1
    assert JointKind.FIXED in {j.kind for j in load_mjcf(save_mjcf(arm)).joints}


def test_what_is_fixed_to_the_world_and_to_massless_links(tmp_path: Path) -> None:
    """MuJoCo's world has no inertia, and a massless link between two joints is no body."""
    body: dict[str, Any] = {"mass": 1, "inertia": (1, 1, 1)}
    builder = da.Builder("r").link("stand", **body).fixed("bolt", "stand", origin=(1, 0, 0))
    builder.link("arm", **body).universal("cross", "arm", origin=(0, 1, 0))
    mechanism = builder.frame("mid", "cross_cross", origin=(0, 0, 1)).build().reduce()
    assert not mechanism.links[0].is_massless
    notes = da.save(mechanism, tmp_path / "r.xml")
    assert notes == (
        "inertia of link 'world' is not written: MuJoCo's world has none",
        "frame 'mid' is not written: its link has no mass",
    )
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "r.xml")).nv == 2


@pytest.mark.parametrize(("count", "is_written"), [(196, True), (197, False), (2000, False)])
def test_chains_as_long_as_can_be_read_again(count: int, is_written: bool) -> None:
    """Bodies lie inside each other, and readers have a limit to that."""
    builder = da.Builder("chain")
    for k in range(count):
        builder.link(f"l{k}", mass=0.1, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
        builder.revolute(f"j{k}", f"l{k}", axis="y", origin=(0.1, 0, 0))
    chain = builder.build()
    if is_written:
        assert len(load_mjcf(save_mjcf(chain)).links) == count + 1
    else:
        with pytest.raises(InvalidMechanism, match="at most 196 links to write MJCF"):
            save_mjcf(chain)
