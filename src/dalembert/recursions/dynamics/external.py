"""Generalized forces of wrenches that act on frames, over any scalar: virtual work, Jᵀ F."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.recursions.dynamics.newton_euler import project_wrenches
from dalembert.recursions.kinematics import REFERENCES
from dalembert.recursions.tree import Column, Tree, Values
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO, Scalar, Vec, add, cross, rotate, sub, unrotate


def external_forces(
    tree: Tree,
    q: Values,
    wrenches: Mapping[str, Sequence[Scalar]],
    reference: str = "world",
) -> list[Scalar]:
    """Return Σ Jᵀ F of wrenches F = (force, moment) that act on frames.

    M q̈ + h = τ + Σ Jᵀ F, with J of the same ``reference``: "world", force in world axes at the
    frame's origin; "body", the same in the frame's own axes; "spatial", in world axes with the
    moment about the world's origin. Each wrench is carried to the root link by link.

    Raises:
        UnknownName: no such frame or reference.
        InvalidMechanism: a wrench that has not six components.
    """
    if reference not in REFERENCES:
        raise UnknownName(
            f"expected a reference of {', '.join(REFERENCES)}, got {reference!r} "
            f"({nearest(str(reference), REFERENCES)})"
        )
    poses = tree.poses(q)
    X_W = tree.world_poses(q) if reference != "body" else []
    carried: list[Column] = [(ZERO, ZERO)] * len(tree.nodes)
    for name, wrench in wrenches.items():
        frame = tree.frame(name)
        number = tree.numbers[frame.link]
        f, n = _parts(wrench, name)
        if not number:
            # on the root: nothing moves there
            continue
        here = X_W[number] if X_W else Pose()
        f, n = _on_link(f, n, frame.placement, here, reference)
        old = carried[number - 1]
        carried[number - 1] = add(old[0], f), add(old[1], n)
    return project_wrenches(tree, poses, carried)


def _parts(wrench: Sequence[Scalar], frame: str) -> tuple[Vec, Vec]:
    if len(wrench) != 6:
        raise InvalidMechanism(
            f"expected six components (force, moment) of the wrench on {frame!r}, got {len(wrench)}"
        )
    x, y, z, p, q, r = wrench
    return (x, y, z), (p, q, r)


def _on_link(f: Vec, n: Vec, X_LF: Pose, X_WL: Pose, reference: str) -> Column:
    """Return force and moment about the link's origin, in the link's axes."""
    if reference == "spatial":
        # about the link's origin instead of the world's: n - p × f
        return unrotate(X_WL.R, f), unrotate(X_WL.R, sub(n, cross(X_WL.p, f)))
    R, p = X_LF
    if reference == "body":
        f, n = rotate(R, f), rotate(R, n)
    else:
        f, n = unrotate(X_WL.R, f), unrotate(X_WL.R, n)
    # from the frame's origin to the link's: n + p × f
    return f, add(n, cross(p, f))
