"""Calls of a model's functions: kernels made once, inputs beside the state, fast calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from types import MethodType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, cast

from dalembert.errors import EvaluationError, ShapeMismatch
from dalembert.expr import Expr, by_symbol, symbol_text, time
from dalembert.kernel.compiler import Target, collection_paused, compile_program

if TYPE_CHECKING:
    from dalembert.expr import BySymbol
    from dalembert.kernel.call.door import Door
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

OPTIONS = ("frame",)
"""Parameters of methods, after the arrays, that are options."""

Method = TypeVar("Method", bound=Callable[..., Any])


class _Compiled:
    """A method of a model that is looked up once: the model's own attribute then stands for it."""

    def __init__(self, method: Callable[..., Any]) -> None:
        # doctest, pydoc and inspect look for these
        self.__doc__, self.__module__ = method.__doc__, method.__module__
        self.__name__, self.__wrapped__ = method.__name__, method
        self.method = method

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self.method
        found = model._calls.method(MethodType(self.method, model))
        vars(model)[self.method.__name__] = found
        return found


def compiled(method: Method) -> Method:
    """Mark a method of a model whose plain calls run no Python once its kernel is compiled."""
    return cast("Method", _Compiled(method))


class Calls:
    """The functions of one description on one target; each is compiled at its first call.

    Args:
        description: What gives the formulas.
        target: Where the programs run.
    """

    def __init__(self, description: Description, target: Target) -> None:
        self.description, self.target = description, target
        self._kernels: dict[Hashable, Kernel] = {}
        self._ways: dict[str, Way] = {}
        # kernels by the name of their function, with the options that chose them
        self._compiled: dict[str, dict[Hashable, tuple[Options, Kernel]]] = {}

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
        try:
            return self.kernel(name, options)(*arrays)
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
                kernel.on_compiled(partial(self._offer, name, options))
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

    def method(self, method: MethodType) -> Call:
        """Return what stands for a method of the model: a function that runs no Python if it can.

        It may be held from before its first call.
        """
        name, way = method.__name__, Way.of(method)
        door = way and self.target.door(method, way.inputs, way.option)
        if way is None or door is None:
            return method
        self._ways[name] = way._replace(door=door)
        for options, kernel in self._compiled.get(name, {}).values():
            self._lead(name, options, kernel)
        return door.function

    def _offer(self, name: str, options: Options, kernel: Kernel) -> None:
        self._compiled.setdefault(name, {})[key_of(name, options)] = options, kernel
        self._lead(name, options, kernel)

    def _lead(self, name: str, options: Options, kernel: Kernel) -> None:
        """Let the door of a function lead to a kernel, if it tells calls of it apart."""
        way = self._ways.get(name)
        if way is None or way.door is None or not way.tells(options):
            return

        def checked(*arrays: ArrayLike) -> Any:
            return self(name, arrays, options, None, None)

        def into(*arrays: Any) -> Any:
            return self(name, arrays[:-1], options, None, None, arrays[-1])

        chosen = None if way.option is None else options.get(way.option)
        way.door.lead_to(kernel.with_fast_calls(checked), chosen)
        writer = kernel.writer(into)
        if writer is not None and not options:
            way.door.write_by(writer)

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


class Way(NamedTuple):
    """How calls of a method say which kernel they want.

    Attributes:
        inputs: How many arrays the method takes first.
        option: The name of the option that follows; None where there is none.
        others: The options that follow it, with their default values.
        door: What stands for the method.
    """

    inputs: int
    option: str | None
    others: Mapping[str, object]
    door: Door | None = None

    @classmethod
    def of(cls, method: MethodType) -> Way | None:
        """Return the way of a method; None if it takes two options without a default."""
        parameters = inspect.signature(method).parameters.values()
        plain = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        inputs = next((k for k, p in enumerate(plain) if p.name in OPTIONS), len(plain))
        option, *others = [*plain[inputs:], None]
        if any(p is not None and p.default is p.empty for p in others):
            return None
        return cls(inputs, option and option.name, {p.name: p.default for p in others if p})

    def tells(self, options: Options) -> bool:
        """Tell whether a call with these options says no more than its first option."""
        given = {key: value for key, value in options.items() if key != self.option}
        return given == self.others if options else self.option is None


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
