"""States of MuJoCo and Pinocchio, against what the engines do with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dalembert.errors import EvaluationError, InvalidMechanism, UnknownName
from dalembert.mechanism import Builder, Mechanism
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.state_layouts import (
    from_mujoco,
    from_pinocchio,
    to_mujoco,
    to_pinocchio,
)
from tests.unit.mechanism.io.mjcf.mjcf_models import (
    FLYING,
    MODELS,
    mujoco,
    mujoco_dynamics,
    poses,
    random_state,
)

ROUNDING = 1e-14


def creature(**options: Any) -> Mechanism:
    """Return a floating tree with branches whose order in the file is not alphabetical."""
    solid = {"mass": 1, "com": (0.1, 0.2, 0), "inertia": (1, 2, 2.5)}
    return (
        Builder("creature")
        .link("trunk", **solid)
        .floating("base", "trunk", **options)
        .link("z", **solid)
        .continuous("turn", "z", parent="trunk", axis=(1, 1, 0), origin=(0, 1, 0))
        .link("zz", **solid)
        .revolute("bend", "zz", axis="y", origin=(0, 0, 1))
        .link("a", **solid)
        .spherical("socket", "a", parent="trunk", origin=(1, 0, 0), rpy=(0.1, 0.2, 0.3))
        .link("aa", **solid)
        .fixed("weld", "aa", origin=(1, 0, 0))
        .link("aaa", **solid)
        .prismatic("slide", "aaa", axis="z")
        .link("ab", **solid)
        .revolute("follow", "ab", parent="a", axis="x", mimic=("bend", -2, 0.5))
        .build()
    )


def state(mechanism: Mechanism, rng: np.random.Generator, *batch: int) -> tuple[Any, Any]:
    q, place = rng.uniform(-1, 1, (*batch, mechanism.nq)), 0
    for joint in mechanism.moving_joints:
        if not joint.is_scalar:
            quaternion = q[..., place + joint.nq - 4 : place + joint.nq]
            quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
        place += joint.nq
    return q, rng.normal(size=(*batch, mechanism.nv))


def independent(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism without its mimic relations."""
    from dataclasses import replace

    joints = tuple(replace(joint, mimic=None) for joint in mechanism.joints)
    return replace(mechanism, joints=joints)


def body_twists(model: Any, data: Any) -> dict[str, np.ndarray]:
    """Return (linear, angular) of every body in its own frame, from MuJoCo."""
    twists = {}
    for i in range(model.nbody):
        result = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, i, result, 1)
        twists[model.body(i).name] = np.concatenate([result[3:], result[:3]])
    return twists


def test_free_velocities_are_body_twists(rng: np.random.Generator) -> None:
    arm, model = load_mjcf(FLYING), mujoco.MjModel.from_xml_string(FLYING)
    qpos, qvel = random_state(model, rng)
    twists = body_twists(model, mujoco_dynamics(model, qpos, qvel).data)
    q, v = from_mujoco(arm, qpos, qvel)
    assert v[:6] == pytest.approx(twists["hull"], abs=ROUNDING)
    assert v[-6:] == pytest.approx(twists["stone"], abs=ROUNDING)
    assert v[6:9] == pytest.approx(qvel[6:9])
    assert q == pytest.approx(qpos)


def test_placement_of_a_floating_base(rng: np.random.Generator) -> None:
    arm = creature(origin=(1, 2, 3), rpy=(0.3, -0.2, 0.7))
    model = mujoco.MjModel.from_xml_string(save_mjcf(arm))
    q, v = state(arm, rng)
    data = mujoco_dynamics(model, *to_mujoco(arm, q, v, model=model)).data
    X = poses(arm, q)
    assert data.body("trunk").xpos == pytest.approx(X["trunk"][:3, 3], abs=ROUNDING)
    assert data.body("trunk").xmat == pytest.approx(X["trunk"][:3, :3].ravel(), abs=ROUNDING)
    assert body_twists(model, data)["trunk"] == pytest.approx(v[:6], abs=ROUNDING)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_there_and_back(batch: tuple[int, ...], rng: np.random.Generator) -> None:
    for arm in [creature(), creature(origin=(1, 0, 2)), *map(load_mjcf, MODELS.values())]:
        q, v = state(arm, rng, *batch)
        for to, back in ((to_mujoco, from_mujoco), (to_pinocchio, from_pinocchio)):
            again = back(arm, *to(arm, q, v))
            assert again[0] == pytest.approx(q, abs=ROUNDING)
            assert again[1] == pytest.approx(v, abs=ROUNDING)


def test_batches_broadcast(rng: np.random.Generator) -> None:
    arm = creature()
    q, v = state(arm, rng, 3)
    new_q, new_v = to_mujoco(arm, q[0], v)
    assert (new_q.shape, new_v.shape) == ((3, 15), (3, 13))
    assert new_v[1] == pytest.approx(to_mujoco(arm, q[0], v[1])[1])


def test_mujoco_model_of_another_order(rng: np.random.Generator) -> None:
    arm = creature()
    text = save_mjcf(arm)
    # the same bodies the other way round
    start, middle, end = text.index('    <body name="z"'), text.index('<body name="a"'), 0
    trunk_end = text.rindex("</body>", 0, text.rindex("</body>"))
    end = text.index("</body>", trunk_end) + len("</body>")
    swapped = text[:start] + text[middle:end] + "\n" + text[start:middle] + text[end:]
    models = [mujoco.MjModel.from_xml_string(t) for t in (text, swapped)]
    assert models[0].joint(1).name != models[1].joint(1).name
    q, v = state(arm, rng)
    first, second = (
        mujoco_dynamics(model, *to_mujoco(arm, q, v, model=model)).data for model in models
    )
    for link in arm.links:
        assert first.body(link.name).xpos == pytest.approx(second.body(link.name).xpos)
    assert to_mujoco(arm, q, v)[0] == pytest.approx(to_mujoco(arm, q, v, model=models[0])[0])


