"""Wrenches on frames, beside the forces that drive a simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr
from dalembert.model.border import finite_array
from dalembert.simulation.problem.callbacks import call_for_numbers
from dalembert.simulation.problem.forcing import Forcing
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import ArrayLike, Scalar

    Wrench: TypeAlias = ArrayLike | Sequence[Expr | float] | Callable[..., ArrayLike]
    """Six numbers or expressions (force, moment), or a function of (t, q, qd) that gives them."""

    Wrenches: TypeAlias = Mapping[str, Wrench] | None
    """Wrenches by the name of the frame or link that they act on."""

COMPONENTS = 6


def with_external(drive: Forcing, model: Model, external: Wrenches, reference: str) -> Forcing:
    """Return the forces of a mechanism with Σ Jᵀ F of wrenches added to them.

    Args:
        drive: The forces without them.
        model: Of a mechanism.
        external: The wrenches.
        reference: The axes and the point of the wrenches: "world", "body" or "spatial".

    Raises:
        InvalidMechanism: the model is that of a system.
        EvaluationError: a wrench has not six finite numbers or expressions.
        UnknownName: there is no such frame or reference.
    """
    if external is None:
        return drive
    if not isinstance(external, Mapping):
        raise EvaluationError(
            f"expected wrenches by the name of a frame in external=, got {external!r:.60}: write "
            "{'tool': wrench}"
        )
    if not external:
        return drive
    options = {"external": tuple(external), "reference": reference}
    # frames and axes are looked up before a long run starts
    _ = model.mechanism
    _ = model.description.formula("external_forces", **options)
    functions = {frame: w for frame, w in external.items() if callable(w)}
    known = {frame: _checked(w, frame) for frame, w in external.items() if not callable(w)}
    if known:
        drive = _with_known(drive, model, known, reference)
    return _with_functions(drive, model, functions, reference) if functions else drive


def _checked(wrench: Any, frame: str) -> list[Any]:
    """Return six numbers or expressions."""
    entries = list(wrench) if isinstance(wrench, Sequence | np.ndarray) else [wrench]
    if any(isinstance(x, Expr) for x in entries):
        if len(entries) != COMPONENTS:
            raise EvaluationError(
                f"expected six expressions (force, moment) for the wrench on {frame}, got "
                f"{len(entries)}"
            )
        return entries
    return finite_array(wrench, f"the wrench on {frame}", (COMPONENTS,)).tolist()


def _with_known(
    drive: Forcing, model: Model, wrenches: Mapping[str, Sequence[Any]], reference: str
) -> Forcing:
    """Return forces with wrenches that are numbers or expressions: a law stays a law."""
    frames, values = tuple(wrenches), wrenches.values()
    push = model.expressions(
        "external_forces", model.symbols.q, *values, external=frames, reference=reference
    )
    law = drive.law if drive.constant is None else drive.constant.tolist()
    if law is not None and drive.held is None:
        both = tuple(u + f for u, f in zip(law, push, strict=True))
        return drive._replace(law=both, numbers=None, constant=None)
    return _added(drive, model, _law_values(model, push))


def _with_functions(
    drive: Forcing, model: Model, wrenches: Mapping[str, Callable[..., Any]], reference: str
) -> Forcing:
    """Return forces with wrenches that are functions of time and state."""
    frames = tuple(wrenches)

    def push(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        values = []
        for frame, wrench in wrenches.items():
            name = f"the wrench on {frame}"
            values.append(call_for_numbers(wrench, name, (COMPONENTS,), t, q, v))
        return model.call("external_forces", q, *values, external=frames, reference=reference)

    return _added(drive, model, push)


def _added(drive: Forcing, model: Model, push: Callable[..., np.ndarray]) -> Forcing:
    """Return forces as numbers with others added to them."""
    own = drive.numbers if drive.law is None else _without_state(_law_values(model, drive.law))
    assert own is not None

    def numbers(t: float, q: np.ndarray, v: np.ndarray, state: np.ndarray | None) -> np.ndarray:
        return own(t, q, v, state) + push(t, q, v)

    return drive._replace(law=None, constant=None, numbers=numbers)


def _without_state(values: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Return a function of (t, q, q̇) as one that is also given the state of a controller."""
    return lambda t, q, v, state: values(t, q, v)


def _law_values(model: Model, law: Sequence[Scalar]) -> Callable[..., np.ndarray]:
    """Return expressions of time and state as a compiled function of (t, q, q̇)."""
    key = ("law", tuple(law))
    return compiled(model, key, lambda: {"tau": list(law)}, state_symbols(model), law)
