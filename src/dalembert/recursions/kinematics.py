"""Where links are and how they move, over any scalar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.recursions.motions import link_accelerations, link_rates, link_velocities
from dalembert.recursions.tree import Column, Tree, Values
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import (
    ZERO,
    Scalar,
    Vec,
    add,
    cross,
    ratio,
    rotate,
    scale,
    sub,
    unrotate,
)

Columns = list[Column]
REFERENCES = ("world", "body", "spatial")


def forward_kinematics(tree: Tree, q: Values) -> list[Pose]:
    """Return X_WL of every link, the root first."""
    return tree.world_poses(q)


def frame_pose(tree: Tree, X_W: Sequence[Pose], name: str) -> Pose:
    """Return X_WF of a named frame or link."""
    frame = tree.frame(name)
    return X_W[tree.numbers[frame.link]] @ frame.placement


def jacobian(tree: Tree, q: Values, frame: str, reference: str = "world") -> Columns:
    """Return the columns (linear, angular) of J, one for each velocity.

    ``reference`` "world": velocity of the frame's origin in world axes; "body": in the frame's own
    axes; "spatial": of the point at the world's origin, in world axes (Murray, Li and Sastry).
    """
    X_W = forward_kinematics(tree, q)
    X_WF = frame_pose(tree, X_W, frame)
    columns = point_columns(tree, X_W, tree.frame(frame).link, X_WF.p)
    return [express(column, X_WF, reference) for column in columns]


def point_columns(
    tree: Tree, X_W: Sequence[Pose] | Mapping[int, Pose], link: str, point: Vec
) -> Columns:
    """Return J of a point that moves with a link, both in the axes in which the poses X_W are.

    Only poses of links from that one to the root are used, by their numbers.
    """
    columns: Columns = [(ZERO, ZERO)] * tree.nv
    for i in tree.path(tree.numbers[link]):
        node, (R, p) = tree.nodes[i], X_W[i + 1]
        for place, (su, sw) in zip(node.velocities, node.columns, strict=True):
            # joints that share a velocity (mimic) add up
            w = rotate(R, sw)
            # velocity of the point: S_v + S_w × (point - p_C)
            u = add(rotate(R, su), cross(w, sub(point, p)))
            old = columns[place]
            columns[place] = (add(old[0], u), add(old[1], w))
    return columns


def point_column_rates(
    tree: Tree, X_W: Sequence[Pose], twists: Columns, link: str, point: Vec
) -> Columns:
    """Return d/dt of `point_columns` in world axes, while the links move with their twists."""
    v_P = _point_velocity(X_W, twists, tree.numbers[link], point)
    columns: Columns = [(ZERO, ZERO)] * tree.nv
    for i in tree.path(tree.numbers[link]):
        node, (R, p) = tree.nodes[i], X_W[i + 1]
        # the link's angular velocity and that of its origin, in the world
        omega = rotate(R, twists[i][1])
        v_C = rotate(R, twists[i][0])
        for place, (su, sw) in zip(node.velocities, node.columns, strict=True):
            w, u = rotate(R, sw), rotate(R, su)
            # ẇ = ω × w, u̇ = ω × u;  d/dt (u + w × r) with ṙ = v_P - v_C
            wd, ud = cross(omega, w), cross(omega, u)
            linear = add(ud, add(cross(wd, sub(point, p)), cross(w, sub(v_P, v_C))))
            old = columns[place]
            columns[place] = (add(old[0], linear), add(old[1], wd))
    return columns


def express(column: Column, X_WF: Pose, reference: str) -> Column:
    """Return a world-aligned twist of frame F in another reference."""
    u, w = column
    if reference == "world":
        return column
    if reference == "body":
        # Rᵀ u, Rᵀ ω
        return unrotate(X_WF.R, u), unrotate(X_WF.R, w)
    if reference == "spatial":
        # of the point at the world's origin: u - ω × p
        return sub(u, cross(w, X_WF.p)), w
    from dalembert.errors import UnknownName

    raise UnknownName(f"expected a reference of {', '.join(REFERENCES)}, got {reference!r}")


def jacobian_rate(
    tree: Tree, q: Values, v: Values, frame: str, reference: str = "world"
) -> Columns:
    """Return J̇: d/dt of each column along the motion, in the same reference."""
    X_W = forward_kinematics(tree, q)
    twists = link_velocities(tree, tree.poses(q), v)
    X_WF = frame_pose(tree, X_W, frame)
    link = tree.numbers[tree.frame(frame).link]
    columns = point_column_rates(tree, X_W, twists, tree.frame(frame).link, X_WF.p)
    if reference == "world":
        return columns
    J = point_columns(tree, X_W, tree.frame(frame).link, X_WF.p)
    v_F = _point_velocity(X_W, twists, link, X_WF.p)
    twist = v_F, rotate(X_W[link].R, twists[link - 1][1]) if link else ZERO
    pairs = zip(J, columns, strict=True)
    return [express_rate(column, rate, X_WF, twist, reference) for column, rate in pairs]


def express_rate(column: Column, rate: Column, X_WF: Pose, twist: Column, reference: str) -> Column:
    """Return d/dt of `express` of a column that changes at a rate while F moves with a twist."""
    (u, w), (ud, wd), (v_F, omega) = column, rate, twist
    if reference == "body":
        # d/dt Rᵀ x = Rᵀ (ẋ - ω × x)
        u, w = sub(ud, cross(omega, u)), sub(wd, cross(omega, w))
        return unrotate(X_WF.R, u), unrotate(X_WF.R, w)
    # d/dt (u - w × p) = u̇ - ẇ × p - w × v_F
    u, w = express((ud, wd), X_WF, reference)
    return (sub(u, cross(column[1], v_F)), w) if reference == "spatial" else (u, w)


def frame_velocity(
    tree: Tree, q: Values, v: Values, frame: str, reference: str = "world"
) -> Column:
    """Return the velocity (linear, angular) of a frame: J v."""
    X_WF = frame_pose(tree, forward_kinematics(tree, q), frame)
    return express(_frame_twist(tree, q, v, frame), X_WF, reference)


def frame_acceleration(
    tree: Tree, q: Values, v: Values, a: Values, frame: str, reference: str = "world"
) -> Column:
    """Return d/dt of the velocity of a frame in a reference: J v̇ + J̇ v."""
    X_W = forward_kinematics(tree, q)
    X_WF, at = frame_pose(tree, X_W, frame), tree.frame(frame)
    twist, rate = _frame_twist(tree, q, v, frame), (ZERO, ZERO)
    link = tree.numbers[at.link]
    if link:
        poses = tree.poses(q)
        motion = link_accelerations(tree, poses, link_rates(tree, poses, v), a, ZERO)[link - 1]
        # a + K r of the origin, in world axes
        R, r = X_W[link].R, at.placement.p
        rate = rotate(R, add(motion.a, rotate(motion.K, r))), rotate(R, motion.wd)
    return rate if reference == "world" else express_rate(twist, rate, X_WF, twist, reference)


def _frame_twist(tree: Tree, q: Values, v: Values, frame: str) -> Column:
    """Return the velocity of a frame's origin and its angular velocity, in world axes."""
    at = tree.frame(frame)
    link = tree.numbers[at.link]
    if not link:
        return ZERO, ZERO
    u, w = link_velocities(tree, tree.poses(q), v)[link - 1]
    R = forward_kinematics(tree, q)[link].R
    return rotate(R, add(u, cross(w, at.placement.p))), rotate(R, w)


