"""What rollouts are given, checked: states, values of symbols, a law, controls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.constraints.constraints import Constraints
from dalembert.simulation.problem.start import CONSISTENT

if TYPE_CHECKING:
    from dalembert.model import Model


class Given(NamedTuple):
    """The arrays of a call with their common batch axes."""

    q: np.ndarray
    v: np.ndarray
    values: tuple[np.ndarray, ...]
    controls: np.ndarray | None
    batch: tuple[int, ...]


def given_arrays(
    model: Model, q0: Any, qd0: Any, parameters: Mapping[Any, Any], controls: Any, steps: int
) -> Given:
    """Return the arrays of a call.

    Raises:
        EvaluationError: shapes do not fit, or a start violates the constraints.
    """
    q = _array(q0, "q0", (model.nq,))
    v = _array(np.zeros(model.nv) if qd0 is None else qd0, "qd0", (model.nv,))
    _check_quaternions(model, q)
    q = model.configuration.normalized(q)
    values = tuple(
        _array(value, f"the values of {_text(symbols)}", _shape(symbols))
        for symbols, value in parameters.items()
    )
    n = len(model.symbols.inputs)
    rows = None if controls is None else _array(controls, "controls", (steps, n))
    leading = {"q0": q.shape[:-1], "qd0": v.shape[:-1]}
    for symbols, array in zip(parameters, values, strict=True):
        leading[_text(symbols)] = array.shape[: array.ndim - len(_shape(symbols))]
    if rows is not None:
        leading["controls"] = rows.shape[:-2]
    try:
        batch = np.broadcast_shapes(*leading.values())
    except ValueError:
        shapes = ", ".join(f"{name} {shape}" for name, shape in leading.items())
        raise EvaluationError(
            f"expected batch axes of the rollouts that broadcast, got {shapes}"
        ) from None
    _check_constraints(model, q, v)
    return Given(q, v, values, rows, batch)


def symbol_groups(parameters: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the symbols that have values, one or a tuple, by the name of their array.

    Raises:
        EvaluationError: a key is no symbol, or a symbol comes twice.
    """
    groups: dict[str, Any] = {}
    seen: set[Any] = set()
    for key in parameters:
        for x in symbols_of(key):
            if getattr(x, "symbol", None) is None:
                raise EvaluationError(
                    f"expected symbols as keys of parameters=, got {x!r}: one of da.parameters, or "
                    "a tuple of them"
                )
            if x in seen:
                raise EvaluationError(f"expected values for {x} once, got them twice")
            seen.add(x)
        groups[f"parameters {_text(key)}"] = key
    return groups


def symbols_of(key: Any) -> tuple[Any, ...]:
    """Return the symbols of a key: one, or several in a tuple."""
    return key if isinstance(key, tuple) else (key,)


def law_expressions(law: Any, model: Model, *, has_controls: bool) -> tuple[Any, ...]:
    """Return one expression for each input.

    Raises:
        EvaluationError: it is no law of expressions, or of another length.
    """
    n = len(model.symbols.inputs)
    if law is None:
        return tuple(model.symbols.inputs) if has_controls else (0,) * n
    found = getattr(law, "law", law)
    if callable(found) or not isinstance(found, Sequence | np.ndarray):
        raise EvaluationError(
            f"expected a law of {n} expressions for rollouts, got {type(law).__name__} without "
            "one: da.simulate takes functions of (t, q, qd)"
        )
    if len(found) != n:
        raise EvaluationError(f"expected {n} expressions in the law, got {len(found)}")
    return tuple(x if hasattr(x, "symbols") else float(x) for x in found)


def stride_of(steps: Any, record: Any) -> int:
    """Return the steps from one stored state to the next.

    Raises:
        EvaluationError: no whole numbers, or stored states that would miss the end.
    """
    for name, value in (("steps", steps), ("record", 1 if record is None else record)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise EvaluationError(f"expected a whole number of {name} from 1, got {value!r}")
    stride = int(steps if record is None else record)
    if steps % stride:
        raise EvaluationError(
            f"expected record= to divide the {steps} steps, so that the end is stored, got {stride}"
        )
    return stride


def _array(value: Any, name: str, inner: tuple[int, ...]) -> np.ndarray:
    """Return finite numbers whose last axes are ``inner``."""
    try:
        array = np.asarray(value.get() if hasattr(value, "get") else value, float)
    except (TypeError, ValueError):
        raise EvaluationError(f"expected numbers for {name}, got {value!r:.60}") from None
    n = len(inner)
    if array.ndim < n or array.shape[array.ndim - n :] != inner:
        expected = ", ".join(["...", *map(str, inner)])
        raise EvaluationError(f"expected shape ({expected}) for {name}, got {array.shape}")
    finite = np.isfinite(array)
    if not finite.all():
        place = tuple(int(k) for k in np.argwhere(~finite)[0])
        raise EvaluationError(
            f"expected finite numbers for {name}, got {array[place]} at {list(place)}"
        )
    return array


def _shape(key: Any) -> tuple[int, ...]:
    """Return the shape of the values of a key: one symbol, or several in a row."""
    return (len(key),) if isinstance(key, tuple) else ()


def _text(key: Any) -> str:
    return ", ".join(map(str, symbols_of(key)))


def _check_quaternions(model: Model, q: np.ndarray) -> None:
    for k in model.configuration.quaternions:
        error = np.abs(np.linalg.norm(q[..., k : k + 4], axis=-1) - 1)
        if error.size and error.max() > CONSISTENT:
            raise EvaluationError(
                f"expected unit quaternions in q0[..., {k}:{k + 4}], got one of another length, "
                f"by {error.max():.3g}: model.configuration.normalized scales them"
            )


def _check_constraints(model: Model, q: np.ndarray, v: np.ndarray) -> None:
    """Raise for constraints that compiled steps cannot keep, and for starts off them."""
    if not model.description.has_constraints:
        return
    if model.symbols.parameters:
        names = ", ".join(map(str, model.symbols.parameters))
        raise EvaluationError(
            f"expected a constrained model without free parameters for rollouts, got {names}: bind "
            "values with da.compile(..., parameters=...)"
        )
    constraints = Constraints(model.on_host())
    at = constraints.read(0.0, q, v)
    for what, errors in (("", at.position), ("the velocity of ", at.velocity)):
        if not errors.size or np.abs(errors).max() <= CONSISTENT:
            continue
        *sample, row = map(int, np.unravel_index(int(np.abs(errors).argmax()), errors.shape))
        where = f" of start {tuple(sample)}" if sample else ""
        raise EvaluationError(
            f"expected starts on the constraints, got {what}{constraints.names[row]} off by "
            f"{errors[(*sample, row)]:.3g}{where}: da.simulate(..., initial='project') finds the "
            "nearest state"
        )
    if q.size:
        constraints.find_rank(0.0, q.reshape(-1, model.nq)[0])
    if constraints.is_redundant:
        # between the stages of a step such rows contradict each other, and energy leaks
        raise EvaluationError(
            f"expected independent constraints for rollouts, got {len(constraints.names)} rows of "
            f"rank {constraints.rank}: da.simulate knows which of them to follow"
        )
