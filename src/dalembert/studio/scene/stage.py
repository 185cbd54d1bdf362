"""Ground and camera: weight pulls down, and all is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.studio.scene.figure import Figure

if TYPE_CHECKING:
    import viser

    from dalembert.types import Array


def set_the_stage(server: viser.ViserServer, up: Array, figure: Figure) -> None:
    """Turn the picture so that weight pulls down, and stand where all is seen."""
    size = figure.size
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
