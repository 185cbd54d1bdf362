"""What a kernel computes: named outputs as expressions of named inputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from dalembert.errors import UnknownName, nearest
from dalembert.expr import Expr, Matrix

Rows = Sequence[Any]
"""Expressions in lists of any depth."""

Method = TypeVar("Method", bound=Callable[..., "Formula"])


class Formula(NamedTuple):
    """One function of a model: its inputs are symbols, its outputs expressions of them."""

    inputs: Mapping[str, Sequence[Expr]]
    outputs: Mapping[str, Expr | Matrix | Rows]


FORMULAS: set[object] = set()
"""The methods that are formulas of functions of the same name."""


def function(method: Method) -> Method:
    """Mark a method as the formula of a function of the same name."""
    FORMULAS.add(method)
    return method


def find(owner: object, name: str, options: dict[str, object], *, of: str) -> Formula:
    """Return the formula that the marked method of that name gives for some options.

    Args:
        owner: The object with the methods.
        name: A method marked by `function`.
        options: Its keyword arguments, such as ``frame``.
        of: What the owner describes, for the message.

    Raises:
        UnknownName: there is no such function, it does not take one of the options, or needs one.
    """
    known = functions_of(type(owner))
    if name not in known:
        raise UnknownName(
            f"expected a function of {of}, got {name!r} ({nearest(name, known)}): "
            f"there are {', '.join(known)}"
        )
    method = getattr(owner, name)
    parameters = inspect.signature(method).parameters
    taken = list(parameters)
    for option in options:
        if option not in taken:
            allowed = ", ".join(f"{x}=" for x in taken) or "none"
            raise UnknownName(
                f"expected options of {name}: {allowed}, got {option}= ({nearest(option, taken)})"
            )
    missing = [x for x, p in parameters.items() if p.default is p.empty and x not in options]
    if missing:
        raise UnknownName(
            f"expected {' and '.join(f'{x}=' for x in missing)} for {name}, got nothing: choose "
            f'with {name!r} the options too, as ("{name}", {{"{missing[0]}": …}}) in a list of '
            "functions"
        )
    return method(**options)


def functions_of(owner: type) -> list[str]:
    """Return the names of the functions that a class has formulas for."""
    names = (
        name
        for cls in owner.__mro__
        for name, x in vars(cls).items()
        if isinstance(x, Hashable) and x in FORMULAS
    )
    return sorted(names)
