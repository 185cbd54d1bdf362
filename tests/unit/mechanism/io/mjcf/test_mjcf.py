"""MJCF read through MuJoCo, against MuJoCo itself."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism, MissingDependency
from dalembert.mechanism import JointKind
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.state_layouts import from_mujoco, to_mujoco
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.tree import Tree
from tests.cases import num_cases
from tests.figures import Figures
from tests.unit.mechanism.io.mjcf.mjcf_models import (
    ARM,
    CLOSED,
    FLYING,
    MODELS,
    SEVERAL_JOINTS,
    TETRAHEDRON,
    close,
    constraint_rows,
    hinge,
    matrix,
    mujoco,
    mujoco_dynamics,
    poses,
    random_state,
)


@pytest.fixture(params=MODELS)
def text(request: pytest.FixtureRequest) -> str:
    return MODELS[request.param]


# ---- what is read


def test_forward_kinematics(text: str, rng: np.random.Generator, scale: float) -> None:
    arm, model = load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    for _ in range(num_cases(5, scale)):
        q, v = random_state(model, rng)
        data = mujoco_dynamics(model, q, v).data
        X = poses(arm, q)
        for i in range(model.nbody):
            assert close(X[model.body(i).name][:3, 3], data.xpos[i])
            assert close(X[model.body(i).name][:3, :3].ravel(), data.xmat[i])


def test_mass_matrix_and_bias(text: str, rng: np.random.Generator, scale: float) -> None:
    arm, model = load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    tree = Tree.of(arm).map(float)
    for _ in range(num_cases(3, scale)):
        q, v = random_state(model, rng)
        truth = mujoco_dynamics(model, q, v)
        our_q, our_v = (list(map(float, x)) for x in from_mujoco(arm, q, v))
        M = np.array(mass_matrix(tree, our_q), float)
        # v_mujoco = G v: the linear velocity of free joints is turned into the world
        G = np.array([to_mujoco(arm, our_q, e)[1] for e in np.eye(arm.nv)]).T
        assert close(M, G.T @ truth.M @ G)
        h = np.array(inverse_dynamics(tree, our_q, our_v, [0.0] * arm.nv), float)
        # v̇_mujoco = G v̇ + Ġ v, and Ġ v turns ω × u of free joints into the world
        turning, place = np.zeros(arm.nv), 0
        for joint in arm.joints:
            if joint.kind is JointKind.FLOATING:
                u, w = np.array(our_v[place : place + 6]).reshape(2, 3)
                turning[place : place + 3] = np.cross(w, u)
            place += joint.nv
        assert close(h, G.T @ (truth.h + truth.M @ G @ turning))


def test_masses_and_inertias_are_those_compiled(text: str) -> None:
    arm, model = load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    for i in range(1, model.nbody):
        inertia = arm.link(model.body(i).name).inertia
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.body_iquat[i])
        R = R.reshape(3, 3)
        assert float(inertia.m) == model.body_mass[i]
        assert close(np.array(inertia.map(Fraction).com(), float), model.body_ipos[i])
        truth = R @ np.diag(model.body_inertia[i]) @ R.T
        assert close(np.array(inertia.map(Fraction).about_com(), float), truth)


def test_numbers_are_exact() -> None:
    arm = load_mjcf(ARM)
    lower = arm.link("lower").inertia
    assert (lower.m, lower.h) == (
        Fraction(3, 2),
        (Fraction(3, 20), Fraction(3, 100), Fraction(-3, 200)),
    )
    for joint in arm.joints:
        for X in (joint.placement, joint.after):
            rows = X.R
            for i in range(3):
                for j in range(3):
                    assert sum(a * b for a, b in zip(rows[i], rows[j], strict=True)) == (i == j)
        assert sum(k * k for k in joint.axis) == 1


def test_joints_have_what_the_defaults_say() -> None:
    arm = load_mjcf(ARM)
    assert [j.kind.value for j in arm.joints] == ["fixed", "revolute", "continuous", "prismatic"]
    shoulder = arm.joint("shoulder")
    assert (shoulder.resistance.damping, shoulder.armature) == (Fraction(3, 10), Fraction(1, 50))
    assert (shoulder.resistance.stiffness, shoulder.resistance.friction) == (5, Fraction(1, 10))
    assert float(shoulder.reference) == pytest.approx(np.radians(25), abs=1e-15)
    assert float(shoulder.resistance.rest) == pytest.approx(np.radians(10), abs=1e-15)
    assert shoulder.limits.lower == pytest.approx(-np.pi / 2)
    assert arm.joint("elbow").resistance.stiffness == 0
    assert arm.joint("base/fixed").child == "base"


def test_order_is_mujocos(text: str) -> None:
    arm, model = load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    names = [model.joint(i).name or f"joint{i}" for i in range(model.njnt)]
    assert [joint.name for joint in arm.moving_joints] == names
    assert (arm.nq, arm.nv) == (model.nq, model.nv)
    bodies = [model.body(i).name for i in range(model.nbody)]
    assert [link.name for link in arm.links if "/" not in link.name] == bodies
    assert arm.root == "world"


def test_several_joints_go_through_massless_links() -> None:
    arm = load_mjcf(SEVERAL_JOINTS)
    assert [link.name for link in arm.links if link.is_massless] == [
        *("world", "cart/x", "cart/y", "leg/hip1", "leg/hip2", "other/joint6"),
    ]
    assert arm.gravity == (1, -2, -9)


def test_springs_and_dampers(text: str, rng: np.random.Generator) -> None:
    arm, model = load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    q, v = random_state(model, rng)
    place_q = place_v = 0
    force = np.zeros(model.nv)
    for joint in arm.joints:
        at = slice(place_v, place_v + joint.nv)
        force[at] = -float(joint.resistance.damping) * v[at]
        if joint.is_scalar:
            force[at] -= float(joint.resistance.stiffness) * (
                q[place_q] - float(joint.resistance.rest)
            )
        place_q, place_v = place_q + joint.nq, place_v + joint.nv
    assert close(force, mujoco_dynamics(model, q, v).passive)


def test_sites_are_frames(rng: np.random.Generator) -> None:
    arm, model = load_mjcf(ARM), mujoco.MjModel.from_xml_string(ARM)
    q, v = random_state(model, rng)
    X = poses(arm, q)["lower"] @ matrix(arm.frame("tool").placement)
    assert close(X[:3, 3], mujoco_dynamics(model, q, v).data.site("tool").xpos)


def test_actuators_add_armature_and_damping_to_their_joint(rng: np.random.Generator) -> None:
    text = hinge(
        joint='damping="0.5" armature="0.25"',
        outside="""<actuator><motor joint="j" gear="3" armature="2" damping="5"/>
          <position joint="j" gear="-2" armature="1"/></actuator>""",
    )
    arm, model = load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    truth = mujoco_dynamics(model, np.zeros(1), np.ones(1))
    joint = arm.joint("j")
    assert (joint.armature, joint.resistance.damping) == (Fraction(89, 4), Fraction(91, 2))
    assert 1 + float(joint.armature) == truth.M[0, 0]
    assert -float(joint.resistance.damping) == truth.passive[0]


def test_actuators_are_motors_with_gear_and_bounds() -> None:
    """Their torques are MuJoCo's qfrc_actuator, and they survive a file of ours."""
    text = hinge(
        outside="""<actuator><motor name="m" joint="j" gear="3" ctrlrange="-2 1"/>
          <general name="g" joint="j" gear="-2" gainprm="5" forcerange="-7 7"/></actuator>""",
    )
    arm, model = load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    actuation = da.compile(arm).actuation
    assert actuation.names == ("m", "g")
    assert actuation.effort.tolist() == [2, 7]
    data = mujoco.MjData(model)
    data.ctrl[:] = [0.5, -0.3]
    mujoco.mj_forward(model, data)
    assert close(actuation.torques([0.5, -0.3 * 5]), data.qfrc_actuator)
    assert load_mjcf(save_mjcf(arm)).actuators == arm.actuators


