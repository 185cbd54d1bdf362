"""A system or mechanism with its kernels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MethodType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from dalembert.kernel.call.loop import Loop
from dalembert.kernel.compiler import Target, compile_program
from dalembert.model.calling import Calls

if TYPE_CHECKING:
    from dalembert.expr import Expr
    from dalembert.kernel.backends.c.header import CSource
    from dalembert.kernel.call.kernel import Kernel
    from dalembert.kernel.call.loop import LoopKernel
    from dalembert.kernel.program.program import Program
    from dalembert.kernel.program.trace import Expressions
    from dalembert.mechanics import Proof
    from dalembert.mechanism import Mechanism
    from dalembert.model.calling import Time, Values
    from dalembert.model.configuration import Configuration
    from dalembert.model.description import Description, Symbols
    from dalembert.model.source.sources import Chosen
    from dalembert.types import Array, ArrayLike, Scalar

ON_HOST = ("llvm", "c", "numpy")
"""Backends that compute on the processor, with arrays of NumPy."""

Made = TypeVar("Made")


class Model:
    """Functions of the state; arrays are ``(..., nq)`` and ``(..., nv)`` with leading batch axes.

    M(q) q̈ + C(q, q̇) q̇ + N(q, q̇) = Υ + A(q)ᵀ λ. Joints are in the order of the description,
    ``print(model)`` lists them. Quaternions are (w, x, y, z), velocities of a free joint are its
    body-fixed twist (linear, angular). Units are SI: metres, radians, newtons, newton metres.

    Every function takes two more inputs by keyword. ``t``, ``(...)`` in seconds, is needed where
    the equations depend on time, and refused elsewhere. ``parameters`` is needed where symbolic
    parameters were left without a value: an array ``(..., number of parameters)`` in the order of
    ``symbols.parameters``, or values by symbol or name.

    To add a function, write its formula as a method marked ``@function`` of `MechanismFormulas`,
    of `SystemFormulas` or of both, and here a method of the same name that calls it. Certificates
    cover it where `certificates.expected.Expected` has a method of that name too.

    Attributes:
        description: What it is a model of.
        backend: Where its functions run.
    """

    def __init__(self, description: Description, target: Target) -> None:
        self.description = description
        self.backend = target.backend
        self._target = target
        self._calls = Calls(description, target, self._install_fast_call)
        self._made: dict[Hashable, Any] = {}

    # ---- what it is

    @property
    def name(self) -> str:
        """The name of the robot; "system" where there is none."""
        return self.description.name

    @property
    def nq(self) -> int:
        """Numbers of a configuration."""
        return len(self.symbols.q)

    @property
    def nv(self) -> int:
        """Numbers of a velocity."""
        return len(self.symbols.qd)

    @property
    def symbols(self) -> Symbols:
        """The symbols of q, q̇, q̈, inputs and open parameters, to write laws with."""
        return self.description.symbols

    @property
    def configuration(self) -> Configuration:
        """Names and bounds of q, and steps on its manifold."""
        return self.description.configuration

    @property
    def mechanism(self) -> Mechanism:
        """Links, joints and frames.

        Raises:
            InvalidMechanism: this is the model of a system, which has none.
        """
        return self.description.mechanism

    def __repr__(self) -> str:
        return f"Model({self.name}, nq={self.nq}, nv={self.nv}, {self.backend})"

    def __str__(self) -> str:
        return f"{self!r}\n{self.description}"

    # ---- dynamics

    def mass_matrix(self, q: ArrayLike, *, t: Time = None, parameters: Values = None) -> Array:
        """Return M(q), ``(..., nv, nv)``."""
        return self._calls("mass_matrix", (q,), {}, t, parameters)

    def coriolis(
        self, q: ArrayLike, qd: ArrayLike, *, t: Time = None, parameters: Values = None
    ) -> Array:
        """Return C(q, q̇) of the Christoffel symbols, ``(..., nv, nv)``: Ṁ - 2C is skew."""
        return self._calls("coriolis", (q, qd), {}, t, parameters)

    def gravity(self, q: ArrayLike, *, t: Time = None, parameters: Values = None) -> Array:
        """Return g(q) = ∂V/∂q of the weight, ``(..., nv)``; of a system, of its whole potential."""
        return self._calls("gravity", (q,), {}, t, parameters)

    def bias(
        self, q: ArrayLike, qd: ArrayLike, *, t: Time = None, parameters: Values = None
    ) -> Array:
        """Return h = C q̇ + N, ``(..., nv)``: what τ must be for zero acceleration."""
        return self._calls("bias", (q, qd), {}, t, parameters)

    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
    ) -> Array:
        """Return τ = M q̈ + C q̇ + N, ``(..., nv)``."""
        return self._calls("inverse_dynamics", (q, qd, qdd), {}, t, parameters)

    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
    ) -> Array:
        """Return q̈, ``(..., nv)``, for torques (of a system, for its inputs); constraints hold."""
        return self._calls("forward_dynamics", (q, qd, tau), {}, t, parameters)

    def constraint_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
    ) -> tuple[Array, Array]:
        """Return q̈ and λ, one for each row of A; a row that depends on earlier ones has λ = 0.

        Of a loop λ is the force, and where its frames are welded the moment, that acts on the link
        of the first frame, in world axes; of a coupling the effort on its joint. Rows and meaning
        are those of ``mechanism.equations().lam``; see docs/notation.md.
        """
        return self._calls("constraint_dynamics", (q, qd, tau), {}, t, parameters)

    def passive_force(
        self, q: ArrayLike, qd: ArrayLike, *, t: Time = None, parameters: Values = None
    ) -> Array:
        """Return the generalized forces of springs, dampers and friction on a mechanism."""
        return self._calls("passive_force", (q, qd), {}, t, parameters)

    # ---- derivatives

    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
    ) -> tuple[Array, Array, Array]:
        """Return ∂τ/∂q, ∂τ/∂q̇ and ∂τ/∂q̈ = M, each ``(..., nv, nv)``.

        Configurations change along velocities: plain partial derivatives for scalar joints,
        derivatives along body-fixed motions for spherical and free ones.
        """
        return self._calls("inverse_dynamics_derivatives", (q, qd, qdd), {}, t, parameters)

    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
    ) -> tuple[Array, Array, Array]:
        """Return ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ = M⁻¹ (of a system ∂q̈/∂u)."""
        return self._calls("forward_dynamics_derivatives", (q, qd, tau), {}, t, parameters)

    def inverse_dynamics_second_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
    ) -> tuple[Array, Array, Array, Array]:
        """Return ∂²τ/∂q², ∂²τ/∂q∂q̇, ∂²τ/∂q̇² and ∂M/∂q, each ``(..., nv, nv, nv)``."""
        return self._calls("inverse_dynamics_second_derivatives", (q, qd, qdd), {}, t, parameters)

    # ---- energies, parameters

    def energy(
        self, q: ArrayLike, qd: ArrayLike, *, t: Time = None, parameters: Values = None
    ) -> Array:
        """Return T + V in joules, ``(...)``; of a bare Lagrangian q̇ᵀ ∂L/∂q̇ - L."""
        return self._calls("energy", (q, qd), {}, t, parameters)

    def kinetic_energy(
        self, q: ArrayLike, qd: ArrayLike, *, t: Time = None, parameters: Values = None
    ) -> Array:
        """Return T in joules, ``(...)``."""
        return self._calls("kinetic_energy", (q, qd), {}, t, parameters)

    def potential_energy(self, q: ArrayLike, *, t: Time = None, parameters: Values = None) -> Array:
        """Return V in joules, ``(...)``, of weight and springs."""
        return self._calls("potential_energy", (q,), {}, t, parameters)

    def regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        t: Time = None,
        parameters: Values = None,
    ) -> Array:
        """Return Y with τ = Y θ, ``(..., nv, number of θ)``.

        θ are the inertial parameters of every link and the numbers of its drives: rotors, joint
        and motor friction, springs; `regressor_parameters` has their names and values. The θ of
        ``equations().regressor()`` are products of symbols instead, as few as can be told apart.
        """
        return self._calls("regressor", (q, qd, qdd), {}, t, parameters)

    @property
    def regressor_parameters(self) -> tuple[tuple[str, ...], list[Expr]]:
        """Names and values of θ in τ = Y θ, where Y is `regressor`.

        Raises:
            InvalidMechanism: this is the model of a system.
        """
        return self.description.regressor_parameters

    # ---- kinematics

    def forward_kinematics(
        self,
        q: ArrayLike,
        frame: str | None = None,
        *,
        t: Time = None,
        parameters: Values = None,
    ) -> Array:
        """Return the pose X_WF of a frame or link as ``(..., 4, 4)``.

        Without a name: of every link, ``(..., links, 4, 4)``, in the order of the description.
        """
        fast = self._calls.fast.get(("forward_kinematics", ("frame", frame)))
        if fast is not None and t is None and parameters is None:
            return fast(q)
        return self._calls("forward_kinematics", (q,), {"frame": frame}, t, parameters)

    def jacobian(
        self,
        q: ArrayLike,
        frame: str,
        reference: str = "world",
        *,
        t: Time = None,
        parameters: Values = None,
    ) -> Array:
        """Return J of a frame, ``(..., 6, nv)``, rows (linear, angular).

        ``reference`` "world": velocity of the frame's origin in world axes; "body": in its own;
        "spatial": of the point at the world's origin.
        """
        fast = self._calls.fast.get(("jacobian", ("frame", frame), ("reference", reference)))
        if fast is not None and t is None and parameters is None:
            return fast(q)
        options = {"frame": frame, "reference": reference}
        return self._calls("jacobian", (q,), options, t, parameters)

    def jacobian_rate(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str,
        *,
        t: Time = None,
        parameters: Values = None,
    ) -> Array:
        """Return J̇ of the world reference, ``(..., 6, nv)``."""
        return self._calls("jacobian_rate", (q, qd), {"frame": frame}, t, parameters)

    def center_of_mass(self, q: ArrayLike, *, t: Time = None, parameters: Values = None) -> Array:
        """Return the centre of mass of the moving links in the world, ``(..., 3)``."""
        return self._calls("center_of_mass", (q,), {}, t, parameters)

    def centroidal_momentum(
        self, q: ArrayLike, qd: ArrayLike, *, t: Time = None, parameters: Values = None
    ) -> Array:
        """Return linear, and angular momentum about the centre of mass, ``(..., 6)``."""
        return self._calls("centroidal_momentum", (q, qd), {}, t, parameters)

    def operational_space(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str,
        rows: Sequence[int] = range(6),
        *,
        t: Time = None,
        parameters: Values = None,
    ) -> tuple[Array, Array, Array]:
        """Return Λ, μ and J̄ of some rows of a frame's J: F = Λ ẍ + μ, τ = Jᵀ F."""
        options = {"frame": frame, "rows": tuple(rows)}
        return self._calls("operational_space", (q, qd), options, t, parameters)

    # ---- constraints

    def constraint_error(self, q: ArrayLike, *, t: Time = None, parameters: Values = None) -> Array:
        """Return a(q), zero where loops are closed."""
        return self._calls("constraint_error", (q,), {}, t, parameters)

    def constraint_jacobian(
        self, q: ArrayLike, *, t: Time = None, parameters: Values = None
    ) -> Array:
        """Return A with A q̇ = 0, ``(..., constraints, nv)``."""
        return self._calls("constraint_jacobian", (q,), {}, t, parameters)

    def constraint_bias(
        self, q: ArrayLike, qd: ArrayLike, *, t: Time = None, parameters: Values = None
    ) -> Array:
        """Return b with A q̈ + b = 0."""
        return self._calls("constraint_bias", (q, qd), {}, t, parameters)

    # ---- functions by name

    def call(
        self,
        function: str,
        /,
        *arrays: ArrayLike,
        t: Time = None,
        parameters: Values = None,
        **options: object,
    ) -> Any:
        """Return the outputs of a function by its name: an array, or a tuple of them.

        The options are those of the method of that name, such as ``frame="tip"``.
        """
        return self._calls(function, arrays, options, t, parameters)

    def kernel(self, function: str, **options: object) -> Kernel:
        """Return the compiled function of a name, to look at its program and its cost."""
        return self._calls.kernel(function, options)

    def program(self, function: str, **options: object) -> Program:
        """Return the program of a function: what all backends run, after all passes."""
        return self._calls.program(function, options)

    # ---- functions of one's own

    def expressions(self, function: str, /, *values: Sequence[Scalar], **options: object) -> Any:
        """Return a function of the model at expressions instead of its symbols.

        The outputs are expressions in lists, one for each output where there are several. So a
        feedback law, a time step or a cost is written once and compiled whole:

        >>> import dalembert as da
        >>> model = da.compile(da.textbook.robots.ur5e())
        >>> q, qd = model.symbols.q, model.symbols.qd
        >>> law = [-10 * x - 2 * v for x, v in zip(q, qd)]
        >>> closed = model.compile(
        ...     model.expressions("forward_dynamics", q, qd, law), {"q": q, "qd": qd}
        ... )
        >>> closed([0.0] * 6, [0.0] * 6).shape
        (6,)

        Raises:
            InvalidExpression: the number or the length of the values does not fit.
            UnknownName: there is no function of that name.
        """
        from dalembert.model.formulas.substitute import apply

        return apply(self.description.formula(function, **options), values, function)

    def compile(
        self,
        outputs: Expressions | Mapping[str, Expressions],
        inputs: Expressions | Mapping[str, Expressions],
        *,
        name: str = "function",
    ) -> Kernel:
        """Return any expressions as a compiled function on this model's backend.

        Args:
            outputs: An expression, a list of any depth, a Matrix, or several of these by name.
            inputs: Symbols in the same forms: one array of the function for each name.
            name: The name that errors and generated code show.
        """
        return self._target.kernel(compile_program(outputs, inputs, name=name))

    def loop(
        self,
        outputs: Mapping[str, Expressions],
        inputs: Mapping[str, Expressions],
        carried: Mapping[str, str],
        *,
        stop: str | None = None,
        sequences: Sequence[str] = (),
        name: str = "loop",
    ) -> LoopKernel:
        """Return a compiled loop: steps on their own results, all inside one kernel.

        Args:
            outputs: One step, by name.
            inputs: Symbols by name.
            carried: The input that an output becomes in the next step.
            stop: A scalar output: a sample goes on while it is positive.
            sequences: Inputs with a row for each step.
            name: The name that errors and generated code show.
        """
        program = compile_program(outputs, inputs, name=name)
        return self._target.loop(Loop(program, tuple(carried.items()), stop, tuple(sequences)))

    # ---- other forms

    def prove(self) -> list[Proof]:
        """Return certificates: the very programs that run equal the Euler–Lagrange equations."""
        from dalembert.model.certificates.certify import prove_model

        return prove_model(self)

    @overload
    def source(
        self,
        language: Literal["c", "rolled_c"] = "c",
        *,
        functions: Chosen = ...,
        prefix: str | None = None,
        dtype: str | None = None,
    ) -> CSource: ...
    @overload
    def source(
        self, language: str, *, functions: Chosen = ..., dtype: str | None = None
    ) -> str: ...
    def source(self, language: str = "c", **options: Any) -> CSource | str:
        """Return generated code; `dalembert.model.source.sources.source` tells the options."""
        from dalembert.model.source.sources import source

        return source(self, language, **options)

    def jax(self, *, dtype: str = "float64") -> Model:
        """Return the same model with pure functions of JAX arrays: jit, vmap and grad apply."""
        return Model(self.description, Target("jax", dtype=dtype))

    def on_host(self) -> Model:
        """Return a model whose functions take and return NumPy arrays: itself if it does."""
        if self.backend in ON_HOST:
            return self
        return self.once("on_host", lambda: Model(self.description, Target("llvm")))

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what ``make`` returns, made at the first call with this key and then kept.

        What is kept lives as long as the model does.
        """
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def _install_fast_call(self, key: Hashable, kernel: Kernel) -> None:
        """Put a compiled function in the place of the method that calls it.

        A call with plain arrays then runs no Python; every other call goes on to the method. Name,
        docstring and signature stay those of the method. Functions with options are no such method.
        """
        if isinstance(key, str) and hasattr(type(self), key):
            method = MethodType(getattr(type(self), key), self)
            setattr(self, key, kernel.with_fast_calls(method))
