"""A system or mechanism with its kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, TypeVar, overload

from dalembert.elsewhere import OF_A_MODEL, unknown_attribute
from dalembert.errors import EvaluationError
from dalembert.expr.data import packable
from dalembert.kernel.compiler import ON_HOST, Target, compile_program
from dalembert.kernel.iteration import Iteration, compile_loop
from dalembert.model.actuation import Actuation, actuation_of
from dalembert.model.calling import Calls
from dalembert.model.functions import Functions
from dalembert.model.parts import (
    ModelFrame,
    ModelJoint,
    frame_of,
    joint_of,
    keyframe_of,
)

if TYPE_CHECKING:
    import casadi  # pyright: ignore[reportMissingImports]
    import numpy as np

    from dalembert.certificates import Certificate
    from dalembert.expr import Expr
    from dalembert.kernel.backends.c.header import CSource
    from dalembert.kernel.call.kernel import Kernel
    from dalembert.kernel.call.loop import LoopKernel
    from dalembert.kernel.program.program import Program
    from dalembert.kernel.program.trace import Expressions
    from dalembert.mechanics import Proof
    from dalembert.mechanism import Mechanism
    from dalembert.model.calling import Time, Values
    from dalembert.model.certificates.rounding.box import Bounds
    from dalembert.model.certificates.rounding.rounding import Rounding
    from dalembert.model.configuration import Configuration
    from dalembert.model.description import Description, Symbols
    from dalembert.model.distances.pairs import LinkPair
    from dalembert.model.distances.result import Distances
    from dalembert.model.source.sources import Chosen
    from dalembert.types import Array, ArrayLike, Scalar

Made = TypeVar("Made")


class Given(NamedTuple):
    """Values of parameters, by their symbols: inputs of the kernels that a simulation makes."""

    symbols: tuple[Expr, ...] = ()
    values: np.ndarray | tuple[()] = ()

    @property
    def by_symbol(self) -> dict[Expr, float]:
        """The values by symbol."""
        return dict(zip(self.symbols, map(float, self.values), strict=True))


@packable
class Model(Functions):
    """Functions of the state; arrays are ``(..., nq)`` and ``(..., nv)`` with leading batch axes.

    M(q) q̈ + C(q, q̇) q̇ + N(q, q̇) = Υ + A(q)ᵀ λ. Joints are in the order of the description,
    ``print(model)`` lists them. Quaternions are (w, x, y, z), velocities of a free joint are its
    body-fixed twist (linear, angular). Units are SI: metres, radians, newtons, newton metres.

    Functions of equations that depend on time take ``t=`` in seconds, those with parameters that
    have no value ``parameters=``: an array in the order of ``symbols.parameters``, or values by
    symbol or name.

    Attributes:
        description: What it is a model of.
        backend: Where its functions run.
        dtype: What they compute in and return, "float64" or "float32".
        given: Values of parameters with which simulations run; see `with_given`.
    """

    def __init__(self, description: Description, target: Target) -> None:
        self.backend = target.backend
        self.dtype = target.result_dtype
        self.description = description.in_dtype(self.dtype)
        self._target = target
        self._calls = Calls(self.description, target)
        self._made: dict[Hashable, Any] = {}
        self.given = Given()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise unknown_attribute("a Model", name, dir(type(self)), OF_A_MODEL)

    def packed_fields(self) -> dict[str, object]:
        """Return the arguments of `da.compile`: kernels come from the cache, or anew."""
        target = self._target
        return {
            **self.description.packed_fields(),
            "backend": target.backend,
            "threads": target.threads,
            "dtype": target.dtype,
        }

    @classmethod
    def from_packed(cls, **options: Any) -> Model:
        """Return the model that `da.compile` makes of these arguments."""
        from dalembert.model.compile import compile

        return compile(**options)

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

    def joint(self, name: str) -> ModelJoint:
        """Return a joint by name: kind, axis, limits, and its places in q and v.

        >>> import dalembert as da
        >>> model = da.compile(da.textbook.robots.ur5e())
        >>> model.joint("joint3").index
        2
        """
        return joint_of(self.mechanism, name)

    def frame(self, name: str) -> ModelFrame:
        """Return a frame or link by name: the link that carries it, and where on it."""
        return frame_of(self.mechanism, name)

    def keyframe(self, name: str) -> Array:
        """Return a named configuration of the mechanism, ``(nq,)`` in rad and m.

        >>> import dalembert as da
        >>> arm = da.textbook.robots.planar_arm_nr(2).add_keyframe("bent", {"joint2": 1.5})
        >>> da.compile(arm).keyframe("bent").tolist()
        [0.0, 1.5]
        """
        return self._own(keyframe_of(self.mechanism, name))

    @property
    def actuation(self) -> Actuation:
        """The actuators of a mechanism: names, bounds, and B with τ = B u.

        >>> import dalembert as da
        >>> da.compile(da.textbook.robots.ur5e()).actuation.matrix.shape
        (6, 6)
        """
        return self.once("actuation", lambda: actuation_of(self.mechanism))

    def distances(
        self,
        q: ArrayLike,
        pairs: Iterable[LinkPair] | None = None,
        *,
        exclude: Iterable[LinkPair] = (),
        within: float = math.inf,
        t: Time = None,
        parameters: Values = None,
    ) -> Distances:
        """Compute signed distances of collision shapes, with nearest points and Jacobians.

        Args:
            q: Configurations, ``(..., nq)``.
            pairs: Pairs of links. Default: all with collision shapes that are neither welded to
                each other nor joined by a joint.
            exclude: Pairs that are left out, such as ``semantics.disabled_collisions``.
            within: In m; larger distances by MuJoCo may be those of spheres about the shapes.

        Returns:
            Distances in m, negative where shapes overlap: in closed form of spheres, capsules and
            boxes, and of the first two and cylinders; of others and of hulls by MuJoCo 4, or, with
            a warning, of capsules about them. Links without shapes are refused.

        >>> import dalembert as da
        >>> rail, ball = da.Builder("rail"), da.mechanism.Sphere(0.5)
        >>> for x in "ab":
        ...     rail = rail.link(x).prismatic(f"j{x}", x, parent="world", axis="x").shape(x, ball)
        >>> found = da.compile(rail.build()).distances([0.0, 3.0])
        >>> found.distance.tolist(), found.jacobian.tolist()
        ([2.0], [[-1.0, 1.0]])
        """
        from dalembert.model.distances.call import distances_of

        return distances_of(self, q, pairs, exclude, within, t, parameters)

    def __repr__(self) -> str:
        return f"Model({self.name}, nq={self.nq}, nv={self.nv}, {self.backend})"

    def __str__(self) -> str:
        return f"{self!r}\n{self.description}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

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

    @property
    def extra_inputs(self) -> dict[str, Expr | Sequence[Expr]]:
        """Inputs of every function after its own: the time, parameters without a value."""
        return self._calls.extra_inputs

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
        turns: Iteration | None = None,
        name: str = "loop",
    ) -> LoopKernel:
        """Return a compiled loop: steps on their own results, all inside one kernel.

        Args:
            outputs: One step, by name.
            inputs: Symbols by name.
            carried: The input that an output becomes in the next step.
            stop: A scalar output: a sample goes on while it is positive.
            sequences: Inputs with a row for each step.
            turns: An iteration inside each step, whose symbols the outputs may have.
            name: The name that errors and generated code show.
        """
        loop = compile_loop(outputs, inputs, carried, stop, sequences, turns, name)
        return self._target.loop(loop)

    # ---- other forms

    def prove(self) -> list[Proof]:
        """Return certificates: the very programs that run equal the Euler–Lagrange equations.

        Beside each stands a bound on its rounding errors; see `rounding`.
        """
        from dalembert.model.certificates.certify import prove_model

        return prove_model(self)

    def certificate(self, name: str | None = None) -> Certificate:
        """Return the equations of motion with proofs in a file that needs no dalembert to check.

        Beside the claims of `Equations.certificate` it claims that the programs of the mass matrix
        and of inverse dynamics compute these equations, and up to four degrees of freedom that of
        forward dynamics.

        >>> import dalembert as da
        >>> claims = da.compile(da.textbook.cart_pole()).certificate("cart_pole")
        >>> sum(claims.check().values()), claims.claims[-1]
        (39, 'code_computes_the_equations')

        Raises:
            InvalidMechanism: free or ball joints, which have no coordinates of their own.
            InvalidExpression: a function that the checker has no rules for.
            TooLarge: equations that cannot be multiplied out.
        """
        from dalembert.model.certified import model_certificate

        return model_certificate(self, name)

    def rounding(
        self, function: str, box: Mapping[str, Bounds] | None = None, **options: object
    ) -> Rounding:
        """Return a bound on the rounding errors of a function for all inputs in a box.

        It holds for the very program that runs, in its order, with or without fused multiply-add:
        every operation rounds to the nearest float, and functions such as sin are off by at most a
        stated number of units in the last place. Outputs are compared with exact arithmetic on the
        same floats.

        Args:
            function: The name of a function.
            box: Bounds by input, such as ``{"q": 3.0, "qd": (-1, 2)}``: of |x|, for all numbers or
                for each, or in a tuple the lower and the upper ones. Inputs without bounds are
                within their limits, or within usual ones that the result states.
            options: Those of the function, such as ``frame="tip"``.

        >>> import dalembert as da
        >>> model = da.compile(da.textbook.robots.ur5e())
        >>> print(model.rounding("gravity"))
        |error| ≤ 5.6e-14 N m for |q| ≤ 6.283

        Raises:
            UnknownName: there is no such function, option or input.
            EvaluationError: bounds do not fit, or roundings of the backend are not known.
        """
        from dalembert.model.certificates.rounding.rounding import rounding_of

        return rounding_of(self, self.program(function, **options), box)

    @overload
    def source(
        self,
        language: Literal["c", "rolled_c", "casadi"] = "c",
        *,
        functions: Chosen = ...,
        prefix: str | None = None,
        dtype: str | None = None,
    ) -> CSource: ...
    @overload
    def source(
        self, language: str, *, functions: Chosen = ..., dtype: str | None = None
    ) -> str: ...
    def source(
        self,
        language: str = "c",
        *,
        functions: Chosen = ("inverse_dynamics", "mass_matrix", "forward_dynamics"),
        prefix: str | None = None,
        dtype: str | None = None,
    ) -> CSource | str:
        """Return generated code: the same programs that the model runs.

        Args:
            language: "c" gives a `CSource` with ``.header``, ``.source`` and ``.save(folder)``;
                "rolled_c" the same with loops over joints, small at any number of them, for
                microcontrollers; "casadi" the first with exact Jacobians and the interface of
                `casadi.external`, for acados and other solvers; "cuda" and "llvm" give text, one
                kernel after the other, "python" and "matlab" that of a file that needs no other.
            functions: Names of functions; with options as ``("jacobian", {"frame": "tip"})``. A
                function that is chosen several times has its options in its names in the code:
                ``jacobian_tip``, ``jacobian_elbow``.
            prefix: Of the names in C; the name of the robot unless given.
            dtype: "float64" or "float32"; unless given that of a model on the processor, else the
                first, and for CUDA the second.

        Raises:
            UnknownName: another language, or a function that the model does not have.
            InvalidMechanism: rolled C of a system, which has no joints to loop over.
        """
        from dalembert.model.source.sources import source

        return source(self, language, functions, prefix, dtype)

    def jax(self, *, dtype: str = "float64") -> Model:
        """Return the same model with pure functions of JAX arrays: jit, vmap and grad apply."""
        return Model(self.description, Target("jax", dtype=dtype))

    def torch(self, *, dtype: str = "float64") -> Model:
        """Return the same model with functions of PyTorch's tensors, which have gradients."""
        return Model(self.description, Target("torch", dtype=dtype))

    def casadi(self, function: str, **options: object) -> casadi.Function:
        """Return a function of the model as a graph of CasADi, for optimal control.

        Its inputs and outputs have the names of the model's, with one column for a vector; CasADi
        differentiates it exactly. ``source("casadi")`` gives the same as compiled code.

        >>> import dalembert as da
        >>> model = da.compile(da.textbook.robots.ur5e())
        >>> f = model.casadi("forward_dynamics")
        >>> f.name_in(), f.size_out(0)
        (['q', 'qd', 'tau'], (6, 1))

        Raises:
            MissingDependency: CasADi is not installed.
            UnknownName: there is no such function or option.
        """
        from dalembert.kernel.backends.casadi.function import casadi_function

        return casadi_function(self.program(function, **options))

    def on_host(self) -> Model:
        """Return a model whose functions are of NumPy arrays of doubles: itself if they are."""
        if self.backend in ON_HOST and self.dtype == "float64":
            return self
        return self.once("on_host", lambda: Model(self.description, Target("llvm")))

    def with_given(self, given: Given) -> Model:
        """Return this model with values of its open parameters, and of those of laws, to run with.

        All that was compiled is shared: another value is another number in the same code.
        """
        other = copy(self)
        other.given = given
        return other

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what ``make`` returns, made at the first call with this key and then kept.

        What is kept lives as long as the model does.
        """
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


def check_model(model: object, what: str) -> None:
    """Raise for a system, a mechanism or anything else that was not compiled.

    Raises:
        EvaluationError: it is no `Model`.
    """
    if not isinstance(model, Model):
        raise EvaluationError(
            f"expected a model for {what}, got a {type(model).__name__}: compile a system or "
            "mechanism first, model = da.compile(…)"
        )
