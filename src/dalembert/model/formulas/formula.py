"""What a kernel computes: named outputs as expressions of named inputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
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


def function(method: Method) -> Method:
    """Mark a method as the formula of a function of the same name."""
    vars(method)["is_formula"] = True
    return method


def find(owner: object, name: str, options: dict[str, object], *, of: str) -> Formula:
    """Return the formula that the marked method of that name gives for some options.

    Args:
        owner: The object with the methods.
        name: A method marked by `function`.
        options: Its keyword arguments, such as ``frame``.
        of: What the owner describes, for the message.

    Raises:
        UnknownName: there is no such function, or it does not take one of the options.
    """
    known = _marked(type(owner))
    if name not in known:
        raise UnknownName(
            f"expected a function of {of}, got {name!r} ({nearest(name, known)}): "
            f"there are {', '.join(known)}"
        )
    method = getattr(owner, name)
    taken = list(inspect.signature(method).parameters)
    for option in options:
        if option not in taken:
            allowed = ", ".join(f"{x}=" for x in taken) or "none"
            raise UnknownName(
                f"expected options of {name}: {allowed}, got {option}= ({nearest(option, taken)})"
            )
    return method(**options)


def _marked(owner: type) -> list[str]:
    names = {x for cls in owner.__mro__ for x, method in vars(cls).items() if _is_formula(method)}
    return sorted(names)


def _is_formula(method: object) -> bool:
    return getattr(method, "is_formula", False)