def test_actuators_of_tendons_drive_their_joints() -> None:
    """Torques of a motor over three joints are MuJoCo's qfrc_actuator, also of what we write."""
    text = SEVERAL_JOINTS.replace(
        "</mujoco>",
        """<tendon><fixed name="t"><joint joint="x" coef="2"/><joint joint="yaw" coef="-0.5"/>
           <joint joint="hip2" coef="3"/></fixed></tendon><actuator>
           <motor name="m" tendon="t" gear="-4" forcerange="-9 9"/>
           <motor name="n" joint="hip2" gear="2"/></actuator></mujoco>""",
    )
    arm, model = load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    assert not any("tendon" in note or "actuator" in note for note in arm.notes)
    again = mujoco.MjModel.from_xml_string(save_mjcf(arm))
    # our actuator is on its first joint: in its units the effort is the same
    u = [0.7, -1.3]
    for theirs in (model, again):
        data = mujoco.MjData(theirs)
        data.ctrl[:] = u
        mujoco.mj_forward(theirs, data)
        assert close(da.compile(arm).actuation.torques(u), data.qfrc_actuator)
    assert da.compile(arm).actuation.effort.tolist() == [9, np.inf]
    assert load_mjcf(save_mjcf(arm)).actuators == arm.actuators


def test_rotors_of_actuators_on_tendons(rng: np.random.Generator) -> None:
    """Their armature and damping act over all joints of the tendon, times gear²."""
    text = SEVERAL_JOINTS.replace(
        "</mujoco>",
        """<tendon><fixed name="t"><joint joint="x" coef="2"/><joint joint="yaw" coef="-0.5"/>
           <joint joint="y" coef="3"/></fixed></tendon><actuator>
           <motor name="m" tendon="t" gear="-4" armature="0.3" damping="0.2"/>
           </actuator></mujoco>""",
    )
    arm, model = load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    q, v = random_state(model, rng)
    truth = mujoco_dynamics(model, q, v)
    tree = Tree.of(arm).map(float)
    M = np.array(mass_matrix(tree, q.tolist()), float)
    assert close(M, truth.M)
    passive = np.array(passive_forces(tree, q.tolist(), v.tolist()), float)
    assert close(passive, truth.passive)


