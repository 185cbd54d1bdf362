"""The tables for people who come from other libraries: both sides of every row are equal."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from tests.project.source_tree import ROOT

pin: Any = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: no oracle")
mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is not installed: no oracle")

PAGES = ROOT / "docs" / "coming_from"
ROW = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \|", re.MULTILINE)
TOLERANCE = 1e-11


def rows(page: str) -> list[tuple[str, str]]:
    """Return (their code, our code) of every row whose two cells are nothing but code."""
    found = ROW.findall((PAGES / f"{page}.md").read_text(encoding="utf-8"))
    assert found
    return found


def evaluate(code: str, names: dict[str, Any]) -> np.ndarray:
    """Return the value of the last expression of a line."""
    *first, last = code.split(";")
    for statement in first:
        exec(statement.strip(), names)
    return np.array(eval(last.strip(), names), dtype=float)


def with_limits(mechanism: da.Mechanism) -> da.Mechanism:
    """Return the arm with bounds of speed and torque."""
    joints = [
        replace(joint, limits=joint.limits._replace(velocity=2 + k, effort=10 * k + 12))
        for k, joint in enumerate(mechanism.joints)
    ]
    return replace(mechanism, joints=tuple(joints))


class Case:
    """One arm in all libraries, at one state."""

    def __init__(self, folder: Path) -> None:
        self.mechanism = with_limits(da.textbook.robots.panda())
        self.folder = folder
        self.model = da.compile(self.mechanism)
        rng = np.random.default_rng(13)
        self.q, self.q1, self.qd, self.qdd, self.tau = rng.uniform(-1, 1, (5, self.model.nv))

    def ours(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in ("model", "q", "q1", "qd", "qdd", "tau")},
            "tip": self.mechanism.links[-1].name,
            "np": np,
            "model_theta": np.array(self.model.regressor_parameters[1], dtype=float),
        }

    def pinocchio(self) -> dict[str, Any]:
        path = self.folder / "arm.urdf"
        da.save(self.mechanism, path)
        model = pin.buildModelFromUrdf(str(path))
        data = model.createData()
        pin.forwardKinematics(model, data, self.q, self.qd, self.qdd)
        pin.updateFramePlacements(model, data)
        theta = np.concatenate([x.toDynamicParameters() for x in list(model.inertias)[1:]])
        names = {"model": model, "data": data, "v": self.qd, "a": self.qdd, "pin": pin, "np": np}
        tip = model.getFrameId(self.mechanism.links[-1].name)
        return {
            **names,
            "q": self.q,
            "q1": self.q1,
            "tau": self.tau,
            "tip": tip,
            "theta": theta,
        }

    def mujoco(self) -> dict[str, Any]:
        path = self.folder / "arm.xml"
        da.save(self.mechanism, path)
        model = mujoco.MjModel.from_xml_path(str(path))
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        data = mujoco.MjData(model)
        data.qpos, data.qvel, data.qfrc_applied = self.q, self.qd, self.tau
        mujoco.mj_forward(model, data)
        n = model.nv
        return {
            "mujoco": mujoco,
            "np": np,
            "model": model,
            "data": data,
            "tip": model.body(self.mechanism.links[-1].name).id,
            "M": np.zeros((n, n)),
            "f": np.zeros(n),
            "jacp": np.zeros((3, n)),
            "jacr": np.zeros((3, n)),
        }


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return Case(tmp_path_factory.mktemp("robots"))


def equal(theirs: str, ours: str, names: dict[str, Any], case: Case) -> None:
    expected, found = evaluate(theirs, names), evaluate(ours, case.ours())
    assert found.shape == expected.shape
    both = np.isfinite(expected)
    assert np.array_equal(both, np.isfinite(found))
    size = max(1.0, np.abs(expected[both]).max(initial=0.0))
    assert np.abs(found - expected)[both].max(initial=0.0) <= TOLERANCE * size


@pytest.mark.parametrize(("theirs", "ours"), rows("pinocchio"))
def test_pinocchio(theirs: str, ours: str, case: Case) -> None:
    equal(theirs, ours, case.pinocchio(), case)


@pytest.mark.parametrize(("theirs", "ours"), rows("mujoco"))
def test_mujoco(theirs: str, ours: str, case: Case) -> None:
    equal(theirs, ours, case.mujoco(), case)


def test_a_wrong_row_is_found(case: Case) -> None:
    with pytest.raises(AssertionError):
        equal("pin.neutral(model)", "model.neutral + 1", case.pinocchio(), case)
