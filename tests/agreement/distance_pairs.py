"""Random pairs of shapes: their distances here and in MuJoCo."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dalembert.spatial.distance import (
    Closest,
    box_to_box,
    capsule_to_box,
    capsule_to_capsule,
    capsule_to_cylinder,
    sphere_to_box,
    sphere_to_capsule,
    sphere_to_cylinder,
    sphere_to_sphere,
)
from dalembert.spatial.pose import Pose

SPHERE, OTHER_SPHERE = ("sphere", (0.1,)), ("sphere", (0.15,))
CAPSULE, OTHER_CAPSULE = ("capsule", (0.05, 0.15)), ("capsule", (0.08, 0.1))
BOX, OTHER_BOX = ("box", (0.1, 0.15, 0.05)), ("box", (0.05, 0.05, 0.15))
CYLINDER = ("cylinder", (0.08, 0.15))

Solid = tuple[str, tuple[float, ...]]
"""The kind and the sizes of a shape as MuJoCo has them: half lengths and half edges."""


def half(X: Pose, solid: Solid) -> Any:
    """Return the half axis of a capsule."""
    return tuple(solid[1][1] * row[2] for row in X.R)


def edges(solid: Solid) -> Any:
    """Return the whole edges of a box."""
    return tuple(2 * x for x in solid[1])


PAIRS: dict[str, tuple[Solid, Solid, Callable[[Pose, Pose], Closest]]] = {
    "sphere, sphere": (
        SPHERE,
        OTHER_SPHERE,
        lambda X, Y: sphere_to_sphere(X.p, 0.1, Y.p, 0.15),
    ),
    "sphere, capsule": (
        SPHERE,
        CAPSULE,
        lambda X, Y: sphere_to_capsule(X.p, 0.1, Y.p, half(Y, CAPSULE), 0.05),
    ),
    "capsule, capsule": (
        CAPSULE,
        OTHER_CAPSULE,
        lambda X, Y: capsule_to_capsule(
            X.p, half(X, CAPSULE), 0.05, Y.p, half(Y, OTHER_CAPSULE), 0.08
        ),
    ),
    "sphere, box": (SPHERE, BOX, lambda X, Y: sphere_to_box(X.p, 0.1, Y, edges(BOX))),
    "capsule, box": (
        CAPSULE,
        BOX,
        lambda X, Y: capsule_to_box(X, 0.05, 0.3, Y, edges(BOX)),
    ),
    "box, box": (BOX, OTHER_BOX, lambda X, Y: box_to_box(X, edges(BOX), Y, edges(OTHER_BOX))),
    "sphere, cylinder": (
        SPHERE,
        CYLINDER,
        lambda X, Y: sphere_to_cylinder(X.p, 0.1, Y, 0.08, 0.3),
    ),
    "capsule, cylinder": (
        CAPSULE,
        CYLINDER,
        lambda X, Y: capsule_to_cylinder(X.p, half(X, CAPSULE), 0.05, Y, 0.08, 0.3),
    ),
}
"""Both shapes and our formula, by the name of the pair."""


ANOTHER = 1e-6
"""A difference in m above which MuJoCo's depth is another quantity than ours."""


class Compared(NamedTuple):
    """The largest differences from MuJoCo, in m.

    Attributes:
        apart: Of shapes that are apart.
        overlapping: Of overlapping ones with the same depth, up to `ANOTHER`.
        num_apart: How many are apart.
        num_overlapping: How many overlap.
        num_others: How many of them have another depth.
    """

    apart: float
    overlapping: float
    num_apart: int
    num_overlapping: int
    num_others: int


def compare(name: str, count: int, rng: np.random.Generator) -> Compared:
    """Return how random pairs of a kind compare.

    A tenth of them have parallel axes, and two fifths one or two joints about axes of the shapes
    between them, as robots have: some edges are then perpendicular but for rounding.
    """
    first, second, formula = PAIRS[name]
    R, S = rotations(rng, count), rotations(rng, count)
    S[: count // 10] = R[: count // 10]
    for k in range(count // 10, count // 2):
        # about one axis or two
        S[k] = R[k] @ about(rng, k % 3) @ (about(rng, (k // 3) % 3) if k % 2 else np.eye(3))
    p, r = 0.3 * rng.normal(size=(2, count, 3))
    d = np.asarray(formula(pose(R, p), pose(S, r)).distance) * np.ones(count)
    theirs = engine(first, second, (R, S), (p, r))
    off, apart = np.abs(d - theirs), d > 0
    same = ~apart & (off <= ANOTHER)
    worst = [float(off[which].max(initial=0.0)) for which in (apart, same)]
    counts = [int(x.sum()) for x in (apart, ~apart, ~apart & ~same)]
    return Compared(worst[0], worst[1], counts[0], counts[1], counts[2])


def about(rng: np.random.Generator, axis: int) -> np.ndarray:
    """Return a random turn about a coordinate axis."""
    angle = rng.uniform(-np.pi, np.pi)
    c, s = np.cos(angle), np.sin(angle)
    return np.roll(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), (axis + 1, axis + 1), (0, 1))


def engine(first: Solid, second: Solid, turns: Any, places: Any) -> np.ndarray:
    """Return MuJoCo's distances."""
    # its module has no types
    mujoco: Any = importlib.import_module("mujoco")
    geoms = "".join(
        f'<geom type="{kind}" size="{" ".join(map(repr, size))}"/>'
        for kind, size in (first, second)
    )
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{geoms}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    found, ends = np.empty(len(places[0])), np.zeros(6)
    for k in range(len(found)):
        for geom in (0, 1):
            data.geom_xpos[geom] = places[geom][k]
            data.geom_xmat[geom] = turns[geom][k].ravel()
        found[k] = mujoco.mj_geomDistance(model, data, 0, 1, 20.0, ends)
    return found


def rotations(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return random rotation matrices, ``(count, 3, 3)``."""
    q = rng.normal(size=(count, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0).copy()


def pose(R: np.ndarray, p: np.ndarray) -> Pose:
    """Return poses whose numbers are arrays."""
    rows = tuple(tuple(R[:, i, k] for k in range(3)) for i in range(3))
    return Pose(rows, tuple(p[:, i] for i in range(3)))  # type: ignore[arg-type]
