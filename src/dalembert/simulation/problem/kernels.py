"""Kernels that simulations of one model share, compiled once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

if TYPE_CHECKING:
    from dalembert.model import Model

_MADE: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()


def once(model: Model, key: Any, make: Callable[[], Any]) -> Any:
    """Return what ``make`` makes, the first time only for a model and key."""
    made = _MADE.setdefault(model, {})
    if key not in made:
        made[key] = make()
    return made[key]


def time_symbol(model: Model, law: Sequence[Any] = ()) -> Any:
    """Return the symbol of time if the model or the law depends on it, else None."""
    expressions = [x for x in law if hasattr(x, "symbols")]
    if model.formulas.is_timed:
        expressions += model.formulas.system.expressions()  # type: ignore[attr-defined]
    for e in expressions:
        for x in e.symbols:
            if x.symbol is not None and x.symbol.kind.value == "time":
                return x
    return None


def timed(kernel: Callable[..., Any], is_timed: bool) -> Callable[..., Any]:
    """Return a function of (t, *arrays) of a kernel whose last input is the time, if it has one."""
    if is_timed:
        return lambda t, *arrays: kernel(*arrays, t)
    return lambda t, *arrays: kernel(*arrays)


def compiled(
    model: Model, key: Any, outputs: Any, inputs: dict[str, Any], law: Sequence[Any] = ()
) -> Callable[..., Any]:
    """Return a kernel as a function of (t, *inputs); ``outputs`` gives the expressions."""

    def make() -> Callable[..., Any]:
        time = time_symbol(model, law)
        ports = dict(inputs) if time is None else {**inputs, "t": time}
        # inputs without entries have no place in a kernel
        kept = [name == "t" or bool(symbols) for name, symbols in ports.items()]
        ports = {name: s for (name, s), keep in zip(ports.items(), kept, strict=True) if keep}
        name = key if isinstance(key, str) else key[0]
        kernel = model.function(outputs(), ports, name=name)
        if all(kept):
            return timed(kernel, time is not None)
        given = kept[: len(inputs)]

        def run(t: float, *arrays: np.ndarray) -> Any:
            used = [a for a, keep in zip(arrays, given, strict=True) if keep]
            return kernel(*used) if time is None else kernel(*used, t)

        return run

    return once(model, key, make)
