"""The functions of a model, each a formula of the same name with typed arrays."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.model.calling import compiled
from dalembert.model.kinematic_functions import KinematicFunctions

if TYPE_CHECKING:
    from dalembert.expr import Expr
    from dalembert.model.calling import Out, Time, Values, Wrenches
    from dalembert.model.description import Description
    from dalembert.types import Array, ArrayLike


class Functions(KinematicFunctions, ABC):
    """What `Model` computes; arrays are ``(..., nq)`` and ``(..., nv)`` with leading batch axes.

    Every function takes two more inputs by keyword. ``t``, ``(...)`` in seconds, is needed where
    the equations depend on time, and refused elsewhere. ``parameters`` is needed where symbolic
    parameters were left without a value: an array ``(..., number of parameters)`` in the order of
    ``symbols.parameters``, or values by symbol or name.

    ``out`` takes the results instead of new arrays: one array, or a tuple of them, of the full
    shape; of backends whose arrays can be written.

    ``external`` of dynamics are wrenches (force, moment), ``(..., 6)`` in N and N m, by the name of
    the frame or link of a mechanism that they act on. ``reference`` says in which axes, as that of
    `jacobian`: "world", at the frame's origin in world axes; "body", in the frame's own; "spatial",
    in world axes with the moment about the world's origin.

    To add a function, write its formula as a method marked ``@function`` of `MechanismFormulas`,
    of `SystemFormulas` or of both, and here a method of the same name, marked ``@compiled``, that
    calls it. Certificates cover it where `certificates.expected.Expected` has a method of that
    name too.
    """

    description: Description

    # ---- dynamics

    @compiled
    def mass_matrix(
        self, q: ArrayLike, *, t: Time = None, parameters: Values = None, out: Out = None
    ) -> Array:
        """Return M(q), ``(..., nv, nv)``."""
        return self._calls("mass_matrix", (q,), {}, t, parameters, out)

    @compiled
    def coriolis(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return C(q, q̇) of the Christoffel symbols, ``(..., nv, nv)``: Ṁ - 2C is skew."""
        return self._calls("coriolis", (q, qd), {}, t, parameters, out)

    @compiled
    def gravity(
        self, q: ArrayLike, *, t: Time = None, parameters: Values = None, out: Out = None
    ) -> Array:
        """Return g(q) = ∂V/∂q of the weight, ``(..., nv)``; of a system, of its whole potential."""
        return self._calls("gravity", (q,), {}, t, parameters, out)

    @compiled
    def bias(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return h = C q̇ + N, ``(..., nv)``: what τ must be for zero acceleration."""
        return self._calls("bias", (q, qd), {}, t, parameters, out)

    @compiled
    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        external: Wrenches = None,
        reference: str = "world",
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return τ = M q̈ + C q̇ + N - Σ Jᵀ F, ``(..., nv)``, with wrenches F on frames if given."""
        return self._calls.forced(
            "inverse_dynamics", (q, qd, qdd), external, reference, t, parameters, out
        )

    @compiled
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        external: Wrenches = None,
        reference: str = "world",
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return q̈, ``(..., nv)``, for torques (of a system, for its inputs); constraints hold."""
        return self._calls.forced(
            "forward_dynamics", (q, qd, tau), external, reference, t, parameters, out
        )

    @compiled
    def constraint_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        external: Wrenches = None,
        reference: str = "world",
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> tuple[Array, Array]:
        """Return q̈ and λ, one for each row of A; a row that depends on earlier ones has λ = 0.

        Of a loop λ is the force, and where its frames are welded the moment, that acts on the link
        of the first frame, in world axes; of a coupling the effort on its joint. Rows and meaning
        are those of ``mechanism.equations().lam``; see docs/notation.md.
        """
        return self._calls.forced(
            "constraint_dynamics", (q, qd, tau), external, reference, t, parameters, out
        )

    @compiled
    def external_forces(
        self,
        q: ArrayLike,
        external: Wrenches,
        reference: str = "world",
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return Σ Jᵀ F of wrenches on frames, ``(..., nv)``: add it to the torques of a law."""
        return self._calls.forced("external_forces", (q,), external, reference, t, parameters, out)

    @compiled
    def passive_force(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return the generalized forces of springs, dampers and friction on a mechanism."""
        return self._calls("passive_force", (q, qd), {}, t, parameters, out)

    # ---- derivatives

    @compiled
    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        external: Wrenches = None,
        reference: str = "world",
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> tuple[Array, Array, Array]:
        """Return ∂τ/∂q, ∂τ/∂q̇ and ∂τ/∂q̈ = M, each ``(..., nv, nv)``.

        Configurations change along velocities: plain partial derivatives for scalar joints,
        derivatives along body-fixed motions for spherical and free ones.
        """
        return self._calls.forced(
            "inverse_dynamics_derivatives", (q, qd, qdd), external, reference, t, parameters, out
        )

    @compiled
    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        external: Wrenches = None,
        reference: str = "world",
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> tuple[Array, Array, Array]:
        """Return ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ = M⁻¹ (of a system ∂q̈/∂u)."""
        return self._calls.forced(
            "forward_dynamics_derivatives", (q, qd, tau), external, reference, t, parameters, out
        )

    @compiled
    def inverse_dynamics_second_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> tuple[Array, Array, Array, Array]:
        """Return ∂²τ/∂q², ∂²τ/∂q∂q̇, ∂²τ/∂q̇² and ∂M/∂q, each ``(..., nv, nv, nv)``."""
        return self._calls(
            "inverse_dynamics_second_derivatives", (q, qd, qdd), {}, t, parameters, out
        )

    # ---- energies, parameters

    @compiled
    def energy(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return T + V in joules, ``(...)``; of a bare Lagrangian q̇ᵀ ∂L/∂q̇ - L."""
        return self._calls("energy", (q, qd), {}, t, parameters, out)

    @compiled
    def kinetic_energy(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return T in joules, ``(...)``."""
        return self._calls("kinetic_energy", (q, qd), {}, t, parameters, out)

    @compiled
    def potential_energy(
        self, q: ArrayLike, *, t: Time = None, parameters: Values = None, out: Out = None
    ) -> Array:
        """Return V in joules, ``(...)``, of weight and springs."""
        return self._calls("potential_energy", (q,), {}, t, parameters, out)

    @compiled
    def regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return Y with τ = Y θ, ``(..., nv, number of θ)``.

        θ are the inertial parameters of every link and the numbers of its drives: rotors, joint
        and motor friction, springs; `regressor_parameters` has their names and values. The θ of
        ``equations().regressor()`` are products of symbols instead, as few as can be told apart.
        """
        return self._calls("regressor", (q, qd, qdd), {}, t, parameters, out)

    @property
    def regressor_parameters(self) -> tuple[tuple[str, ...], list[Expr]]:
        """Names and values of θ in τ = Y θ, where Y is `regressor`.

        Raises:
            InvalidMechanism: this is the model of a system.
        """
        return self.description.regressor_parameters

    @compiled
    def operational_space(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str,
        rows: Sequence[int] = range(6),
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> tuple[Array, Array, Array]:
        """Return Λ, μ and J̄ of some rows of a frame's J: F = Λ ẍ + μ, τ = Jᵀ F."""
        options = {"frame": frame, "rows": tuple(rows)}
        return self._calls("operational_space", (q, qd), options, t, parameters, out)

    # ---- constraints

    @compiled
    def constraint_error(
        self, q: ArrayLike, *, t: Time = None, parameters: Values = None, out: Out = None
    ) -> Array:
        """Return a(q), zero where loops are closed."""
        return self._calls("constraint_error", (q,), {}, t, parameters, out)

    @compiled
    def constraint_jacobian(
        self, q: ArrayLike, *, t: Time = None, parameters: Values = None, out: Out = None
    ) -> Array:
        """Return A with A q̇ = 0, ``(..., constraints, nv)``."""
        return self._calls("constraint_jacobian", (q,), {}, t, parameters, out)

    @compiled
    def constraint_bias(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
        out: Out = None,
    ) -> Array:
        """Return b with A q̈ + b = 0."""
        return self._calls("constraint_bias", (q, qd), {}, t, parameters, out)
