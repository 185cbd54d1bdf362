"""Names, bounds and steps of a configuration: what the numbers of q stand for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr.data import packable
from dalembert.mechanism import Joint, JointKind, Mechanism
from dalembert.model.border import finite_array
from dalembert.recursions.manifold import difference, integrate
from dalembert.recursions.tree import Tree

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike

PARTS = {
    JointKind.SPHERICAL: (("w", "x", "y", "z"), ("wx", "wy", "wz")),
    JointKind.FLOATING: (
        ("x", "y", "z", "qw", "qx", "qy", "qz"),
        ("vx", "vy", "vz", "wx", "wy", "wz"),
    ),
}


@packable
class Configuration:
    """The configuration space of a mechanism or system.

    ``q_names`` and ``v_names`` have a name for each number of q and of q̇. The arrays ``lower``,
    ``upper`` (of q), ``velocity`` and ``effort`` (of q̇ and τ) have ±∞ where there is no bound.
    """

    def __init__(
        self, q_names: Sequence[str], v_names: Sequence[str], mechanism: Mechanism | None = None
    ) -> None:
        self.q_names, self.v_names = tuple(q_names), tuple(v_names)
        self._mechanism = mechanism
        self._joints = mechanism.moving_joints if mechanism else ()

    def packed_fields(self) -> dict[str, object]:
        """Return the arguments of the constructor."""
        return {
            "q_names": self.q_names,
            "v_names": self.v_names,
            "mechanism": self._mechanism,
        }

    @classmethod
    def of_coordinates(cls, names: Sequence[str]) -> Configuration:
        """Return the configuration space of coordinates without bounds."""
        return cls(names, names)

    @classmethod
    def of_joints(cls, mechanism: Mechanism) -> Configuration:
        """Return the configuration space of the joints of a mechanism."""
        joints = mechanism.moving_joints
        return cls(_names(joints, 0), _names(joints, 1), mechanism)

    @cached_property
    def neutral(self) -> Array:
        """The configuration of zeros, with unit quaternions."""
        q: list[float] = []
        for joint in self._joints:
            at = [0.0] * joint.nq
            if joint.kind in PARTS:
                at[-4] = 1.0
            q += at
        return np.array(q) if self._joints else np.zeros(len(self.q_names))

    @cached_property
    def lower(self) -> Array:
        """Lower bounds of q."""
        return self._bounds("lower", -math.inf, "nq")

    @cached_property
    def upper(self) -> Array:
        """Upper bounds of q."""
        return self._bounds("upper", math.inf, "nq")

    @cached_property
    def velocity(self) -> Array:
        """Bounds of |q̇|."""
        return self._bounds("velocity", math.inf, "nv")

    @cached_property
    def effort(self) -> Array:
        """Bounds of |τ|."""
        return self._bounds("effort", math.inf, "nv")

    def _bounds(self, name: str, none: float, size: str) -> Array:
        if not self._joints:
            return np.full(len(self.q_names), none)
        values: list[float] = []
        for joint in self._joints:
            value = getattr(joint.limits, name) if joint.is_scalar else None
            # a continuous joint turns for ever, whatever its file says
            if joint.kind is JointKind.CONTINUOUS and name in ("lower", "upper"):
                value = None
            values += [none if value is None else float(value)] * getattr(joint, size)
        return np.array(values)

    @cached_property
    def is_flat(self) -> bool:
        """Whether q is a vector: no quaternion in it."""
        return not any(joint.kind in PARTS for joint in self._joints)

    @cached_property
    def quaternions(self) -> tuple[int, ...]:
        """The places in q where quaternions begin."""
        places, at = [], 0
        for joint in self._joints:
            if joint.kind in PARTS:
                places.append(at + joint.nq - 4)
            at += joint.nq
        return tuple(places)

    @cached_property
    def turns(self) -> tuple[int, ...]:
        """The places in q̇ of rates of joint angles (rad/s); of a system none, it has no units."""
        found, place = [], 0
        for joint in self._joints:
            # of a free body the last three
            own = range(place, place + joint.nv) if joint.turn else ()
            found += list(own)[-3:]
            place += joint.nv
        return tuple(found)

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: ArrayLike = 1.0) -> Array:
        """Return q moved with the constant velocity v for the time dt, ``(..., nq)``."""
        q, v, dt = self.positions_of(q, "q"), self.velocities_of(v), finite_array(dt, "dt")
        with np.errstate(over="ignore", invalid="ignore"):
            if self.is_flat:
                return _result(q + dt[..., None] * v if dt.ndim else q + dt * v, "q + v dt")
            moved = integrate(self._tree, _places(q), _places(v), dt)
        return _result(_stacked(moved), "q moved by v dt")

    def difference(self, start: ArrayLike, end: ArrayLike) -> Array:
        """Return the velocity that takes start to end in unit time, the shortest, ``(..., nv)``."""
        start, end = self.positions_of(start, "start"), self.positions_of(end, "end")
        with np.errstate(over="ignore", invalid="ignore"):
            if self.is_flat:
                return _result(end - start, "end - start")
            v = difference(self._tree, _places(start), _places(end))
        return _result(_stacked(v), "the velocity from start to end")

    def transport(self, v: ArrayLike) -> Array:
        """Return G, ``(..., nv, nv)``: along a motion a deviation η of q has η̇ = δv + G η.

        It vanishes where q is a vector. Deviations of orientations are body-fixed, X exp(η): then
        η̇ = δv - [v, η], with ω × of a ball, and with the bracket of twists of a free body.
        """
        v = self.velocities_of(v)
        G = np.zeros((*v.shape, v.shape[-1]))
        at = 0
        for joint in self._joints:
            if joint.kind in PARTS:
                turn = _cross(v[..., at + joint.nv - 3 : at + joint.nv])
                for k in range(at, at + joint.nv, 3):
                    G[..., k : k + 3, k : k + 3] = -turn
                if joint.nv == 6:
                    G[..., at : at + 3, at + 3 : at + 6] = -_cross(v[..., at : at + 3])
            at += joint.nv
        return G

    def interpolate(self, start: ArrayLike, end: ArrayLike, part: ArrayLike) -> Array:
        """Return q a part (0 to 1) of the shortest way from start to end, ``(..., nq)``."""
        return self.integrate(start, self.difference(start, end), part)

    def distance(self, start: ArrayLike, end: ArrayLike) -> Array:
        """Return |difference|, metres and radians together, ``(...)``."""
        v = self.difference(start, end)
        # beside the largest entry no square overflows or vanishes
        size = np.abs(v).max(axis=-1, keepdims=True, initial=np.finfo(float).tiny)
        return size[..., 0] * np.linalg.norm(v / size, axis=-1)

    def random(
        self, seed: int | np.random.Generator | None = None, size: int | tuple[int, ...] = ()
    ) -> Array:
        """Return configurations within the bounds, drawn evenly, ``(*size, nq)``.

        Where there are none, angles lie in ± π and lengths in ± 1; orientations are uniform.
        """
        rng = np.random.default_rng(seed)
        batch = (size,) if isinstance(size, int) else tuple(size)
        lower, upper = self._box
        q = rng.uniform(lower, upper, (*batch, len(lower)))
        for k in self.quaternions:
            q[..., k : k + 4] = rng.normal(size=(*batch, 4))
        return self.normalized(q)

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        """Finite bounds to draw from."""
        reach: list[float] = []
        for joint in self._joints:
            reach += [math.pi if joint.turn and joint.is_scalar else 1.0] * joint.nq
        half = np.array(reach) if self._joints else np.ones(len(self.q_names))
        # as close to zero as a single bound allows
        middle = np.clip(0.0, self.lower + half, self.upper - half)
        bounded = np.isfinite(self.lower) & np.isfinite(self.upper)
        low, high = np.where(bounded, self.lower, middle - half), self.upper
        return low, np.where(bounded, high, middle + half)

    def normalized(self, q: ArrayLike) -> Array:
        """Return q with its quaternions scaled to length one."""
        q = self.positions_of(q, "q")
        for k in self.quaternions:
            part = q[..., k : k + 4]
            # first by the largest entry: the squares neither overflow nor vanish
            size = np.abs(part).max(axis=-1, keepdims=True, initial=0.0)
            if not size.all():
                raise EvaluationError(
                    f"expected a quaternion other than zero at {', '.join(self.q_names[k : k + 4])}"
                    ", got zeros: (1, 0, 0, 0) is no rotation"
                )
            part /= size
            part /= np.linalg.norm(part, axis=-1, keepdims=True)
        return q

    def positions_of(self, q: ArrayLike, name: str = "q", *, one: bool = False) -> Array:
        """Return configurations ``(..., nq)`` as finite numbers, or ``one`` of them ``(nq,)``."""
        return self._checked(q, name, self.q_names, one)

    def velocities_of(self, v: ArrayLike, name: str = "v", *, one: bool = False) -> Array:
        """Return velocities ``(..., nv)`` as finite numbers, or ``one`` of them ``(nv,)``."""
        return self._checked(v, name, self.v_names, one)

    def _checked(self, value: ArrayLike, name: str, labels: Sequence[str], one: bool) -> Array:
        shape = (len(labels),) if one else (..., len(labels))
        return finite_array(value, name, shape, labels=labels, remark=self.shape_remark)

    @cached_property
    def shape_remark(self) -> str:
        """What errors about the length of q and q̇ say besides: empty, or about mimic joints."""
        joints = self._mechanism.joints if self._mechanism else ()
        pairs = [f"{joint.name} follows {joint.mimic.joint}" for joint in joints if joint.mimic]
        shown = ", ".join([*pairs[:3], "…"] if len(pairs) > 3 else pairs)
        return f"; mimic joints have no numbers of their own ({shown})" if pairs else ""

    @cached_property
    def _tree(self) -> Tree:
        assert self._mechanism is not None
        return Tree.of(self._mechanism)


def _names(joints: Sequence[Joint], part: int) -> list[str]:
    """Return a name for each number of q (part 0) or of q̇ (part 1)."""
    names: list[str] = []
    for joint in joints:
        parts = PARTS.get(joint.kind)
        names += [f"{joint.name}.{p}" for p in parts[part]] if parts else [joint.name]
    return names


def _cross(w: Array) -> Array:
    """Return the matrix of w ×, ``(..., 3, 3)``."""
    a, b, c = np.moveaxis(w, -1, 0)
    zero = np.zeros_like(a)
    rows = [[zero, -c, b], [c, zero, -a], [-b, a, zero]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def _places(x: Array) -> Array:
    return np.moveaxis(x, -1, 0)


def _result(x: Array, what: str) -> Array:
    """Return what was computed, unless numbers as large as the given ones overflow in it."""
    if not np.isfinite(x).all():
        raise EvaluationError(f"expected numbers whose {what} is finite, got an overflow")
    return x


def _stacked(values: Sequence[ArrayLike]) -> Array:
    return np.stack(np.broadcast_arrays(*values), axis=-1)