def pinocchio_model(mechanism: Mechanism) -> Any:
    """Build the model joint by joint; children in the order that Pinocchio's URDF reader has."""
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    kinds = {
        "revolute": lambda j: pin.JointModelRevoluteUnaligned(np.array(j.axis, float)),
        "continuous": lambda j: {(0, 0, 1): pin.JointModelRUBZ}[j.axis](),
        "prismatic": lambda j: pin.JointModelPrismaticUnaligned(np.array(j.axis, float)),
        "spherical": lambda j: pin.JointModelSpherical(),
        "floating": lambda j: pin.JointModelFreeFlyer(),
    }

    def se3(pose: Any) -> Any:
        return pin.SE3(np.array(pose.R, float), np.array(pose.p, float))

    def grow(link: str, joint: int, X: Any) -> None:
        model.addFrame(pin.Frame(link, joint, 0, X, pin.FrameType.BODY))
        children = [j for j in mechanism.joints if j.parent == link]
        for child in sorted(children, key=lambda j: j.child):
            at = X * se3(child.placement)
            if child.kind.value == "fixed":
                grow(child.child, joint, at * se3(child.after))
                continue
            number = model.addJoint(joint, kinds[child.kind.value](child), at, child.name)
            grow(child.child, number, se3(child.after))

    grow(mechanism.root, 0, pin.SE3.Identity())
    return model


def test_pinocchio_moves_the_same_way(rng: np.random.Generator) -> None:
    pin = pytest.importorskip("pinocchio")
    arm = creature(origin=(1, 2, 3), rpy=(0.1, 0.2, 0.3))
    model, mj = pinocchio_model(arm), mujoco.MjModel.from_xml_string(save_mjcf(arm))
    data = model.createData()
    q, v = state(arm, rng)
    there = to_pinocchio(arm, q, v)
    assert there[0] == pytest.approx(to_pinocchio(arm, q, v, model=model)[0])
    pin.forwardKinematics(model, data, *there)
    pin.updateFramePlacements(model, data)
    truth = mujoco_dynamics(mj, *to_mujoco(arm, q, v))
    twists = body_twists(mj, truth.data)
    for link in arm.links:
        frame = model.getFrameId(link.name)
        assert data.oMf[frame].translation == pytest.approx(
            truth.data.body(link.name).xpos, abs=ROUNDING
        )
        velocity = pin.getFrameVelocity(model, data, frame, pin.ReferenceFrame.LOCAL)
        assert np.array(velocity.vector) == pytest.approx(twists[link.name], abs=1e-13)
    back = from_pinocchio(arm, *there, model=model)
    assert back[0] == pytest.approx(q)


def test_pinocchio_reads_urdf_in_this_order(rng: np.random.Generator) -> None:
    pin = pytest.importorskip("pinocchio")
    arm = Builder("tree", root="root")
    joints, links = "", '<link name="root"/>'
    for parent, child in [("root", "m"), ("root", "B"), ("root", "a"), ("m", "x"), ("m", "d")]:
        arm.link(child, mass=1, inertia=(1, 1, 1)).continuous(f"j{child}", child, parent=parent)
        links += f"""<link name="{child}"><inertial><mass value="1"/>
          <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
        joints += f"""<joint name="j{child}" type="continuous"><parent link="{parent}"/>
          <child link="{child}"/><axis xyz="0 0 1"/></joint>"""
    model = pin.buildModelFromXML(f'<robot name="tree">{links}{joints}</robot>')
    mechanism = arm.build()
    q, v = state(mechanism, rng)
    by_order, by_name = (to_pinocchio(mechanism, q, v, model=m) for m in (None, model))
    assert by_order[0] == pytest.approx(by_name[0])
    assert by_order[1] == pytest.approx(by_name[1])


def test_mimic_joints_follow() -> None:
    arm = creature()
    q, v = state(arm, np.random.default_rng(1))
    full = independent(arm)
    qpos, qvel = to_mujoco(arm, q, v)
    follow, bend = ([j.name for j in full.moving_joints].index(name) for name in ("follow", "bend"))
    all_q, all_v = from_mujoco(full, qpos, qvel)
    assert (follow, bend) == (5, 2)
    assert all_q[-1] == pytest.approx(-2 * q[8] + 0.5)
    assert all_v[-1] == pytest.approx(-2 * v[7])


def test_wrong_arguments() -> None:
    arm = creature()
    q, v = state(arm, np.random.default_rng(1))
    with pytest.raises(
        InvalidMechanism, match=r"q of creature with shape \(\.\.\., 14\), got \(13,\)"
    ):
        to_mujoco(arm, q[:-1], v)
    with pytest.raises(InvalidMechanism, match="the other engine's v"):
        from_pinocchio(arm, to_pinocchio(arm, q, v)[0], v[:-2])
    with pytest.raises(EvaluationError, match="finite"):
        to_mujoco(arm, q * np.nan, v)
    with pytest.raises(EvaluationError, match="direction"):
        to_mujoco(arm, q * 0, v)
    other = mujoco.MjModel.from_xml_string(FLYING)
    with pytest.raises(UnknownName, match="joint 'base'"):
        to_mujoco(arm, q, v, model=other)
    larger = mujoco.MjModel.from_xml_string(save_mjcf(arm))
    smaller = Builder("b").link("z", mass=1).continuous("turn", "z").build()
    with pytest.raises(InvalidMechanism, match="with the joints of b"):
        to_mujoco(smaller, [0.0], [0.0], model=larger)
