"""A gizmo to drag: the robot follows by inverse kinematics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import DalembertError
from dalembert.ik import PositionTask, solve_ik
from dalembert.studio.scene.geometry import quaternion

if TYPE_CHECKING:
    import viser

    from dalembert.studio.state import Moment, State
    from dalembert.types import Array

TOLERANCE = 1e-6
"""In m and rad: what cannot be seen."""


class ReachPanel:
    """A target for a frame; whether it is reached stands below it."""

    def __init__(
        self, server: viser.ViserServer, state: State, frames: list[str], size: float
    ) -> None:
        self.state = state
        gui = server.gui
        self._frame = gui.add_dropdown("Frame", frames, initial_value=frames[-1])
        self._is_shown = gui.add_checkbox("Drag a target", False)
        self._turns = gui.add_checkbox(
            "Keep the orientation of the target too", state.model.nv >= 6
        )
        self._said = gui.add_markdown("")
        self._gizmo = server.scene.add_transform_controls(
            "/target", scale=size / 4, depth_test=False, visible=False
        )
        self._gizmo.on_update(lambda _: self.solve())
        self._is_shown.on_update(lambda _: self._switch())
        self._frame.on_update(lambda _: self._switch())
        self._is_solving = False

    def _switch(self) -> None:
        self._gizmo.visible = bool(self._is_shown.value)
        X = self._pose(self.state.moment)
        self._gizmo.position, self._gizmo.wxyz = X[:3, 3], quaternion(X[:3, :3])

    def _pose(self, moment: Moment) -> Array:
        return np.asarray(self.state.model.forward_kinematics(moment.q, self._frame.value))

    def solve(self) -> None:
        """Bring the frame to the gizmo, or as near as it comes."""
        # while one target is searched others come: the last one counts
        if self._is_solving or not self._is_shown.value:
            return
        self._is_solving = True
        try:
            target = None
            while target is None or not np.array_equal(target, self._target()):
                target = self._target()
                self._reach(target)
        finally:
            self._is_solving = False

    def _target(self) -> Array:
        return np.concatenate([self._gizmo.position, self._gizmo.wxyz])

    def _reach(self, target: Array) -> None:
        frame, model = self._frame.value, self.state.model
        goal: Any = PositionTask(frame, target[:3])
        options: dict[str, Any] = {}
        if self._turns.value:
            goal = np.eye(4)
            goal[:3, :3], goal[:3, 3] = rotation(target[3:]), target[:3]
            options["frame"] = frame
        try:
            found = solve_ik(model, goal, self.state.moment.q, tolerance=TOLERANCE, **options)
        except DalembertError as error:
            self._said.content = _plain(str(error))
            return
        self._said.content = _plain(str(found.status))
        self.state.show(0.0, found.q)


def rotation(q: Array) -> Array:
    """Return the rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = np.asarray(q, float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _plain(text: str) -> str:
    """Return a sentence in which Markdown and HTML mean nothing."""
    return "".join(f"&#{ord(c)};" if c in "<>&*_`[]()#!\\|~" else c for c in text)
