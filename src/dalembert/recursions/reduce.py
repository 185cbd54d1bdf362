"""An equivalent tree with the fewest numbers: the one from which fast kernels are traced.

Stages: links behind fixed joints join their parents, and every frame becomes its joint's; frames
turn to rational axes; origins slide along the axes to where lengths vanish; the part of each
inertia that does not resist its joint goes to the parent. All of it is exact, over rationals and
expressions alike. Reference: M. Gautier and W. Khalil, Direct calculation of minimum set of
inertial parameters of serial robots, IEEE Transactions on Robotics and Automation 6 (1990).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from dalembert.expr import Expr
from dalembert.mechanism import Joint, JointKind
from dalembert.recursions.lump import Body, bodies_of, tree_of_bodies
from dalembert.recursions.motions import HINGES
from dalembert.recursions.tree import Tree
from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import (
    ZERO,
    Mat,
    Scalar,
    Vec,
    add,
    neg,
    ratio,
    rotate,
    scale,
    sub,
    unrotate,
)

# least component of a unit axis by which a length is divided
STEEP = Fraction(1, 2)


def reduce(tree: Tree) -> Tree:
    """Return a tree with the same dynamics and fewer numbers.

    M, τ, q̈ and T are the same exactly, and V with ``potential_constant`` added; masses and centres
    of mass of single links are not. Places in q and v stay. Frames, loops and springs are where
    they were; the name of a link whose frame moved is a frame where the link was.

    >>> import dalembert as da
    >>> tree = reduce(Tree.of(da.textbook.robots.planar_arm_nr(2)))
    >>> print(tree.nodes[0].inertia.h[0], "with mass", tree.nodes[0].inertia.m)
    m₁ a_c₁ + m₂ a₁ with mass 0
    """
    bodies = bodies_of(tree)
    moving = bodies[1:]
    for body in moving:
        _align(body)
    for body in moving:
        _slide(body)
    # from the tips to the root: what a body gives may pass on
    for body in reversed(moving):
        _give(body, bodies[body.moving.parent])
    return tree_of_bodies(tree, bodies)


def _reframe(body: Body, X_BN: Pose) -> None:
    """Give a body another frame N behind its joint, at X_BN in the old one."""
    X_NB = X_BN.inverse()
    _place(body, body.moving.joint.placement @ X_BN)
    body.inertia = body.inertia.moved(X_NB)
    body.carries = {name: X_NB @ X_BL for name, X_BL in body.carries.items()}
    for child in body.children:
        _place(child, X_NB @ child.moving.joint.placement)


def _place(body: Body, placement: Pose) -> None:
    """Give the joint of a body another place in its parent."""
    joint = replace(body.moving.joint, placement=_tidy(placement))
    body.node = replace(body.moving, joint=joint)


# ---- frames


def _align(body: Body) -> None:
    """Turn the frame so that a skew but rational axis is its z."""
    joint = body.moving.joint
    u = joint.axis
    if joint.is_scalar and _count(u) > 1 and _are_rational(u):
        body.node = replace(body.moving, joint=replace(joint, axis=(0, 0, 1)))
        _reframe(body, Pose(_turn_to(u), ZERO))


def _turn_to(u: Vec) -> Mat:
    """Return the least rotation that takes z to a unit vector u ≠ -z; rational if u is."""
    x, y, z = (_fraction(k) for k in u)
    k = 1 / (1 + z)
    return (1 - k * x * x, -k * x * y, x), (-k * x * y, 1 - k * y * y, y), (-x, -y, z)


def _slide(body: Body) -> None:
    """Move the origin to where fewest lengths are left, of those its own fewest.

    Lengths in the root cost nothing: it does not move.
    """
    joint = body.moving.joint
    R, p = joint.placement
    behind = [child.moving.joint.placement.p for child in body.children]

    def lengths(t: Vec) -> tuple[int, int]:
        own = _count(add(p, rotate(R, t))) if body.moving.parent else 0
        return own + sum(_count(sub(x, t)) for x in behind), own

    t = min((ZERO, *_slides(joint, behind)), key=lengths)
    if t != ZERO:
        _reframe(body, Pose(p=t))


def _slides(joint: Joint, behind: Sequence[Vec]) -> Iterator[Vec]:
    """Yield displacements of the origin, in the joint's frame, that leave its motion as it is."""
    R, p = joint.placement
    if joint.spins or not joint.is_scalar:
        return
    if joint.kind is JointKind.PRISMATIC:
        # anywhere: onto the parent's origin, or onto a child's
        yield neg(unrotate(R, p))
        yield from behind
        return
    u, w = joint.axis, rotate(R, joint.axis)
    # along the axis: p + d w is zero in component k for d = -p_k / w_k, a child's p - d u likewise
    for x, along in ((p, w), *((neg(x), u) for x in behind)):
        if _are_rational(along):
            for xk, wk in zip(x, map(_fraction, along), strict=True):
                # a small w_k would send the origin far away, and digits with it
                if not is_zero(xk) and abs(wk) > STEEP:
                    yield scale(-xk * (1 / wk), u)


# ---- inertias


def _give(body: Body, parent: Body) -> None:
    """Move to the parent the part of the inertia that does not resist the joint."""
    joint = body.moving.joint
    given = _passive_part(joint, body.inertia)
    body.inertia = Inertia(
        _less(body.inertia.m, given.m),
        tuple(map(_less, body.inertia.h, given.h)),  # type: ignore[arg-type]
        tuple(map(_less, body.inertia.I, given.I)),  # type: ignore[arg-type]
    )
    parent.inertia = parent.inertia + given.moved(joint.placement)


def _passive_part(joint: Joint, inertia: Inertia) -> Inertia:
    """Return a part δ with δ S = 0 that the joint's motion leaves as it is.

    Hinge about u: mass, first moment along u and μ (1 - u uᵀ); screw: μ (1 - u uᵀ) only; slider:
    all second moments; ball: the mass. μ leaves no second moment Σ m (uᵀr)² along u. A rotor that
    spins has nothing to give.
    """
    m, h, I = inertia
    if joint.kind is JointKind.PRISMATIC:
        return Inertia(0, ZERO, I)
    if joint.kind is JointKind.SPHERICAL:
        return Inertia(m, ZERO, NO_INERTIA.I)
    if joint.spins or not joint.is_scalar or _count(joint.axis) != 1:
        return NO_INERTIA
    u = [not is_zero(x) for x in joint.axis]
    xx, yy, zz = (-x if along else x for x, along in zip(I[:3], u, strict=True))
    mu = ratio(xx + yy + zz, 2)
    across = [0 if along else mu for along in u]
    if joint.kind not in HINGES:
        m, h = 0, ZERO
    along = tuple(x if here else 0 for x, here in zip(h, u, strict=True))
    return Inertia(m, along, (*across, 0, 0, 0))  # type: ignore[arg-type]


# ---- structural zeros


def _tidy(X: Pose) -> Pose:
    """Return the pose with whole numbers for zeros, which cost nothing."""
    return X.map(lambda x: 0 if is_zero(x) else x)


def _less(x: Scalar, y: Scalar) -> Scalar:
    difference = x - y
    return 0 if is_zero(difference) else difference


def _count(p: Vec) -> int:
    return sum(not is_zero(x) for x in p)


def _are_rational(v: Iterable[Scalar]) -> bool:
    return all(
        isinstance(x, int | Fraction) or (isinstance(x, Expr) and x.op == "const") for x in v
    )


def _fraction(x: Scalar) -> Fraction:
    return Fraction(x.value if isinstance(x, Expr) else x)
