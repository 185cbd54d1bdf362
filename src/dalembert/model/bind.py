"""Values for symbolic parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dalembert.errors import EvaluationError, UnknownName, nearest
from dalembert.expr import Expr, as_expr, symbol_text
from dalembert.expr.substitute import substitute
from dalembert.mechanics import System


def bind_system(system: System, values: Mapping[Expr, Any]) -> System:
    """Return the system with numbers for some parameters.

    Raises:
        UnknownName: a key is no parameter of the system.
    """
    if not values:
        return system
    values = by_symbol(system.parameters, values)
    unknown = [x for x in values if x not in system.parameters]
    if unknown:
        known = [symbol_text(x) for x in system.parameters]
        raise UnknownName(
            f"expected parameters of the system, got {unknown[0]!s} "
            f"({nearest(str(unknown[0]), known)})"
        )
    numbers = {x: as_expr(value) for x, value in values.items()}
    parts = system.expressions()
    new = iter(substitute(parts, numbers))
    kinetic, potential, lagrangian, dissipation = (next(new) for _ in range(4))
    forces = [next(new) for _ in system.forces]
    constraints = [next(new) for _ in system.constraints]
    velocity_constraints = [next(new) for _ in system.velocity_constraints]
    bare = system.lagrangian is not system.kinetic - system.potential
    energies: dict[str, Any] = (
        {"lagrangian": lagrangian} if bare else {"kinetic": kinetic, "potential": potential}
    )
    return System(
        coordinates=system.coordinates,
        forces=forces,
        constraints=constraints,
        velocity_constraints=velocity_constraints,
        dissipation=dissipation,
        keep_redundant=system.keep_redundant,
        **energies,
    )


def by_symbol(parameters: Sequence[Expr], values: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return values by symbol, given by symbol or by name."""
    symbols = {symbol_text(x): x for x in parameters}
    return {symbols.get(k, k) if isinstance(k, str) else k: v for k, v in values.items()}


def parameter_array(parameters: Sequence[Expr], values: Mapping[Any, Any]) -> Any:
    """Return values by symbol or name as one array ``(..., number of parameters)``.

    Raises:
        EvaluationError: one is missing.
        UnknownName: a name is no parameter of the model.
    """
    import numpy as np

    names = [symbol_text(x) for x in parameters]
    given = {symbol_text(k) if isinstance(k, Expr) else str(k): v for k, v in values.items()}
    for name in given:
        if name not in names:
            raise UnknownName(
                f"expected parameters of the model, got {name!r} ({nearest(name, names)})"
            )
    missing = [name for name in names if name not in given]
    if missing:
        raise EvaluationError(
            f"expected a value for every parameter, got none for {', '.join(missing)}"
        )
    return np.stack(np.broadcast_arrays(*(given[name] for name in names)), axis=-1)