def test_actuators_with_several_controls_and_forces() -> None:
    """Numbers of the actuators after them are found where MuJoCo has put them."""
    text = hinge(
        outside="""<actuator><pid name="p" joint="j" kp="1" gear="5"/>
          <motor name="m" joint="j" gear="3" ctrlrange="-2 1"/></actuator>""",
    )
    arm, model = load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    assert (model.nu, [x.name for x in arm.actuators]) == (3, ["p", "m"])
    assert arm.actuators[1].effort == 2
    data = mujoco.MjData(model)
    data.ctrl[2] = 0.5
    mujoco.mj_forward(model, data)
    assert close(da.compile(arm).actuation.torques([0, 0.5]), data.qfrc_actuator)
    # a ball joint is turned by three torques of one actuator
    text = """<mujoco><worldbody><body name="b"><joint name="k" type="ball"/><geom size="1"/>
      <body><joint name="j"/><geom size="1"/></body></body></worldbody><actuator>
      <orientation joint="k" kp="1" kv="0"/><motor joint="j" gear="3" armature="2" damping="5"/>
      </actuator></mujoco>"""
    arm, model = load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    assert model.actuator_gear.shape[0] == 4
    joint = arm.joint("j")
    assert (joint.armature, joint.resistance.damping) == (18, 45)
    assert any("2 actuators not carried" in note for note in arm.notes)


def test_actuators_of_sites_leave_no_joint_passive() -> None:
    """A joint that a wrench drives has no actuator of its own: none is carried."""
    text = hinge(
        outside="""<actuator><general name="m" body="b"/></actuator>""",
    )
    arm = load_mjcf(text)
    assert not arm.actuators
    assert any("1 actuator not carried" in note for note in arm.notes)


# ---- loops and couplings


def test_loops_have_mujocos_residual(rng: np.random.Generator) -> None:
    arm, model = load_mjcf(CLOSED), mujoco.MjModel.from_xml_string(CLOSED)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    for _ in range(5):
        q, v = random_state(model, rng)
        truth = mujoco_dynamics(model, q, v)
        X = poses(arm, q)
        for loop in arm.loops:
            A, B = (X[f.link] @ matrix(f.placement) for f in (loop.first, loop.second))
            rows = constraint_rows(truth, loop.name)
            assert close(A[:3, 3] - B[:3, 3], rows[:3])
            assert len(rows) == {"point": 3, "frame": 6}[loop.kind]
            if loop.kind == "frame":
                # MuJoCo's rows are the vector part sin(θ/2) of the rotation between the frames
                relative = B[:3, :3].T @ A[:3, :3]
                scale = 0.5 if loop.name == "glue" else 1.0
                sine = np.sqrt(max(0.0, (3 - np.trace(relative)) / 4))
                assert np.linalg.norm(rows[3:]) == pytest.approx(scale * sine, abs=1e-12)


