"""Kernels that simulations of one model share, compiled once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.expr import Expr, time

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Scalar


def time_symbol(model: Model, law: Sequence[Scalar] = ()) -> Expr | None:
    """Return the symbol of time if the model or the law depends on it, else None."""
    is_timed = model.description.is_timed or any(
        isinstance(x, Expr) and time in x.symbols for x in law
    )
    return time if is_timed else None


def state_symbols(model: Model) -> dict[str, Sequence[Expr]]:
    """Return the symbols of q and q̇ by the names of their arrays, the inputs of most kernels."""
    return {"q": model.symbols.q, "qd": model.symbols.qd}


def timed(kernel: Callable[..., Any], is_timed: bool) -> Callable[..., Any]:
    """Return a function of (t, *arrays) of a kernel whose last input is the time, if it has one."""
    if is_timed:
        return lambda t, *arrays: kernel(*arrays, t)
    return lambda t, *arrays: kernel(*arrays)


def compiled(
    model: Model,
    key: Hashable,
    outputs: Callable[[], Mapping[str, Any]],
    inputs: Mapping[str, Any],
    law: Sequence[Scalar] = (),
) -> Callable[..., Any]:
    """Return expressions as a compiled function of (t, *inputs), made once for a model and key.

    Args:
        model: Whose backend compiles them.
        key: A name, or a tuple that begins with one.
        outputs: Gives the expressions, by name.
        inputs: Symbols, by name.
        law: Expressions that may depend on time beside the model.

    Parameters with a value (`Model.given`) are one more input, which is filled in here.
    """
    name = key[0] if isinstance(key, tuple) else key
    symbols, values = model.given
    if symbols:
        run = _compiled(model, (key, symbols), name, outputs, {**inputs, "given": symbols}, law)
        return lambda t, *arrays: run(t, *arrays, values)
    return _compiled(model, key, name, outputs, inputs, law)


def _compiled(
    model: Model,
    key: Hashable,
    name: Hashable,
    outputs: Callable[[], Mapping[str, Any]],
    inputs: Mapping[str, Any],
    law: Sequence[Scalar],
) -> Callable[..., Any]:
    def make() -> Callable[..., Any]:
        at = time_symbol(model, law)
        ports = dict(inputs) if at is None else {**inputs, "t": at}
        # inputs without entries have no place in a kernel
        kept = [name == "t" or bool(symbols) for name, symbols in ports.items()]
        ports = {name: s for (name, s), keep in zip(ports.items(), kept, strict=True) if keep}
        kernel = model.compile(outputs(), ports, name=str(name))
        if all(kept):
            return timed(kernel, at is not None)
        given = kept[: len(inputs)]

        def run(t: float, *arrays: np.ndarray) -> Any:
            used = [a for a, keep in zip(arrays, given, strict=True) if keep]
            return kernel(*used) if at is None else kernel(*used, t)

        return run

    return model.once(key, make)
