"""A system or mechanism with its kernels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, partial
from types import MethodType
from typing import TYPE_CHECKING, Any, TypeVar

from dalembert.errors import EvaluationError, InvalidMechanism

if TYPE_CHECKING:
    from dalembert.expr import BySymbol, Scalar
    from dalembert.kernel.call.kernel import Kernel
    from dalembert.kernel.program.program import Program
    from dalembert.mechanics import Proof, System
    from dalembert.mechanism import Mechanism
    from dalembert.model.configuration import Configuration
    from dalembert.model.description import Description, Symbols

ON_HOST = ("llvm", "c", "numpy")
"""Backends that compute on the processor, with arrays of NumPy."""

Made = TypeVar("Made")


def compile(
    description: System | Mechanism,
    backend: str = "llvm",
    *,
    parameters: BySymbol[Scalar] | None = None,
    passive: bool = True,
    smoothing: float | None = None,
    threads: int | None = None,
    dtype: str | None = None,
) -> Model:
    """Return the model of a system or mechanism; each function compiles at its first call.

    Args:
        description: What `da.load`, a builder or `da.System` gave.
        backend: "llvm" (machine code of this processor), "numpy" (also complex numbers), "c" (the
            system's C compiler), "cuda" or "jax".
        parameters: Values of symbolic parameters, by symbol or by name. Those without a value
            become an input of every function: ``model.mass_matrix(q, parameters=...)``.
        passive: Whether springs, dampers and friction of a mechanism act. Without them the
            functions are those of the rigid bodies alone.
        smoothing: Dry friction as tanh(v / smoothing) instead of its sign.
        threads: Cores for large batches; all that this process may use unless given.
        dtype: "float64" or "float32", for "cuda" and "jax".

    >>> import dalembert as da
    >>> model = da.compile(da.textbook.robots.ur5e())
    >>> model.mass_matrix([0.0, 0.1, 0.2, 0.3, 0.4, 0.5]).shape
    (6, 6)
    """
    from dalembert.mechanics import System
    from dalembert.mechanism import Mechanism

    if isinstance(description, Mechanism):
        from dalembert.model.formulas.mechanism import MechanismFormulas

        if parameters:
            description = description.bind(parameters)
        about: Description = MechanismFormulas(description, passive=passive, smoothing=smoothing)
    elif isinstance(description, System):
        from dalembert.model.formulas.system import SystemFormulas

        if not passive or smoothing is not None:
            raise InvalidMechanism(
                "expected passive= and smoothing= with a mechanism, got a system: "
                "its dissipation and forces say what acts"
            )
        about = SystemFormulas(description.bind(parameters or {}))
    else:
        raise InvalidMechanism(
            f"expected a System or a Mechanism to compile, got {type(description).__name__}: "
            "da.compile_function takes expressions"
        )
    return Model(about, backend, {"threads": threads, "dtype": dtype})


class Model:
    """Functions of the state; arrays are ``(..., nq)`` and ``(..., nv)`` with leading batch axes.

    M(q) q̈ + C(q, q̇) q̇ + N(q, q̇) = Υ + A(q)ᵀ λ. Joints are in the order of the description,
    ``print(model)`` lists them. Quaternions are (w, x, y, z), velocities of a free joint are its
    body-fixed twist (linear, angular).
    """

    def __init__(self, description: Description, backend: str, options: Mapping[str, Any]) -> None:
        from dalembert.kernel.compiler import Target

        self.description = description
        self.backend = backend
        self._target = Target(backend, **options)
        self._kernels: dict[Any, Kernel] = {}
        self._fast_calls: dict[Any, Any] = {}
        self._made: dict[Hashable, Any] = {}

    # ---- what it is

    @property
    def nq(self) -> int:
        """Numbers of a configuration."""
        return len(self.symbols.q)

    @property
    def nv(self) -> int:
        """Numbers of a velocity."""
        return len(self.symbols.qd)

    @property
    def name(self) -> str:
        """The name of the robot; "system" where there is none."""
        return self.description.name

    @property
    def symbols(self) -> Symbols:
        """The symbols of q, q̇, q̈, inputs and parameters, to write laws with."""
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

    # ---- for those who work with a model

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what ``make`` returns, made at the first call with this key and then kept.

        What is kept lives as long as the model does.
        """
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def on_host(self) -> Model:
        """Return a model whose functions take and return NumPy arrays: itself if it does."""
        if self.backend in ON_HOST:
            return self
        return self.once("on_host", lambda: Model(self.description, "llvm", {}))

    # ---- dynamics

    def mass_matrix(self, q: Any, **extra: Any) -> Any:
        """Return M(q), ``(..., nv, nv)``."""
        return self.call("mass_matrix", q, **extra)

    def coriolis(self, q: Any, qd: Any, **extra: Any) -> Any:
        """Return C(q, q̇) of the Christoffel symbols: Ṁ - 2C is skew."""
        return self.call("coriolis", q, qd, **extra)

    def gravity(self, q: Any, **extra: Any) -> Any:
        """Return g(q) = ∂V/∂q."""
        return self.call("gravity", q, **extra)

    def bias(self, q: Any, qd: Any, **extra: Any) -> Any:
        """Return h = C q̇ + N."""
        return self.call("bias", q, qd, **extra)

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any, **extra: Any) -> Any:
        """Return τ = M q̈ + C q̇ + N."""
        return self.call("inverse_dynamics", q, qd, qdd, **extra)

    def forward_dynamics(self, q: Any, qd: Any, tau: Any, **extra: Any) -> Any:
        """Return q̈; loops and constraints hold."""
        return self.call("forward_dynamics", q, qd, tau, **extra)

    def constraint_dynamics(self, q: Any, qd: Any, tau: Any, **extra: Any) -> Any:
        """Return q̈ and λ; a constraint that depends on earlier ones has λ = 0."""
        return self.call("constraint_dynamics", q, qd, tau, **extra)

    def passive_force(self, q: Any, qd: Any, **extra: Any) -> Any:
        """Return the generalized forces of springs, dampers and friction on a mechanism."""
        return self.call("passive_force", q, qd, **extra)

    # ---- derivatives

    def inverse_dynamics_derivatives(self, q: Any, qd: Any, qdd: Any, **extra: Any) -> Any:
        """Return ∂τ/∂q, ∂τ/∂q̇ and ∂τ/∂q̈ = M, each ``(..., nv, nv)``.

        Configurations change along velocities: plain partial derivatives for scalar joints,
        derivatives along body-fixed motions for spherical and free ones.
        """
        return self.call("inverse_dynamics_derivatives", q, qd, qdd, **extra)

    def forward_dynamics_derivatives(self, q: Any, qd: Any, tau: Any, **extra: Any) -> Any:
        """Return ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ = M⁻¹ (of a system ∂q̈/∂u)."""
        return self.call("forward_dynamics_derivatives", q, qd, tau, **extra)

    def inverse_dynamics_second_derivatives(self, q: Any, qd: Any, qdd: Any, **extra: Any) -> Any:
        """Return ∂²τ/∂q², ∂²τ/∂q∂q̇, ∂²τ/∂q̇² and ∂M/∂q, each ``(..., nv, nv, nv)``."""
        return self.call("inverse_dynamics_second_derivatives", q, qd, qdd, **extra)

    # ---- energies, parameters

    def energy(self, q: Any, qd: Any, **extra: Any) -> Any:
        """Return T + V."""
        return self.call("energy", q, qd, **extra)

    def kinetic_energy(self, q: Any, qd: Any, **extra: Any) -> Any:
        """Return T."""
        return self.call("kinetic_energy", q, qd, **extra)

    def potential_energy(self, q: Any, **extra: Any) -> Any:
        """Return V."""
        return self.call("potential_energy", q, **extra)

    def regressor(self, q: Any, qd: Any, qdd: Any, **extra: Any) -> Any:
        """Return Y with τ = Y θ; see `regressor_parameters`."""
        return self.call("regressor", q, qd, qdd, **extra)

    @property
    def regressor_parameters(self) -> tuple[tuple[str, ...], list[Any]]:
        """Names and values of θ: inertias, rotors, friction, springs."""
        return self.description.regressor_parameters

    # ---- kinematics

    def forward_kinematics(self, q: Any, frame: str | None = None, **extra: Any) -> Any:
        """Return the pose of a frame or link as ``(..., 4, 4)``.

        Without a name: of every link, in the order of the description.
        """
        fast = self._fast_calls.get(("forward_kinematics", frame))
        if fast is not None and not extra:
            return fast(q)
        return self.call("forward_kinematics", q, frame=frame, **extra)

    def jacobian(self, q: Any, frame: str, reference: str = "world", **extra: Any) -> Any:
        """Return J of a frame, ``(..., 6, nv)``, rows (linear, angular).

        ``reference`` "world": velocity of the frame's origin in world axes; "body": in its own;
        "spatial": of the point at the world's origin.
        """
        fast = self._fast_calls.get(("jacobian", frame, reference))
        if fast is not None and not extra:
            return fast(q)
        return self.call("jacobian", q, frame=frame, reference=reference, **extra)

    def jacobian_rate(self, q: Any, qd: Any, frame: str, **extra: Any) -> Any:
        """Return J̇ of the world reference."""
        return self.call("jacobian_rate", q, qd, frame=frame, **extra)

    def center_of_mass(self, q: Any, **extra: Any) -> Any:
        """Return the centre of mass of the moving links in the world."""
        return self.call("center_of_mass", q, **extra)

    def centroidal_momentum(self, q: Any, qd: Any, **extra: Any) -> Any:
        """Return linear momentum, and angular momentum about the centre of mass."""
        return self.call("centroidal_momentum", q, qd, **extra)

    def operational_space(
        self, q: Any, qd: Any, frame: str, rows: Sequence[int] = range(6), **extra: Any
    ) -> Any:
        """Return Λ, μ and J̄ of some rows of a frame's J: F = Λ ẍ + μ, τ = Jᵀ F."""
        return self.call("operational_space", q, qd, frame=frame, rows=tuple(rows), **extra)

    # ---- constraints

    def constraint_error(self, q: Any, **extra: Any) -> Any:
        """Return a(q), zero where loops are closed."""
        return self.call("constraint_error", q, **extra)

    def constraint_jacobian(self, q: Any, **extra: Any) -> Any:
        """Return A with A q̇ = 0."""
        return self.call("constraint_jacobian", q, **extra)

    def constraint_bias(self, q: Any, qd: Any, **extra: Any) -> Any:
        """Return b with A q̈ + b = 0."""
        return self.call("constraint_bias", q, qd, **extra)

    # ---- a law in the loop

    def closed_loop(
        self, law: Sequence[Any], inputs: Mapping[str, Any] | None = None, *, name: str = "law"
    ) -> Kernel:
        """Return q̈ = f(q, q̇, …) with the torques given by expressions, in one kernel.

        Args:
            law: One expression for each of `inputs`, of the symbols `q`, `qd` and of ``inputs``.
            inputs: Further inputs of the kernel by name: symbols or lists of them.
        """
        more = tuple((inputs or {}).items())
        return self._make("closed_loop", {"law": tuple(law), "more": more}, name)

    # ---- functions of one's own

    def expressions(self, function: str, *values: Sequence[Any], **options: Any) -> Any:
        """Return a function of the model at expressions instead of its symbols.

        The outputs are expressions in lists, one for each output where there are several. So a
        time step, a solver's iteration or a cost is written once and compiled whole, by `compile`
        or `loop`.
        """
        from dalembert.model.formulas.substitute import apply

        return apply(self.description.formula(function, **options), values, function)

    def compile(self, outputs: Any, inputs: Any, *, name: str = "function") -> Kernel:
        """Return any expressions as a compiled function on this model's backend."""
        from dalembert.kernel.compiler import compile_program

        return self._target.kernel(compile_program(outputs, inputs, name=name))

    def loop(
        self,
        outputs: Mapping[str, Any],
        inputs: Mapping[str, Any],
        carried: Mapping[str, str],
        *,
        stop: str | None = None,
        sequences: Sequence[str] = (),
        name: str = "loop",
    ) -> Any:
        """Return a compiled loop: steps on their own results, all inside one kernel.

        Args:
            outputs: One step, by name.
            inputs: Symbols by name.
            carried: The input that an output becomes in the next step.
            stop: A scalar output: a sample goes on while it is positive.
            sequences: Inputs with a row for each step.
        """
        from dalembert.kernel.call.loop import Loop
        from dalembert.kernel.compiler import compile_program

        program = compile_program(outputs, inputs, name=name)
        return self._target.loop(Loop(program, tuple(carried.items()), stop, tuple(sequences)))

    def taylor(
        self,
        rates: Sequence[Any],
        state: Sequence[Any],
        constants: Mapping[str, Any] | None = None,
        *,
        order: int = 20,
        name: str = "taylor",
    ) -> Any:
        """Return the Taylor coefficients of the solution of ẋ = f(x) as a function of x.

        Args:
            rates: f, one expression for each symbol of the state.
            state: Symbols; time may be one of them, with the rate 1.
            constants: Further inputs by name, which do not change in time.
            order: The highest power of time; the result has one row for each power from 0.
        """
        from dalembert.kernel.compiler import compile_series

        return compile_series(rates, state, constants, order=order, name=name)

    # ---- the compiled functions themselves

    def kernel(self, name: str, **options: Any) -> Kernel:
        """Return the compiled function of that name; options as its method takes them."""
        key = (name, *options.items()) if options else name
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels[key] = self._make(name, options, name)
            if not self._extra_inputs:
                kernel.on_compiled(partial(self._install_fast_call, key))
        return kernel

    def call(self, function: str, *arrays: Any, **options: Any) -> Any:
        """Call a function by name; ``t`` and ``parameters`` are inputs, the rest its options."""
        if self._extra_inputs or "parameters" in options or "t" in options:
            extra = self._extra_arrays(function, options)
            return self.kernel(function, **options)(*arrays, *extra)
        key = (function, *options.items()) if options else function
        fast = self._fast_calls.get(key)
        return self.kernel(function, **options)(*arrays) if fast is None else fast(*arrays)

    def _install_fast_call(self, key: Any, kernel: Kernel) -> None:
        """Put compiled functions in the place of the methods that call them.

        A call with plain arrays then runs little or no Python; every other call goes on to the
        method or the kernel, as before. Name, docstring and signature stay those of the method.
        """
        self._fast_calls[key] = kernel.with_fast_calls(kernel)
        if isinstance(key, tuple):
            # the values alone: what methods of frames ask for
            self._fast_calls[key[0], *(value for _, value in key[1:])] = self._fast_calls[key]
        elif hasattr(type(self), key):
            method = MethodType(getattr(type(self), key), self)
            setattr(self, key, kernel.with_fast_calls(method))

    def program(self, name: str, **options: Any) -> Program:
        """Return the program of a function: what all backends run, after all passes."""
        return self._trace(name, options, name)

    def _make(self, function: str, options: Mapping[str, Any], name: str) -> Kernel:
        return self._target.kernel(self._trace(function, options, name))

    def _trace(self, function: str, options: Mapping[str, Any], name: str) -> Program:
        from dalembert.kernel.compiler import collection_paused, compile_program

        with collection_paused():
            formula = self.description.formula(function, **options)
            inputs = {**formula.inputs, **self._extra_inputs}
            return compile_program(formula.outputs, inputs, name=name)

    @cached_property
    def _extra_inputs(self) -> dict[str, Any]:
        from dalembert.expr import time

        extra: dict[str, Any] = {"t": time} if self.description.is_timed else {}
        if self.symbols.parameters:
            extra["parameters"] = self.symbols.parameters
        return extra

    def _extra_arrays(self, function: str, options: dict[str, Any]) -> list[Any]:
        """Take time and parameters out of the options, in the order of the kernel's inputs."""
        arrays, extra = [], self._extra_inputs
        for name in ("t", "parameters"):
            if name in options and name not in extra:
                what = "does not depend on time" if name == "t" else "has no parameter left"
                raise EvaluationError(
                    f"expected no {name}= in the call of {function}, got one: the model {what}"
                )
        for name in extra:
            value = options.pop(name, None)
            if value is None:
                from dalembert.expr import symbol_text

                names = ", ".join(map(symbol_text, self.symbols.parameters))
                what = f"parameters= for {names}" if name == "parameters" else "the time t="
                raise EvaluationError(
                    f"expected {what} in the call of {function}, got nothing: give it, or bind "
                    "values with da.compile(..., parameters=...)"
                )
            if name == "parameters" and isinstance(value, Mapping):
                value = self._parameter_array(value)
            arrays.append(value)
        return arrays

    def _parameter_array(self, values: Mapping[Any, Any]) -> Any:
        """Return values by symbol or name as one array ``(..., number of parameters)``."""
        import numpy as np

        from dalembert.expr import by_symbol, symbol_text

        known = self.symbols.parameters
        given = by_symbol(known, values)
        missing = ", ".join(symbol_text(x) for x in known if x not in given)
        if missing:
            raise EvaluationError(f"expected a value for every parameter, got none for {missing}")
        return np.stack(np.broadcast_arrays(*(given[x] for x in known)), axis=-1)

    # ---- other faces

    def prove(self) -> list[Proof]:
        """Return certificates: the very programs that run equal the Euler–Lagrange equations."""
        from dalembert.model.certificates.certify import prove_model

        return prove_model(self)

    def source(self, language: str = "c", **options: Any) -> Any:
        """Return generated code; see `dalembert.model.source.sources`."""
        from dalembert.model.source.sources import source

        return source(self, language, **options)

    def jax(self, *, dtype: str = "float64") -> Model:
        """Return the same model with pure functions of JAX arrays: jit, vmap and grad apply."""
        return Model(self.description, "jax", {"dtype": dtype})
