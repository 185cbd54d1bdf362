"""The functions of a model without forces: places, velocities, momenta, configurations."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING, TypeAlias

from dalembert.model.calling import compiled

if TYPE_CHECKING:
    import numpy as np

    from dalembert.model.calling import Calls, Out, Time, Values
    from dalembert.model.description import Description
    from dalembert.types import Array, ArrayLike

    Names: TypeAlias = str | list[str] | tuple[str, ...]
    """The name of a frame, or of several."""


class KinematicFunctions(ABC):
    """What `Model` computes of motion alone; see `Functions` for the inputs that all have.

    ``reference`` says in which axes, and of which point, velocities are: "world", the frame's
    origin in world axes; "body", the same in the frame's own axes; "spatial", the point at the
    world's origin, in world axes.
    """

    description: Description
    _calls: Calls

    # ---- frames

    @compiled
    def forward_kinematics(
        self,
        q: ArrayLike,
        frame: Names | None = None,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return the pose X_WF of a frame or link as ``(..., 4, 4)``.

        With several names: ``(..., frames, 4, 4)``, in one pass over the tree. Without a name: of
        every link, ``(..., links, 4, 4)``, in the order of the description.

        >>> import dalembert as da
        >>> model = da.compile(da.textbook.robots.ur5e())
        >>> model.forward_kinematics([0.1] * 6, ["link3", "link6"]).shape
        (2, 4, 4)
        """
        names = _hashable(frame)
        return self._calls("forward_kinematics", (q,), {"frame": names}, t, parameters, out)

    @compiled
    def jacobian(
        self,
        q: ArrayLike,
        frame: Names,
        reference: str = "world",
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return J of a frame, ``(..., 6, nv)``, rows (linear, angular).

        With several names: ``(..., frames, 6, nv)``, in one pass over the tree.

        ``reference`` "world": velocity of the frame's origin in world axes; "body": in its own;
        "spatial": of the point at the world's origin.
        """
        names = _hashable(frame)
        options = {"frame": names, "reference": reference}
        return self._calls("jacobian", (q,), options, t, parameters, out)

    @compiled
    def jacobian_rate(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str,
        reference: str = "world",
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return J̇ of a frame in the same reference, ``(..., 6, nv)``."""
        options = {"frame": frame, "reference": reference}
        return self._calls("jacobian_rate", (q, qd), options, t, parameters, out)

    @compiled
    def jacobian_derivatives(
        self,
        q: ArrayLike,
        frame: str,
        reference: str = "world",
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return ∂J/∂q, the kinematic Hessian, ``(..., 6, nv, nv)``: the last axis is that of ∂q.

        Configurations change along velocities, as in `inverse_dynamics_derivatives`.
        """
        options = {"frame": frame, "reference": reference}
        return self._calls("jacobian_derivatives", (q,), options, t, parameters, out)

    @compiled
    def relative_pose(
        self,
        q: ArrayLike,
        frame: str,
        base: str,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return the pose X_BF of a frame in the axes of another, ``(..., 4, 4)``."""
        return self._calls(
            "relative_pose", (q,), {"frame": frame, "base": base}, t, parameters, out
        )

    @compiled
    def relative_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        base: str,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return J of a frame as seen from another, ``(..., 6, nv)``, rows (linear, angular).

        J q̇ is the rate of p_BF and the angular velocity of R_BF, both in the axes of the base.
        """
        options = {"frame": frame, "base": base}
        return self._calls("relative_jacobian", (q,), options, t, parameters, out)

    @compiled
    def frame_velocity(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: Names,
        reference: str = "world",
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return J q̇ of a frame, ``(..., 6)``: linear in m/s, then angular in rad/s.

        With several names: ``(..., frames, 6)``, in one pass over the tree.
        """
        options = {"frame": _hashable(frame), "reference": reference}
        return self._calls("frame_velocity", (q, qd), options, t, parameters, out)

    @compiled
    def frame_acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        frame: str,
        reference: str = "world",
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return J q̈ + J̇ q̇ of a frame, ``(..., 6)``: linear in m/s², then angular in rad/s².

        It is the derivative of `frame_velocity` in the same reference. "world" is the acceleration
        of the frame's origin; the other two are derivatives of twists ("spatial accelerations"),
        whose linear part differs from it by ω × v.
        """
        options = {"frame": frame, "reference": reference}
        return self._calls("frame_acceleration", (q, qd, qdd), options, t, parameters, out)

    @compiled
    def frame_velocity_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str,
        reference: str = "world",
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> tuple[Array, Array]:
        """Return the derivatives of `frame_velocity` by q and by q̇ (J), each ``(..., 6, nv)``."""
        options = {"frame": frame, "reference": reference}
        return self._calls("frame_velocity_derivatives", (q, qd), options, t, parameters, out)

    @compiled
    def frame_acceleration_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        frame: str,
        reference: str = "world",
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> tuple[Array, Array, Array]:
        """Return those of `frame_acceleration` by q, q̇ and q̈ (J), each ``(..., 6, nv)``."""
        options = {"frame": frame, "reference": reference}
        return self._calls(
            "frame_acceleration_derivatives", (q, qd, qdd), options, t, parameters, out
        )

    # ---- the whole

    @compiled
    def center_of_mass(
        self, q: ArrayLike, *, t: Time = None, parameters: Values = None, out: Out = None
    ) -> Array:
        """Return the centre of mass of the moving links in the world, ``(..., 3)``."""
        return self._calls("center_of_mass", (q,), {}, t, parameters, out)

    @compiled
    def centroidal_momentum(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return linear, and angular momentum about the centre of mass, ``(..., 6)``."""
        return self._calls("centroidal_momentum", (q, qd), {}, t, parameters, out)

    @compiled
    def center_of_mass_jacobian(
        self, q: ArrayLike, *, t: Time = None, parameters: Values = None, out: Out = None
    ) -> Array:
        """Return J with J q̇ the velocity of the centre of mass, ``(..., 3, nv)``."""
        return self._calls("center_of_mass_jacobian", (q,), {}, t, parameters, out)

    @compiled
    def center_of_mass_jacobian_rate(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return d/dt of that, ``(..., 3, nv)``: its acceleration is J q̈ + J̇ q̇."""
        return self._calls("center_of_mass_jacobian_rate", (q, qd), {}, t, parameters, out)

    @compiled
    def centroidal_map(
        self, q: ArrayLike, *, t: Time = None, parameters: Values = None, out: Out = None
    ) -> Array:
        """Return A with the `centroidal_momentum` A q̇, ``(..., 6, nv)``."""
        return self._calls("centroidal_map", (q,), {}, t, parameters, out)

    @compiled
    def centroidal_map_rate(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return Ȧ, ``(..., 6, nv)``: forces and moments from outside add up to A q̈ + Ȧ q̇."""
        return self._calls("centroidal_map_rate", (q, qd), {}, t, parameters, out)

    # ---- configurations

    @property
    def neutral(self) -> Array:
        """The configuration of zeros, with unit quaternions, ``(nq,)``; loops may be open there."""
        return self._own(self.description.configuration.neutral.copy())

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: ArrayLike = 1.0) -> Array:
        """Return q moved with the constant velocity v for the time dt, ``(..., nq)``."""
        return self._own(self.description.configuration.integrate(q, v, dt))

    def difference(self, start: ArrayLike, end: ArrayLike) -> Array:
        """Return the velocity that takes start to end in unit time, the shortest, ``(..., nv)``."""
        return self._own(self.description.configuration.difference(start, end))

    def interpolate(self, start: ArrayLike, end: ArrayLike, part: ArrayLike) -> Array:
        """Return the configuration a part (0 to 1) of the way from start to end, ``(..., nq)``."""
        return self._own(self.description.configuration.interpolate(start, end, part))

    def distance(self, start: ArrayLike, end: ArrayLike) -> Array:
        """Return |difference|, metres and radians together, ``(...)``."""
        return self._own(self.description.configuration.distance(start, end))

    def random_configuration(
        self, seed: int | np.random.Generator | None = None, size: int | tuple[int, ...] = ()
    ) -> Array:
        """Return configurations within the limits, drawn evenly, ``(*size, nq)``.

        Without limits angles lie in ± π, slides and free bodies in ± 1 m; orientations are uniform.
        Loops and couplings are not closed there.

        Args:
            seed: A number that repeats the draw, or a generator to draw from; chance unless given.
            size: The batch axes.
        """
        return self._own(self.description.configuration.random(seed, size))

    def _own(self, array: Array) -> Array:
        """Return an array in the dtype of the model."""
        return array.astype(self.description.dtype, copy=False)


def _hashable(frame: Names | None) -> str | tuple[str, ...] | None:
    """Return one name as it is, several as a tuple: kernels are kept by their options."""
    return tuple(frame) if isinstance(frame, list) else frame