def relative_pose(tree: Tree, q: Values, frame: str, base: str) -> Pose:
    """Return X_BF of a frame in the axes of another."""
    X_W = forward_kinematics(tree, q)
    return frame_pose(tree, X_W, base).inverse() @ frame_pose(tree, X_W, frame)


def relative_jacobian(tree: Tree, q: Values, frame: str, base: str) -> Columns:
    """Return J of a frame as seen from another: d/dt of p_BF, and of R_BF the angular velocity."""
    X_W = forward_kinematics(tree, q)
    X_WB, X_WF = frame_pose(tree, X_W, base), frame_pose(tree, X_W, frame)
    moving = point_columns(tree, X_W, tree.frame(frame).link, X_WF.p)
    # of the point of the base that is where the frame is
    carrying = point_columns(tree, X_W, tree.frame(base).link, X_WF.p)
    return [
        (unrotate(X_WB.R, sub(u, u0)), unrotate(X_WB.R, sub(w, w0)))
        for (u, w), (u0, w0) in zip(moving, carrying, strict=True)
    ]


def center_of_mass_jacobian(tree: Tree, q: Values) -> list[Vec]:
    """Return the columns of ∂c/∂q, one for each velocity; c is the centre of mass."""
    X_W = forward_kinematics(tree, q)
    # m and m c of each link with everything behind it, in the world
    masses: list[Scalar] = [node.inertia.m for node in tree.nodes]
    moments = [
        add(scale(node.inertia.m, X.p), rotate(X.R, node.inertia.h))
        for node, X in zip(tree.nodes, X_W[1:], strict=True)
    ]
    for i in reversed(range(len(tree.nodes))):
        k = tree.nodes[i].parent - 1
        if k >= 0:
            masses[k], moments[k] = masses[k] + masses[i], add(moments[k], moments[i])
    total = center_of_mass(tree, q)[0]
    columns: list[Vec] = [ZERO] * tree.nv
    for node, (R, p), m, h in zip(tree.nodes, X_W[1:], masses, moments, strict=True):
        for place, (su, sw) in zip(node.velocities, node.columns, strict=True):
            # m u + ω × (m c - m p)
            P = add(scale(m, rotate(R, su)), cross(rotate(R, sw), sub(h, scale(m, p))))
            old = columns[place]
            columns[place] = (old[0] + P[0], old[1] + P[1], old[2] + P[2])
    return [(ratio(x, total), ratio(y, total), ratio(z, total)) for x, y, z in columns]


def _point_velocity(X_W: Sequence[Pose], twists: Columns, link: int, point: Vec) -> Vec:
    if not link:
        return ZERO
    R, p = X_W[link]
    u, w = twists[link - 1]
    return add(rotate(R, u), cross(rotate(R, w), sub(point, p)))


def center_of_mass(tree: Tree, q: Values) -> tuple[Scalar, Vec]:
    """Return total mass and m·c of the moving links in the world.

    What is welded to the root does not move and does not count, as in Pinocchio: whether it is a
    link of its own or a part of the root makes no difference.
    """
    is_moving = [False]
    for node in tree.nodes:
        is_moving.append(bool(node.velocities) or is_moving[node.parent])
    return first_moment(tree, q, is_moving[1:])


def first_moment(tree: Tree, q: Values, counts: Sequence[bool] | None = None) -> tuple[Scalar, Vec]:
    """Return mass and m·c in the world: of all links but the root, or of those that count."""
    m: Scalar = 0
    h: Vec = ZERO
    places = forward_kinematics(tree, q)[1:]
    for k, (node, X_WL) in enumerate(zip(tree.nodes, places, strict=True)):
        if counts is None or counts[k]:
            # m p + R h
            m = m + node.inertia.m
            h = add(h, add(scale(node.inertia.m, X_WL.p), rotate(X_WL.R, node.inertia.h)))
    return m, h
