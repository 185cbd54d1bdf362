"""Ground and camera: weight pulls down, and all is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.expr import Expr
from dalembert.mechanics import System
from dalembert.mechanism import Mechanism
from dalembert.studio.scene.points import Points
from dalembert.studio.scene.robot import Robot

if TYPE_CHECKING:
    import viser

    from dalembert.types import Array


def set_the_stage(
    server: viser.ViserServer, description: System | Mechanism, figure: Robot | Points
) -> None:
    """Turn the picture so that weight pulls down, and stand where all is seen."""
    size = figure.size
    up = _up(description)
    scene, camera = server.scene, server.initial_camera
    scene.set_up_direction(tuple(up))
    is_flat = abs(up[1]) > 0.9
    # behind a mechanism in the plane, below one in space
    behind = (0.0, 0.0, -size / 4 if is_flat else min(0.0, float(figure.low[2])))
    scene.add_grid(
        "/ground",
        width=4 * size,
        height=4 * size,
        cell_size=size / 5,
        section_size=size,
        plane="yz" if abs(up[0]) > 0.9 else "xy",
        position=behind,
        shadow_opacity=0.2,
    )
    # a mechanism in the plane is looked at from the front
    place = np.array([0.0, 0.1, 1.3]) if is_flat else np.array([0.9, -0.9, 0.6])
    camera.position = tuple(place * size + figure.centre)
    camera.look_at = tuple(figure.centre)


def _up(description: System | Mechanism) -> Array:
    """Return the direction against gravity; y for a system, whose points are in the plane."""
    if not isinstance(description, Mechanism):
        return np.array([0.0, 1.0, 0.0])
    pull = np.array([0.0 if isinstance(x, Expr) else float(x) for x in description.gravity])
    for k, x in enumerate(description.gravity):
        # a symbol such as g is positive, and gravity that points along it is -g
        if isinstance(x, Expr):
            pull[k] = -1.0 if str(x).startswith("-") else 1.0
    length = np.linalg.norm(pull)
    return -pull / length if length else np.array([0.0, 0.0, 1.0])