def test_couplings_have_mujocos_residual(rng: np.random.Generator) -> None:
    arm, model = load_mjcf(CLOSED), mujoco.MjModel.from_xml_string(CLOSED)
    places = {joint.name: k for k, joint in enumerate(arm.moving_joints)}
    q, v = random_state(model, rng)
    truth = mujoco_dynamics(model, q, v)
    assert [c.name for c in arm.couplings] == ["gear", "hold"]
    for c in arm.couplings:
        value: Any = c.law.at([q[places[x]] for x in c.others])
        assert q[places[c.joint]] - float(value) == pytest.approx(
            constraint_rows(truth, c.name)[0], abs=1e-14
        )


def test_tendon_of_constant_length_is_a_coupling(rng: np.random.Generator) -> None:
    text = SEVERAL_JOINTS.replace(
        "</mujoco>",
        """<tendon><fixed name="t"><joint joint="x" coef="2"/><joint joint="y" coef="-3"/></fixed>
             <fixed name="u"><joint joint="x" coef="1"/><joint joint="y" coef="1"/>
               <joint joint="yaw" coef="1"/></fixed>
             <fixed name="w"><joint joint="hip1" coef="-2"/><joint joint="hip2" coef="1"/></fixed>
           </tendon>
           <equality><tendon name="e" tendon1="t" polycoef="0.5 0 0 0 0"/>
             <tendon name="f" tendon1="u"/>
             <tendon name="g" tendon1="u" tendon2="w" polycoef="0.1 0.5 0.3 -0.2 0.7"/>
           </equality></mujoco>""",
    )
    arm, model = load_mjcf(text), mujoco.MjModel.from_xml_string(text)
    assert not any("tendon" in note for note in arm.notes)
    assert [c.joints for c in arm.couplings] == [
        ("x", "y"),
        ("x", "y", "yaw"),
        ("x", "y", "yaw", "hip1", "hip2"),
    ]
    places = {joint.name: k for k, joint in enumerate(arm.moving_joints)}
    q, v = random_state(model, rng)
    truth = mujoco_dynamics(model, q, v)
    # a tendon's residual is that of its first joint times its coefficient
    for c, coef in zip(arm.couplings, (2, 1, 1), strict=True):
        value = c.law.at([q[places[x]] for x in c.others])
        residual = constraint_rows(truth, c.name)[0]
        assert coef * (q[places[c.joint]] - value) == pytest.approx(residual, abs=1e-13)
    # sums are written as tendons; a polynomial of several joints is not
    with pytest.raises(da.InvalidMechanism, match="sums over several joints"):
        save_mjcf(arm)
    again = load_mjcf(save_mjcf(arm.remove("g", of="couplings")))
    assert again.couplings == arm.couplings[:2]


# ---- what is not carried


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (hinge(option='<option><flag gravity="disable"/></option>'), "gravity: switched off"),
        (hinge(option='<option density="1.2"/>'), "fluid"),
        (hinge(joint='stiffness="1 2"'), "not linear"),
        (hinge(outside='<actuator><position name="p" joint="j"/></actuator>'),
         "the laws of actuators p are not carried"),
        (hinge(outside='<actuator><muscle name="m" joint="j"/></actuator>'), "1 muscle"),
        (
            hinge(
                '<site name="s" pos="0 0 1"/>',
                outside="""<tendon><spatial name="t"><site site="s"/><site site="w"/></spatial>
                </tendon><actuator><motor name="m" tendon="t" armature="1"/></actuator>""",
            ).replace("<worldbody>", '<worldbody><site name="w" pos="3 0 0"/>'),
            "armature of actuators m",
        ),
        (hinge('<geom size="1"/>').replace("<worldbody>", '<worldbody><geom size="1"/>'),
         "contacts between 2 geoms"),
        (hinge().replace('name="b"', 'name="b" gravcomp="1"'), "gravity compensation of bodies b"),
        (hinge(outside="").replace("<worldbody>", '<worldbody><body name="m" mocap="true"/>'),
         "mocap bodies m"),
        (FLYING.replace('type="ball"', 'type="ball" stiffness="3"'), "springs of joints socket"),
        (CLOSED, "torquescale 0.5"),
        (CLOSED, "7 equality constraints exact here"),
        (CLOSED.replace('name="pin"', 'name="pin" active="false"'), "equality 'pin' is not active"),
        (CLOSED.replace("<worldbody>", '<option><flag equality="disable"/></option><worldbody>'),
         "7 equality constraints switched off"),
        (hinge(option='<compiler settotalmass="3"/>'), "MuJoCo: compiler attribute 'settotalmass'"),
    ],
)  # fmt: skip
def test_notes(text: str, note: str) -> None:
    notes = load_mjcf(text).notes
    assert any(note in line for line in notes), notes


