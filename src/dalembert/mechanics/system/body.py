"""Bodies and loads: what has inertia, and what acts on it by virtual work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dalembert.errors import InvalidSystem, Undecided
from dalembert.expr import (
    Expr,
    Kind,
    Matrix,
    Replacements,
    Scalar,
    as_expr,
    ddt,
    free_symbols,
    is_kind,
    jacobian,
    symbol_text,
    total,
)
from dalembert.expr.data import packable
from dalembert.mechanics.system.physics import check_moments, require_nonnegative
from dalembert.ring import equal
from dalembert.spatial import angular_velocity
from dalembert.spatial.rotation.check import rotation_defects

Vector = Matrix | Sequence[Scalar]


def as_vector(v: Vector, what: str) -> Matrix:
    """Return a column of two or three entries."""
    if isinstance(v, str) or not isinstance(v, Iterable):
        raise InvalidSystem(f"expected {what} with 2 or 3 components, got {v}: list all of them")
    column = v if isinstance(v, Matrix) else Matrix.column(v)
    if column.shape not in ((2, 1), (3, 1)):
        raise InvalidSystem(
            f"expected {what} with 2 or 3 components, got shape {column.shape}: list all of them"
        )
    return column


@packable
@dataclass(frozen=True)
class Body:
    """A rigid body at the position of its centre of mass; a particle when it has no inertia.

    In the plane ``orientation`` is an angle and ``inertia`` a scalar; in space ``orientation`` is
    a 3 × 3 rotation matrix R (body to world) and ``inertia`` the 3 × 3 tensor in the body frame.
    Numbers must be those of a body: mass and moments are not negative, no moment is above the sum
    of the others, but one alone may be given, of a shaft that turns about one axis.
    ``accept_nonphysical`` lets others pass, as those of a hole in another body.
    """

    mass: Scalar
    position: Vector
    inertia: Scalar | Matrix | None = None
    orientation: Scalar | Matrix | None = None
    accept_nonphysical: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", as_expr(self.mass))
        object.__setattr__(self, "position", as_vector(self.position, "a position"))
        if (self.inertia is None) != (self.orientation is None):
            raise InvalidSystem(
                "expected inertia and orientation together, got one of them: "
                "a particle has neither, a rigid body both"
            )
        if self.inertia is not None:
            self._check_rigid()
        self._check_numbers()

    def _check_rigid(self) -> None:
        """Check that inertia and orientation are those of one body, in the plane or in space."""
        spatial = isinstance(self.inertia, Matrix)
        if spatial != isinstance(self.orientation, Matrix):
            raise InvalidSystem(
                "expected a 3 × 3 inertia with a rotation matrix, or a scalar with an angle, "
                f"got {type(self.inertia).__name__} with {type(self.orientation).__name__}"
            )
        if isinstance(self.inertia, Matrix) and isinstance(self.orientation, Matrix):
            _check_inertia(self.inertia)
            _check_rotation(self.orientation)
        else:
            for name in ("inertia", "orientation"):
                object.__setattr__(self, name, as_expr(getattr(self, name)))

    @property
    def r(self) -> Matrix:
        """Position of the centre of mass."""
        assert isinstance(self.position, Matrix)
        return self.position

    def _check_numbers(self) -> None:
        """Refuse a mass and an inertia that no body has."""
        if self.accept_nonphysical:
            return
        require_nonnegative(self.mass, "a mass")
        if isinstance(self.inertia, Matrix):
            if not _is_of_one_axis(self.inertia):
                check_moments(self.inertia)
            else:
                require_nonnegative(total(self.inertia.entries), "a moment of inertia")
        elif self.inertia is not None:
            require_nonnegative(self.inertia, "a moment of inertia")

    def bind(self, values: Replacements) -> Body:
        """Return the body with values for some parameters and functions."""
        result = object.__new__(Body)
        # what was checked stays true for values: an inertia symmetric, a rotation one
        for name, part in vars(self).items():
            known = part.subs(values) if isinstance(part, Expr | Matrix) else part
            object.__setattr__(result, name, known)
        result._check_numbers()
        return result

    def rotation_rate(self) -> Matrix | None:
        """Return ω as a column (one entry in the plane), or None for a particle."""
        if self.orientation is None:
            return None
        return rotation_rate(self.orientation)

    def world_inertia(self) -> Matrix | None:
        """Return the tensor R I Rᵀ in world axes, or None for a particle."""
        if self.inertia is None:
            return None
        if isinstance(self.inertia, Matrix):
            assert isinstance(self.orientation, Matrix)
            return self.orientation @ self.inertia @ self.orientation.T
        return Matrix([[self.inertia]])

    def kinetic(self) -> Expr:
        """Return ½ m ṙᵀṙ + ½ ωᵀ (R I Rᵀ) ω."""
        v = self.r.map(ddt)
        T = as_expr(self.mass) * total([x**2 for x in v]) / 2
        w, inertia = self.rotation_rate(), self.world_inertia()
        if w is not None and inertia is not None:
            T = T + (w.T @ inertia @ w)[0] / 2
        return T


def _is_of_one_axis(I: Matrix) -> bool:
    """Tell whether one moment on the diagonal is all that a tensor has."""
    return sum(x != 0 for x in I.entries) == 1 and any(I[k, k] != 0 for k in range(3))


def _check_inertia(I: Matrix) -> None:
    if I.shape != (3, 3) or not equal(I, I.T):
        got = f"shape {I.shape}" if I.shape != (3, 3) else "one that is not"
        raise InvalidSystem(
            f"expected a symmetric 3 × 3 inertia tensor, got {got}: "
            "give moments on the diagonal and each product of inertia twice"
        )


def _check_rotation(R: Matrix) -> None:
    """Refuse a matrix that is not proved to be a rotation at every point."""
    if R.shape != (3, 3):
        got = f"shape {R.shape}"
    else:
        x, y, z = R.rows
        defects = [as_expr(e) for e in rotation_defects((x, y, z))]
        if _vanish(defects):
            return
        got = "columns that are not orthonormal and right-handed"
    raise InvalidSystem(
        f"expected a rotation matrix as orientation, got {got}: "
        "build it from da.rotation_x, da.rotation_y and da.rotation_z"
    )


def _vanish(exprs: Sequence[Expr]) -> bool:
    """Tell whether all expressions vanish identically; raise `Undecided` when nobody knows."""
    try:
        return equal(list(exprs), [0] * len(exprs))
    except Undecided:
        raise Undecided(
            "expected an orientation that is proved to be a rotation, got one whose columns are "
            "neither shown to be orthonormal nor found to differ: write it with fewer functions"
        ) from None


def rotation_rate(orientation: Scalar | Matrix) -> Matrix:
    """Return the angular velocity of an angle (one entry) or of a rotation matrix (three)."""
    if isinstance(orientation, Matrix):
        return angular_velocity(orientation)
    return Matrix.column([ddt(as_expr(orientation))])


@packable
@dataclass(frozen=True, kw_only=True)
class Load:
    """A force at a point, a torque on a body, or both (a wrench).

    ``force`` acts at the moving ``point`` (2 or 3 components); ``torque`` acts on the body whose
    ``orientation`` is an angle (scalar torque) or a rotation matrix (3 components, world axes).
    """

    force: Vector | None = None
    point: Vector | None = None
    torque: Scalar | Vector | None = None
    orientation: Scalar | Matrix | None = None

    def __post_init__(self) -> None:
        if (self.force is None) != (self.point is None):
            raise InvalidSystem("expected force and point together, got one of them: add the other")
        if (self.torque is None) != (self.orientation is None):
            raise InvalidSystem(
                "expected torque and orientation together, got one of them: add the other"
            )
        if self.force is None and self.torque is None:
            raise InvalidSystem(
                "expected a force at a point or a torque on a body, got neither: "
                "give force= and point=, or torque= and orientation="
            )

    def generalized(self, coordinates: Sequence[Expr]) -> list[Expr]:
        """Return ψⱼ = fᵀ ∂r/∂qⱼ + ξᵀ ∂ω/∂q̇ⱼ (virtual work; Savin 20 and 21)."""
        psi = Matrix.zeros(len(coordinates), 1)
        if self.force is not None and self.point is not None:
            f, r = as_vector(self.force, "a force"), as_vector(self.point, "a point")
            if f.shape != r.shape:
                raise InvalidSystem(
                    f"expected force and point of equal size, got {f.shape[0]} and {r.shape[0]}: "
                    "use 2 or 3 components for both"
                )
            _require_positions(r, coordinates, "point")
            psi = psi + jacobian(r, coordinates).T @ f
        if self.torque is not None and self.orientation is not None:
            w, xi = rotation_rate(self.orientation), self._torque(self.torque, self.orientation)
            angles = (
                self.orientation if isinstance(self.orientation, Matrix) else [self.orientation]
            )
            _require_positions([as_expr(x) for x in angles], coordinates, "orientation")
            psi = psi + jacobian(w, [q.dot for q in coordinates]).T @ xi
        return list(psi)

    def _torque(self, torque: Scalar | Vector, orientation: Scalar | Matrix) -> Matrix:
        """Return the torque with as many components as the angular velocity has."""
        spatial = isinstance(orientation, Matrix)
        given = list(torque) if isinstance(torque, Iterable) else [torque]
        if len(given) != (3 if spatial else 1):
            wanted = "3 components with a rotation matrix" if spatial else "a scalar with an angle"
            raise InvalidSystem(
                f"expected a torque that fits the orientation, {wanted}, got {len(given)} of them: "
                "in the plane use an angle, in space a rotation matrix"
            )
        return Matrix.column(given)


def _require_positions(exprs: Iterable[Expr], coordinates: Sequence[Expr], what: str) -> None:
    for x in free_symbols(list(exprs)):
        if is_kind(x, Kind.COORDINATE) and x not in coordinates:
            raise InvalidSystem(
                f"expected the {what} of a load as a function of the listed coordinates, got "
                f"{symbol_text(x)}: add it to coordinates=, or write the {what} without rates"
            )
