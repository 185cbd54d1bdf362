"""Calls of a model's functions: kernels made once, inputs beside the state, fast calls."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

from dalembert.errors import EvaluationError, ShapeMismatch
from dalembert.expr import Expr, by_symbol, symbol_text, time
from dalembert.kernel.compiler import Target, collection_paused, compile_program

if TYPE_CHECKING:
    from dalembert.expr import BySymbol
    from dalembert.kernel.call.kernel import Call, Kernel
    from dalembert.kernel.program.program import Program
    from dalembert.model.description import Description
    from dalembert.types import Array, ArrayLike

    Time: TypeAlias = ArrayLike | None
    """The time t in seconds, ``(...)``; only for models whose equations depend on it."""
    Values: TypeAlias = ArrayLike | BySymbol[ArrayLike] | None
    """Values of the open parameters, in the order of `Symbols.parameters` as ``(..., n)``, or by
    symbol or name; only for models that have some."""
    Out: TypeAlias = Array | Sequence[Array] | None
    """Arrays to write results into: one, or a tuple of as many as there are results."""
    Wrenches: TypeAlias = Mapping[str, ArrayLike] | None
    """Wrenches (force, moment), ``(..., 6)``, by the name of the frame that they act on."""

Options: TypeAlias = Mapping[str, Any]
"""Options of a function, such as ``frame``: they choose the program, arrays do not."""


class Calls:
    """The functions of one description on one target; each is compiled at its first call.

    Attributes:
        fast: By `key_of`, compiled functions that run no Python for plain arrays.
        fast_by_values: The same by name and values of the options, which is quicker to look up; for
            functions that are always asked with the same options.

    Args:
        description: What gives the formulas.
        target: Where the programs run.
        notify: Told the key of a function and its kernel when fast calls of it become possible.
    """

    def __init__(
        self, description: Description, target: Target, notify: Callable[[Hashable, Kernel], None]
    ) -> None:
        self.description, self.target = description, target
        self.fast: dict[Hashable, Call] = {}
        self.fast_by_values: dict[tuple[object, ...], Call] = {}
        self._notify = notify
        self._kernels: dict[Hashable, Kernel] = {}

    def __call__(
        self,
        name: str,
        arrays: Sequence[ArrayLike],
        options: Options,
        t: Time,
        parameters: Values,
        out: Out = None,
    ) -> Any:
        """Return the outputs of a function for arrays, time and parameters."""
        if out is not None:
            extra = self._extra_arrays(name, t, parameters)
            return self._writing(name, options)(*arrays, *extra, out=out)
        if self.extra_inputs or t is not None or parameters is not None:
            extra = self._extra_arrays(name, t, parameters)
            return self.kernel(name, options)(*arrays, *extra)
        fast = self.fast.get(key_of(name, options) if options else name)
        try:
            return self.kernel(name, options)(*arrays) if fast is None else fast(*arrays)
        except ShapeMismatch as error:
            raise ShapeMismatch(f"{error}{self.description.configuration.shape_remark}") from None

    def forced(
        self,
        name: str,
        arrays: Sequence[ArrayLike],
        wrenches: Wrenches,
        reference: str,
        t: Time,
        parameters: Values,
        out: Out = None,
    ) -> Any:
        """Return a function under wrenches on frames; without them it is the plain function."""
        if wrenches is None or wrenches == {}:
            return self(name, arrays, {}, t, parameters, out)
        if not isinstance(wrenches, Mapping):
            raise EvaluationError(
                f"expected wrenches by the name of a frame in external= of {name}, got "
                f"{wrenches!r:.60}: write {{'tool': wrench}}"
            )
        frames = tuple(sorted(wrenches))
        options = {"external": frames, "reference": reference}
        return self(name, (*arrays, *(wrenches[x] for x in frames)), options, t, parameters, out)

    def kernel(self, name: str, options: Options) -> Kernel:
        """Return the compiled function of a name and options."""
        key = key_of(name, options)
        kernel = self._kernels.get(key)
        if kernel is None:
            rolled = self._rolled(name) if not options else None
            kernel = rolled or self.target.kernel(self.program(name, options))
            self._kernels[key] = kernel
            # time and parameters are converted in Python, so such calls have no fast way
            if not self.extra_inputs:
                kernel.on_compiled(partial(self._install_fast_call, key))
        return kernel

    def _rolled(self, name: str) -> Kernel | None:
        """Return a function of a long robot on a GPU as loops over joints; None for others."""
        if self.target.backend != "cuda" or self.extra_inputs:
            return None
        return self.description.rolled_kernel(name, self.target.result_dtype)

    def _writing(self, name: str, options: Options) -> Call:
        """Return a kernel that writes into given arrays.

        Raises:
            EvaluationError: those of this backend do not.
        """
        kernel = self.kernel(name, options)
        if not kernel.takes_out:
            raise EvaluationError(
                f"expected no out= in the call of {name} with the backend "
                f"{self.target.backend!r}, got one: it returns new arrays"
            )
        return kernel

    def program(self, name: str, options: Options) -> Program:
        """Return the program of a function: what all backends run, after all passes."""
        with collection_paused():
            formula = self.description.formula(name, **options)
            inputs = {**formula.inputs, **self.extra_inputs}
            program = compile_program(formula.outputs, inputs, name=name)
            return replace(program, units=self._units(program))

    def _units(self, program: Program) -> tuple[tuple[int, int], ...]:
        """Return where the inputs of a program are unit quaternions: in q."""
        places = self.description.configuration.quaternions
        ports = [k for k, port in enumerate(program.inputs) if port.name == "q"]
        return tuple((k, place) for k in ports for place in places)

    @cached_property
    def extra_inputs(self) -> dict[str, Expr | Sequence[Expr]]:
        """Inputs of every kernel after those of its formula: the time, open parameters."""
        extra: dict[str, Expr | Sequence[Expr]] = {}
        if self.description.is_timed:
            extra["t"] = time
        if self.description.symbols.parameters:
            extra["parameters"] = self.description.symbols.parameters
        return extra

    def _install_fast_call(self, key: Hashable, kernel: Kernel) -> None:
        self.fast[key] = kernel.with_fast_calls(kernel)
        if isinstance(key, tuple):
            name, *options = key
            self.fast_by_values[name, *(value for _, value in options)] = self.fast[key]
        self._notify(key, kernel)

    def _extra_arrays(self, function: str, t: Time, parameters: Values) -> list[ArrayLike]:
        """Return the values of the extra inputs.

        Raises:
            EvaluationError: one is missing, or given although the model has no use for it.
            UnknownName: a value is for no parameter of the model.
        """
        known = self.description.symbols.parameters
        if t is not None and "t" not in self.extra_inputs:
            raise _unused("t", function, "does not depend on time")
        if parameters is not None and not known:
            raise _unused("parameters", function, "has no parameter left")
        arrays: list[ArrayLike] = []
        if "t" in self.extra_inputs:
            if t is None:
                raise _missing("the time t=", function)
            arrays.append(t)
        if known:
            if parameters is None:
                names = ", ".join(map(symbol_text, known))
                raise _missing(f"parameters= for {names}", function)
            is_named = isinstance(parameters, Mapping)
            dtype = self.target.result_dtype
            arrays.append(_in_order(known, parameters, dtype) if is_named else parameters)
        return arrays


def key_of(name: str, options: Options) -> Hashable:
    """Return what a kernel is kept by: options in whatever order are the same."""
    return (name, *sorted(options.items())) if options else name


def _in_order(known: Sequence[Expr], values: BySymbol[ArrayLike], dtype: str) -> Array:
    """Return values by symbol or name as one array ``(..., number of parameters)``.

    Numbers and lists are of the dtype; arrays stay what they are.
    """
    import numpy as np

    given = by_symbol(known, values)
    missing = ", ".join(symbol_text(x) for x in known if x not in given)
    if missing:
        raise EvaluationError(f"expected a value for every parameter, got none for {missing}")
    ordered: list[Any] = [given[x] for x in known]
    # arrays of JAX, also those that it traces, and of CuPy stay what they are
    spaces = [x.__array_namespace__() for x in ordered if hasattr(x, "__array_namespace__")]
    xp = next((space for space in spaces if space is not np), np)
    arrays = [xp.asarray(x) for x in ordered]
    for i, (given, array) in enumerate(zip(ordered, arrays, strict=True)):
        if isinstance(given, float | list | tuple) and array.dtype.kind == "f":
            arrays[i] = array.astype(dtype)
    return xp.stack(xp.broadcast_arrays(*arrays), axis=-1)


def _unused(name: str, function: str, why: str) -> EvaluationError:
    return EvaluationError(
        f"expected no {name}= in the call of {function}, got one: the model {why}"
    )


def _missing(what: str, function: str) -> EvaluationError:
    return EvaluationError(
        f"expected {what} in the call of {function}, got nothing: give it, or bind values with "
        "da.compile(..., parameters=...)"
    )
