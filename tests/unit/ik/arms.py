"""Arms, random poses that they reach, and an error that owes nothing to the solver."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

import dalembert as da
from dalembert.mechanism import Mechanism
from dalembert.textbook import robots

ZOO = os.environ.get("DALEMBERT_ZOO")


def planar_3r() -> Mechanism:
    arm = robots.planar_3r()
    lengths = {"l₁": 0.5, "l₂": 0.4, "l₃": 0.2}
    return arm.bind({p: lengths.get(str(p), 0.1) for p in arm.parameters})


def planar_2r() -> Mechanism:
    arm = robots.planar_arm_nr(2)
    return arm.bind(dict.fromkeys(arm.parameters, 1))


ARMS: dict[str, Callable[[], Mechanism]] = {
    "ur5e": robots.ur5e,
    "panda": robots.panda,
    "iiwa14": robots.iiwa14,
    "puma560": robots.puma560,
    "stanford_arm": robots.stanford_arm,
    "planar_3r": planar_3r,
}
ZOO_ARM = "z1/z1.urdf"
if ZOO:
    ARMS["z1"] = lambda: da.load(Path(ZOO or "") / ZOO_ARM, repair=True)


@cache
def model(name: str) -> da.Model:
    return da.compile(ARMS[name](), threads=1)


def end(name: str) -> str:
    """Return the frame at the end of an arm."""
    mechanism = model(name).mechanism
    return (mechanism.frames or mechanism.links)[-1].name


def draw(name: str, rng: np.random.Generator, count: int) -> np.ndarray:
    """Return configurations within limits; joints without any within ± π."""
    space = model(name).configuration
    return rng.uniform(
        np.maximum(space.lower, -np.pi), np.minimum(space.upper, np.pi), (count, space.neutral.size)
    )


def pose_error(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Return distance and angle between poses together; |R - S|² = 8 sin²(θ/2)."""
    distance = np.linalg.norm(X[..., :3, 3] - Y[..., :3, 3], axis=-1)
    chord = np.linalg.norm(X[..., :3, :3] - Y[..., :3, :3], axis=(-2, -1))
    angle = 2 * np.arcsin(np.minimum(chord / np.sqrt(8), 1))
    return np.hypot(distance, angle)
