"""An equivalent tree with the fewest numbers: the one from which fast kernels are traced.

Stages: links behind fixed joints join their parents; every link's frame becomes its joint's, which
is then moved along the axis to where lengths vanish; the part of each inertia that the joint does
not feel goes to the parent. All of it is exact, over rationals and expressions alike. M, τ, q̈ and
the kinetic energy stay what they are, and the potential energy up to `Tree.potential_constant`;
single masses and centres of mass do not.
References: M. Gautier and W. Khalil, Direct calculation of minimum set of inertial parameters of
serial robots, IEEE Transactions on Robotics and Automation 6 (1990).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dalembert.expr import Expr
from dalembert.mechanics.tree import Tree
from dalembert.mechanism import Frame, Joint, JointKind, Link, Mechanism, PointSpring
from dalembert.spatial.inertia import NO_INERTIA, Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import IDENTITY, ZERO, Mat, Vec, add, dot, neg, ratio, rotate, scale

TURNING = (JointKind.REVOLUTE, JointKind.CONTINUOUS)
NO_SECOND_MOMENTS = NO_INERTIA.I


@dataclass
class _Body:
    """A link that moves by itself, in the frame of its joint; number 0 is the root."""

    parent: int
    joint: Joint
    inertia: Inertia


def reduced(tree: Tree) -> Tree:
    """Return a tree with the same dynamics and fewer numbers.

    Frames and springs are carried along; a link's name is then a frame where the link was. Places
    in q and v stay.

    >>> import dalembert as da
    >>> arm = da.load("arm.urdf") if False else da.textbook.robots.planar_arm_nr(2)
    >>> reduced(Tree(arm)).nodes[1].inertia.m
    0
    """
    bodies, places = _lumped(tree.mechanism)
    _align(bodies, places)
    _slide(bodies, places)
    _regroup(bodies)
    constant = tree.potential_constant - dot(tree.gravity, bodies[0].inertia.h)
    return Tree(_rebuilt(tree.mechanism, bodies, places), constant)


Places = dict[str, tuple[int, Pose]]
"""For each original link the body that carries it, and its pose X_BL in that body."""


def _lumped(mechanism: Mechanism) -> tuple[list[_Body], Places]:
    """Join links behind fixed joints to their parents, and put each frame behind its joint."""
    root = Joint("", JointKind.FIXED, "", mechanism.root)
    bodies = [_Body(0, root, NO_INERTIA)]
    places: Places = {mechanism.root: (0, Pose())}
    for joint in mechanism.joints:
        number, X_BP = places[joint.parent]
        X_BJ = X_BP @ joint.placement
        inertia = mechanism.link(joint.child).inertia
        if joint.kind is JointKind.FIXED:
            X_BC = X_BJ @ joint.after
            bodies[number].inertia = bodies[number].inertia + inertia.moved(X_BC)
            places[joint.child] = (number, X_BC)
        else:
            if joint.spins:
                # a couple has no place
                X_BJ = Pose(X_BJ.R, ZERO)
            places[joint.child] = (len(bodies), joint.after)
            moved = replace(joint, placement=X_BJ, after=Pose())
            bodies.append(_Body(number, moved, inertia.moved(joint.after)))
    return bodies, places


def _align(bodies: Sequence[_Body], places: Places) -> None:
    """Turn joint frames so that a rational axis is a coordinate axis."""
    for i, body in enumerate(bodies):
        u = body.joint.axis
        if body.joint.is_scalar and sum(not is_zero(x) for x in u) > 1 and are_rational(u):
            R = _turn_to(u)
            body.joint = replace(body.joint, axis=(0, 0, 1))
            _reframe(bodies, places, i, Pose(R, ZERO))


def _turn_to(u: Vec) -> Mat:
    """Return the least rotation that takes z to the unit vector u ≠ -z; rational if u is."""
    x, y, z = (Fraction(k) for k in u)
    k = 1 / (1 + z)
    return (
        (1 - k * x * x, -k * x * y, x),
        (-k * x * y, 1 - k * y * y, y),
        (-x, -y, z),
    )


def _slide(bodies: Sequence[_Body], places: Places) -> None:
    """Move origins along the axes of joints, and of sliders anywhere, to where lengths vanish."""
    children: list[list[int]] = [[] for _ in bodies]
    for i, body in enumerate(bodies[1:], 1):
        children[body.parent].append(i)
    for i, body in enumerate(bodies):
        behind = [bodies[k].joint.placement.p for k in children[i]]
        best = min(_slides(body.joint), key=lambda t: _lengths(body.joint, t, behind), default=ZERO)
        if best != ZERO:
            _reframe(bodies, places, i, Pose(p=best))


def _slides(joint: Joint) -> Iterable[Vec]:
    """Yield displacements t of the origin, in the joint's frame, that leave its motion as it is."""
    yield ZERO
    R, p = joint.placement
    if joint.spins or not joint.is_scalar or joint.kind is JointKind.FIXED:
        return
    if joint.kind is JointKind.PRISMATIC:
        yield neg(_cleared(rotate(tuple(zip(*R, strict=True)), p)))  # type: ignore[arg-type]
        return
    u = joint.axis
    w = rotate(R, u)
    if are_rational(w):
        # p + d w has a zero where d = -p_k / w_k
        for pk, wk in zip(p, w, strict=True):
            if not is_zero(wk) and not is_zero(pk):
                yield scale(-pk * (1 / Fraction(_number(wk))), u)