def test_a_plain_model_has_no_notes() -> None:
    assert load_mjcf(hinge()).notes == ()


def test_flags_switch_forces_off() -> None:
    flags = '<option><flag gravity="disable" spring="disable" damper="disable"/></option>'
    arm = load_mjcf(ARM.replace("<worldbody>", f"{flags}<worldbody>"))
    assert arm.gravity == (0, 0, 0)
    assert {(j.resistance.stiffness, j.resistance.damping) for j in arm.joints} == {(0, 0)}


# ---- files


def test_one_model_of_a_world() -> None:
    ball = '<geom size=".1" mass="1"/>'
    world = f"""<mujoco><worldbody>
      <body name="arm"><joint name="a"/>{ball}
        <body name="hand" pos="1 0 0"><joint name="b"/>{ball}</body></body>
      <body name="cart"><joint name="x" type="slide"/><joint name="y" type="slide"/>{ball}</body>
      <body name="ball" pos="0 0 2"><freejoint/>{ball}</body></worldbody>
      <equality><connect body1="hand" body2="ball" anchor="0 0 0"/></equality></mujoco>"""
    assert load_mjcf(world).nv == load_mjcf(world, model="*").nv == 2 + 2 + 6
    for name, count, mass in (("arm", 2, 2), ("cart", 2, 1), ("ball", 6, 1)):
        one = load_mjcf(world, model=name)
        assert (one.nv, one.total_mass, len(one.loops)) == (count, mass, 0)
        assert one.link(name)
    with pytest.raises(da.UnknownName, match=r"a body of the world .*got model='hand'"):
        load_mjcf(world, model="hand")


