"""What a kernel computes: named outputs as expressions of named inputs."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple, Protocol

from dalembert.expr import Expr


class Formula(NamedTuple):
    """Inputs are lists of symbols, outputs expressions in lists of any depth."""

    inputs: dict[str, Any]
    outputs: dict[str, Any]


class Formulas(Protocol):
    """The formulas of one description, by name; a name may take options (a frame)."""

    name: str
    nq: int
    nv: int
    q: tuple[Expr, ...]
    v: tuple[Expr, ...]
    a: tuple[Expr, ...]
    u: tuple[Expr, ...]
    parameters: tuple[Expr, ...]
    is_timed: bool

    def formula(self, name: str, **options: Any) -> Formula:
        """Return a formula.

        Raises:
            UnknownName: this description has none of that name.
        """
        ...


def find(formulas: Formulas, name: str, **options: Any) -> Formula:
    """Return the formula that the method of that name gives."""
    from dalembert.errors import UnknownName, nearest

    method = None if name.startswith("_") else getattr(type(formulas), name, None)
    known = sorted(
        key
        for cls in type(formulas).__mro__
        for key, value in vars(cls).items()
        if getattr(value, "is_formula", False)
    )
    if method is None or not getattr(method, "is_formula", False):
        raise UnknownName(
            f"expected a function of {formulas.name}, got {name!r} ({nearest(name, known)}): "
            f"there are {', '.join(known)}"
        )
    taken = inspect.signature(method).parameters
    for option in options:
        if option not in taken:
            allowed = ", ".join(f"{x}=" for x in list(taken)[1:]) or "none"
            raise UnknownName(
                f"expected options of {name}: {allowed}, got {option}= "
                f"({nearest(option, list(taken)[1:])})"
            )
    return method(formulas, **options)


def function(method: Any) -> Any:
    """Mark a method as one that gives a formula."""
    method.is_formula = True
    return method