def _lengths(joint: Joint, t: Vec, behind: Sequence[Vec]) -> tuple[int, int]:
    """Return how many lengths there are with the origin displaced by t, its own once more."""
    own = _count(_added(joint.placement.p, rotate(joint.placement.R, t)))
    return own + sum(_count(_added(p, neg(t))) for p in behind), own


def _count(p: Vec) -> int:
    return sum(not is_zero(x) for x in p)


def _added(a: Vec, b: Vec) -> Vec:
    """Return a + b, with rational rounding to nothing where both cancel."""
    return _cleared(add(a, b))


def _cleared(p: Vec) -> Vec:
    """Return a vector whose zeros are whole numbers."""
    return tuple(0 if is_zero(x) else x for x in p)  # type: ignore[return-value]


def _reframe(bodies: Sequence[_Body], places: Places, i: int, X_BN: Pose) -> None:
    """Give body i another frame N behind its joint, at X_BN in the old one."""
    body, X_NB = bodies[i], X_BN.inverse()
    X_PB = body.joint.placement
    X_PN = Pose((X_PB @ X_BN).R, _added(X_PB.p, rotate(X_PB.R, X_BN.p)))
    body.joint = replace(body.joint, placement=X_PN)
    body.inertia = body.inertia.moved(X_NB)
    for child in bodies[1:]:
        if child.parent == i and child is not body:
            X = X_NB @ child.joint.placement
            child.joint = replace(child.joint, placement=Pose(X.R, _cleared(X.p)))
    for name, (number, X_BL) in places.items():
        if number == i:
            places[name] = (number, X_NB @ X_BL)


def _regroup(bodies: Sequence[_Body]) -> None:
    """Move to each parent the part of the inertia that its joint does not feel."""
    for body in reversed(bodies[1:]):
        given = _unfelt(body.joint, body.inertia)
        if given != NO_INERTIA:
            body.inertia = _without(body.inertia, given)
            parent = bodies[body.parent]
            parent.inertia = parent.inertia + given.moved(body.joint.placement)


def _unfelt(joint: Joint, inertia: Inertia) -> Inertia:
    """Return a part δ with δ S = 0 that the joint's motion leaves as it is.

    Hinge about u: mass, first moment along u and μ (1 - u uᵀ); screw: μ (1 - u uᵀ) only; slider:
    all second moments; ball: the mass. Of the two transverse moments the first is the μ that goes.
    """
    m, h, I = inertia
    u = joint.axis
    if joint.kind is JointKind.PRISMATIC:
        return Inertia(0, ZERO, I)
    if joint.kind is JointKind.SPHERICAL:
        return Inertia(m, ZERO, NO_SECOND_MOMENTS)
    if not joint.is_scalar or _count(u) != 1:
        return NO_INERTIA
    k = next(i for i in range(3) if not is_zero(u[i]))
    # so that the second moment Σ_kk vanishes
    mu = ratio(I[(k + 1) % 3] + I[(k + 2) % 3] - I[k], 2)
    across: list[Any] = [mu, mu, mu, 0, 0, 0]
    across[k] = 0
    if joint.kind not in TURNING:
        return Inertia(0, ZERO, tuple(across))  # type: ignore[arg-type]
    along = tuple(h[i] if i == k else 0 for i in range(3))
    return Inertia(m, along, tuple(across))  # type: ignore[arg-type]


def _without(a: Inertia, b: Inertia) -> Inertia:
    """Return a - b with whole zeros."""

    def less(x: Any, y: Any) -> Any:
        return 0 if x is y or is_zero(x - y) else x - y

    return Inertia(
        less(a.m, b.m),
        tuple(map(less, a.h, b.h)),  # type: ignore[arg-type]
        tuple(map(less, a.I, b.I)),  # type: ignore[arg-type]
    )


def _rebuilt(mechanism: Mechanism, bodies: Sequence[_Body], places: Places) -> Mechanism:
    """Return the mechanism of these bodies, with every frame where it was."""
    names = [body.joint.child for body in bodies]

    def carried(frame: Frame) -> Frame:
        number, X_BL = places[frame.link]
        return Frame(frame.name, names[number], X_BL @ frame.placement)

    moved = [
        Frame(name, name) for name, (_, X) in places.items() if name not in names or X != Pose()
    ]
    return replace(
        mechanism,
        links=tuple(
            mechanism.links[0] if i == 0 else Link(name, body.inertia, True)
            for i, (name, body) in enumerate(zip(names, bodies, strict=True))
        ),
        joints=tuple(replace(b.joint, parent=names[b.parent]) for b in bodies[1:]),
        frames=tuple(carried(frame) for frame in (*mechanism.frames, *moved)),
        loops=tuple(
            loop._replace(first=carried(loop.first), second=carried(loop.second))
            for loop in mechanism.loops
        ),
        springs=tuple(
            spring._replace(first=carried(spring.first), second=carried(spring.second))
            if isinstance(spring, PointSpring)
            else spring
            for spring in mechanism.springs
        ),
    )


def are_rational(v: Iterable[Any]) -> bool:
    """Tell whether all scalars are rational numbers, expressions of one included."""
    return all(
        isinstance(x, int | Fraction) or (isinstance(x, Expr) and x.op == "const") for x in v
    )


def _number(x: Any) -> Any:
    return x.value if isinstance(x, Expr) else x