def test_includes_meshes_and_attached_models(tmp_path: Path) -> None:
    for name, content in {
        "robot.xml": """<mujoco><compiler meshdir="meshes"/><include file="parts/asset.xml"/>
          <asset><model name="gripper" file="parts/gripper.xml"/></asset>
          <worldbody><include file="parts/body.xml"/></worldbody></mujoco>""",
        "parts/asset.xml": '<mujoco><asset><mesh file="t.obj" scale="2 1 1"/></asset></mujoco>',
        "parts/body.xml": """<x><body name="b"><joint name="j"/><geom type="mesh" mesh="t"/>
          <attach model="gripper" body="finger" prefix="left_"/></body></x>""",
        "parts/gripper.xml": """<mujoco model="gripper"><compiler meshdir="."/>
          <asset><mesh file="u.obj"/></asset>
          <worldbody><body name="finger"><joint name="k"/><geom type="mesh" mesh="u"/></body>
          </worldbody></mujoco>""",
        "meshes/t.obj": "mtllib t.mtl\n" + TETRAHEDRON,
        "parts/u.obj": TETRAHEDRON,
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    arm = load_mjcf(tmp_path / "robot.xml")
    assert [j.name for j in arm.joints] == ["j", "left_k"]
    masses = [float(arm.link(name).inertia.m) for name in ("b", "left_finger")]
    assert masses == pytest.approx([1000 / 3, 1000 / 6])
    assert load_mjcf((tmp_path / "robot.xml").read_text(), root=tmp_path) == arm
    (tmp_path / "parts" / "deep.xml").write_text(
        (tmp_path / "robot.xml")
        .read_text()
        .replace("parts/", "")
        .replace('"meshes"', '"../meshes"')
    )
    assert load_mjcf(tmp_path / "parts" / "deep.xml", root=tmp_path).joints == arm.joints


def test_missing_meshes(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    with_inertia = """<mujoco><asset>
      <mesh name="m" file="m.stl"/></asset><worldbody><body name="b"><joint name="j"/>
      <inertial pos="0 0 1" mass="2" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/></body>
      <geom type="mesh" mesh="m"/></worldbody></mujoco>"""
    path.write_text(with_inertia)
    with pytest.raises(
        InvalidMechanism, match=r"a\.xml:2: expected the file 'm\.stl'.*put it there"
    ):
        load_mjcf(path)
    arm = load_mjcf(path, missing_meshes=True)
    assert arm.link("b").inertia.m == 2
    assert "a.xml:2: mesh 'm.stl' is missing" in arm.notes[0]
    path.write_text(with_inertia.replace("<inertial", "<!--").replace("<geom", "--><geom", 1))
    with pytest.raises(InvalidMechanism, match="expected body 'b' to give its <inertial>"):
        load_mjcf(path, missing_meshes=True)
    path.write_text(path.read_text().replace('<joint name="j"/>', ""))
    assert load_mjcf(path, missing_meshes=True).link("b").is_massless


def test_textures_are_not_needed(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        hinge(
            '<geom size="1" material="m"/>',
            outside="""<asset><texture file="sky.png" type="cube"/><texture name="t" file="t.png"/>
            <material name="m" texture="sky"/><material name="n" texture="t"/>
            <hfield name="h" file="h.png" size="1 1 1 1"/></asset>""",
        )
    )
    assert load_mjcf(tmp_path / "a.xml").nv == 1


def test_meshes_that_mujoco_makes_for_tactile_sensors() -> None:
    text = hinge(
        '<geom type="sphere" size=".3" mass="1"/><geom name="skin" type="mesh" mesh="m" mass="0"/>',
        outside="""<asset><mesh name="m" builtin="wedge" params="37 37 45 45 0"/></asset>
        <sensor><tactile geom="skin" mesh="m"/></sensor>""",
    )
    robot = load_mjcf(text)
    assert robot.nv == 1
    assert "1 mesh geom without a file: not carried" in robot.notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot/>", "this is a URDF"),
        ("<sdf/>", "expected <mujoco>, got <sdf>"),
        ("<mujoco>\n<worldbody>\n<body>\n", "text:"),
        ("<mujoco>\n<worldbody>\n<body nam='x'/></worldbody></mujoco>", "text:3"),
        (
            "<mujoco>\n\n<worldbody><body name='x'>\n<joint/>\n</body></worldbody></mujoco>",
            "text:3",
        ),
        ("<mujoco><worldbody>\n<geom type='mesh' mesh='m'/></worldbody></mujoco>", "mesh 'm'"),
        ("<mujoco><include/></mujoco>", "expected an empty <include"),
        ("<mujoco><include file='a.xml'/></mujoco>", "give root="),
        ("<mujoco><worldbody file='a'/></mujoco>", "expected no file= in <worldbody>"),
        ("/no/such/model.xml", "No such file"),
        ("a\0b", "expected the path of an MJCF file"),
        (hinge(joint='damping="inf"'), "got 'inf': give a finite number"),
    ],
)
def test_refusals_tell_where(text: str, message: str, figures: Figures) -> None:
    """G1."""
    figures.count("wrong files refused")
    with pytest.raises(InvalidMechanism, match=message):
        load_mjcf(text)


def test_errors_in_included_files_are_placed_there(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<mujoco>\n\n<include file='b.xml'/></mujoco>")
    (tmp_path / "b.xml").write_text("<mujoco>\n\n\n<option gravity='1 2'/></mujoco>")
    with pytest.raises(InvalidMechanism, match=r"b\.xml:4"):
        load_mjcf(tmp_path / "a.xml")
    (tmp_path / "b.xml").write_text("<mujoco><include file='b.xml'/></mujoco>")
    with pytest.raises(InvalidMechanism, match=r"b\.xml:1: expected each file to be included once"):
        load_mjcf(tmp_path / "a.xml")


def test_quiet(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    load_mjcf(hinge(option='<compiler settotalmass="3"/>'))
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_without_mujoco(absent: Callable[[str], None]) -> None:
    absent("mujoco")
    with pytest.raises(MissingDependency, match="pip install mujoco"):
        load_mjcf(ARM)
