"""Robots whose inertias were taken out of the file: places and Jacobians are Pinocchio's."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism.io.state_layouts import to_pinocchio

ZOO = os.environ.get("DALEMBERT_ZOO")
pytestmark = pytest.mark.skipif(not ZOO, reason="DALEMBERT_ZOO is not set: no zoo to compare with")

# of places in metres and of entries of rotations; robots reach a few metres, rpy is rounded alike
TOLERANCE = 1e-12
REPAIR = {"limits", "names", "elements"}
"""What other engines overlook in files of the zoo."""
NOT_BY_PINOCCHIO = {
    # a revolute joint without limits
    "cassie/cassie_v2.urdf": "does not contain a valid URDF model",
    "eve_r3/eve_r3.urdf": "components of min_effort are greater than max_effort",
}
"""Files that Pinocchio refuses, with its reason; places are then not compared."""


def robots() -> list[str]:
    if not ZOO:
        return ["none"]
    return sorted(str(p.relative_to(ZOO)) for p in Path(ZOO).glob("*/*.urdf"))


def stripped(text: str) -> str:
    """Return a URDF without the inertias of its links."""
    return re.sub(r"<inertial>.*?</inertial>|<inertial\s*/>", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("name", robots())
def test_places_and_jacobians_are_those_of_pinocchio(name: str, rng: np.random.Generator) -> None:
    pin: Any = pytest.importorskip("pinocchio")
    text = stripped((Path(ZOO or "") / name).read_text(encoding="utf-8"))
    assert "<inertial" not in text
    robot = da.load(text, repair=REPAIR)
    assert all(not link.has_inertia for link in robot.links)
    xml = re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
    if name in NOT_BY_PINOCCHIO:
        with pytest.raises(ValueError, match=NOT_BY_PINOCCHIO[name]):
            pin.buildModelFromXML(xml)
        return
    theirs = pin.buildModelFromXML(xml)
    if not robot.nv:
        assert theirs.nv == 0
        return
    model = da.compile(robot)
    data = theirs.createData()
    q = rng.uniform(-1, 1, (3, model.nq))
    X = model.forward_kinematics(q)
    has_mimics = any(joint.mimic for joint in robot.joints)
    for s in range(3):
        there, _ = to_pinocchio(robot, q[s], np.zeros(model.nv), model=theirs)
        pin.forwardKinematics(theirs, data, there)
        pin.computeJointJacobians(theirs, data, there)
        pin.updateFramePlacements(theirs, data)
        for k, link in enumerate(robot.links):
            frame = theirs.getFrameId(link.name, pin.FrameType.BODY)
            if frame == len(theirs.frames):
                continue
            place = data.oMf[frame].homogeneous
            assert np.abs(X[s, k] - place).max() < TOLERANCE, link.name
        if has_mimics or theirs.nv != model.nv:
            continue
        last = robot.links[-1].name
        J = pin.getFrameJacobian(
            theirs, data, theirs.getFrameId(last), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        ).reshape(6, model.nv)
        # each joint's column by what it does for the unit velocity of that joint
        for i in range(model.nv):
            _, v = to_pinocchio(robot, q[s], np.eye(model.nv)[i], model=theirs)
            ours = model.jacobian(q[s], last)[:, i]
            assert np.abs(ours - J @ v).max() < TOLERANCE, last
    with pytest.raises(da.MissingInertia) as caught:
        model.inverse_dynamics(q[0], np.zeros(model.nv), np.zeros(model.nv))
    assert repr(next(x for x in (j.child for j in robot.moving_joints))) in str(caught.value)


def test_inverse_kinematics_works_without_inertias(rng: np.random.Generator) -> None:
    text = stripped((Path(ZOO or "") / "panda" / "panda.urdf").read_text(encoding="utf-8"))
    model = da.compile(da.load(text, repair=REPAIR))
    space = model.configuration
    frame = model.mechanism.links[-1].name
    targets = model.forward_kinematics(rng.uniform(space.lower, space.upper, (20, model.nq)), frame)
    found = da.ik.solve_ik(model, targets, frame=frame)
    assert found.ok.all()
    assert np.abs(model.forward_kinematics(found.q, frame) - targets).max() < 1e-8
