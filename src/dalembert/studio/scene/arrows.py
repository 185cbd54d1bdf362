"""Arrows of forces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import viser


def force_arrows(
    scene: viser.SceneApi, name: str, colour: tuple[int, int, int], size: float
) -> viser.ArrowsHandle:
    """Return arrows for a figure of a size (m), hidden until there is a force."""
    return scene.add_arrows(
        name,
        np.zeros((1, 2, 3)),
        colour,
        shaft_radius=size / 150,
        head_radius=size / 60,
        head_length=size / 25,
        visible=False,
    )
