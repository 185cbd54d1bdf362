"""What a person gives to the builder, as the parts of a mechanism take it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.expr import Expr, total
from dalembert.mechanism.given import items
from dalembert.mechanism.parts.joint import JointKind, Limits, Mimic
from dalembert.mechanism.parts.law import Law
from dalembert.mechanism.parts.link import Frame
from dalembert.spatial.exact import exact, exact_vector, rotation_from_rpy
from dalembert.spatial.pose import Pose
from dalembert.spatial.scalar import is_zero
from dalembert.types import Scalar

AXES = {
    "x": (1, 0, 0),
    "y": (0, 1, 0),
    "z": (0, 0, 1),
    "-x": (-1, 0, 0),
    "-y": (0, -1, 0),
    "-z": (0, 0, -1),
}
Axis = str | Sequence[Scalar]
"""One of x, y, z, -x, -y, -z, or a direction of any length."""

Point = tuple[str, Sequence[Scalar]]
"""A link, and a point in its frame (m)."""


class Laws(TypedDict, total=False):
    """Energies of a spring as functions of its extensions, and of these and their rates.

    ``potential`` is V (J), ``dissipation`` Rayleigh's function R (W), whose derivative by a rate is
    the force against it.
    """

    potential: Callable[..., Scalar]
    dissipation: Callable[..., Scalar]


def laws_of(laws: Laws, num_extensions: int, where: str) -> tuple[Law | None, Law | None]:
    """Return the potential and the dissipation that were given."""
    known = ("potential", "dissipation")
    for name in laws:
        if name not in known:
            raise UnknownName(f"expected options of {where}, got {name!r} ({nearest(name, known)})")
    V, R = laws.get("potential"), laws.get("dissipation")
    return (
        None if V is None else Law.of(V, num_extensions, f"potential= of {where}"),
        None if R is None else Law.of_rates(R, num_extensions, f"dissipation= of {where}"),
    )


def terms_of(joints: object, where: str) -> dict[str, Scalar]:
    """Return factors by joint: those of a mapping, 1 each of a joint or a list.

    Raises:
        InvalidMechanism: there is no joint, what is there is no name, or a factor is 0.
    """
    if isinstance(joints, Mapping):
        pairs = list(joints.items())
    else:
        names = [joints] if isinstance(joints, str) else items(joints, None, "joints", where)
        pairs = [(name, 1) for name in names]
    if not pairs or not all(isinstance(name, str) for name, _ in pairs):
        raise InvalidMechanism(f"expected names of joints for {where}, got {joints!r:.80}")
    terms = {name: exact(k) for name, k in pairs}
    if any(is_zero(k) for k in terms.values()):
        raise InvalidMechanism(
            f"expected factors of the joints of {where} that are not 0, got {joints!r:.80}"
        )
    return terms


def with_matrices(laws: Laws, stiffness: object, damping: object, where: str) -> Laws:
    """Return laws with ½ xᵀ K x and ½ ẋᵀ D ẋ added to them."""
    K, D = _matrix(stiffness, f"stiffness of {where}"), _matrix(damping, f"damping of {where}")
    V, R = laws.get("potential"), laws.get("dissipation")
    new: Laws = {**laws}
    if K is not None:
        new["potential"] = lambda *x: _square(K, x) + (0 if V is None else V(*x))
    if D is not None:
        new["dissipation"] = lambda *x: _square(D, x[6:]) + (0 if R is None else R(*x))
    return new


def _square(A: list[list[Scalar]], x: Sequence[Expr]) -> Expr:
    """Return ½ xᵀ A x."""
    return (
        total([a * y * z for row, y in zip(A, x, strict=True) for a, z in zip(row, x, strict=True)])
        / 2
    )


def _matrix(given: Any, where: str) -> list[list[Scalar]] | None:
    """Return six numbers as a diagonal matrix, or a symmetric matrix; None for none."""
    if given is None:
        return None
    rows = [
        x if isinstance(x, Iterable) else [x] for x in items(given, [6], "6 numbers or rows", where)
    ]
    if all(len(list(row)) == 1 for row in rows):
        rows = [[x if i == j else 0 for j in range(6)] for i, (x,) in enumerate(rows)]
    A = [[exact(x) for x in items(row, [6], "a row of 6 numbers", where)] for row in rows]
    for i in range(6):
        for j in range(i):
            if A[i][j] != A[j][i]:
                raise InvalidMechanism(
                    f"expected a symmetric matrix for the {where}, got {A[i][j]} at ({i}, {j}) and "
                    f"{A[j][i]} at ({j}, {i}): what no energy has is for forces= of a simulation"
                )
    return A


def direction_of(axis: Axis, where: str) -> Sequence[Scalar]:
    """Return the direction of an axis."""
    direction = AXES.get(axis) if isinstance(axis, str) else axis
    if direction is None:
        raise InvalidMechanism(
            f"expected an axis x, y, z, -x, -y, -z or three numbers for {where}, got {axis!r}"
        )
    return direction


def ends_of(name: str, first: Point, second: Point) -> tuple[Frame, Frame]:
    """Return the two frames that a loop or a spring of that name joins."""
    expected = "a link and a point in its frame, (link, (x, y, z)),"
    ends = [items(end, [2], expected, repr(name)) for end in (first, second)]
    one, two = (
        Frame(f"{name}_{i}", link, Pose(p=exact_vector(point)))
        for i, (link, point) in enumerate(ends, 1)
    )
    return one, two


def kind_of(kind: JointKind | str, where: str) -> JointKind:
    """Return a kind of joint by its name."""
    kinds = {k.value: k for k in JointKind}
    found = kinds.get(kind) if isinstance(kind, str) else kind
    if not isinstance(found, JointKind):
        raise InvalidMechanism(
            f"expected a kind of joint for {where}, got {kind!r:.60} ({nearest(str(kind), kinds)})"
        )
    return found


def placement_of(origin: Sequence[Scalar], rpy: Sequence[float], where: str) -> Pose:
    """Return a pose of an origin and roll, pitch, yaw."""
    roll, pitch, yaw = items(rpy, [3], "roll, pitch and yaw", where)
    return Pose(rotation_from_rpy(roll, pitch, yaw), exact_vector(origin))


def limits_of(limits: Sequence[float | None] | None, where: str) -> Limits:
    """Return limits; none are open."""
    if limits is None:
        return Limits()
    return Limits(*items(limits, range(5), "(lower, upper), and perhaps velocity, effort,", where))


def mimic_of(mimic: Sequence[Any] | None, where: str) -> Mimic | None:
    """Return what a joint follows, if it does."""
    if mimic is None:
        return None
    joint, *numbers = items(mimic, [1, 2, 3], "(joint, multiplier, offset) to mimic", where)
    return Mimic(joint, *map(exact, numbers))
