"""What rollouts are given, checked: states, values of symbols, forces, controls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from dalembert.errors import EvaluationError, UnknownName, nearest
from dalembert.expr import Expr, symbol_text
from dalembert.model.border import to_numpy
from dalembert.simulation.constraints.constraints import Constraints
from dalembert.simulation.problem.external import with_external
from dalembert.simulation.problem.forcing import Forcing, forcing
from dalembert.simulation.problem.start import CONSISTENT_IN, errors_beside_sizes

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.model.places import Place
    from dalembert.simulation.problem.external import Wrenches
    from dalembert.simulation.problem.forcing import Forces
    from dalembert.types import Array, ArrayLike, Scalar

Symbols: TypeAlias = Expr | tuple[Expr, ...]
"""One symbol, or several whose values come in one array."""


class Given(NamedTuple):
    """The arrays of a call with their common batch axes.

    ``rows`` are the constraints that are kept where some depend on others, None for all.
    """

    q: np.ndarray
    v: np.ndarray
    values: tuple[np.ndarray, ...]
    controls: np.ndarray | None
    batch: tuple[int, ...]
    rows: tuple[int, ...] | None


def given_arrays(
    model: Model,
    q0: ArrayLike,
    qd0: ArrayLike | None,
    parameters: Mapping[Symbols, ArrayLike],
    controls: ArrayLike | None,
    steps: int,
    step: float,
    place: Place,
) -> Given:
    """Return the arrays of a call, where they are needed.

    Raises:
        EvaluationError: shapes do not fit, or a start violates the constraints.
    """
    remark = model.configuration.shape_remark
    q = place.given(q0, "q0", (..., model.nq), remark)
    v = place.given(np.zeros(model.nv) if qd0 is None else qd0, "qd0", (..., model.nv), remark)
    if model.configuration.quaternions:
        q = _unit_quaternions(model, q)
    leading = {"q0": q.shape[:-1], "qd0": v.shape[:-1]}
    values = []
    for symbols, value in parameters.items():
        text, inner = _text(symbols), (len(symbols),) if isinstance(symbols, tuple) else ()
        values.append(place.given(value, f"the values of {text}", (..., *inner)))
        leading[text] = values[-1].shape[: values[-1].ndim - len(inner)]
    rows = None
    if controls is not None:
        rows = place.given(controls, "controls", (..., steps, len(model.symbols.inputs)))
        leading["controls"] = rows.shape[:-2]
    try:
        batch = np.broadcast_shapes(*leading.values())
    except ValueError:
        shapes = ", ".join(f"{name} {shape}" for name, shape in leading.items())
        raise EvaluationError(
            f"expected batch axes of the rollouts that broadcast, got {shapes}"
        ) from None
    kept = _kept_constraints(model, q, v, steps * step)
    return Given(q, v, tuple(values), rows, batch, kept)


def law_of(
    forces: Forces,
    model: Model,
    external: Wrenches = None,
    reference: str = "world",
    *,
    has_controls: bool,
) -> tuple[Scalar, ...]:
    """Return one expression for each input.

    Raises:
        EvaluationError: the forces or wrenches are no expressions, or of another number.
    """
    if forces is None and has_controls:
        drive = Forcing(law=tuple(model.symbols.inputs))
    else:
        drive = forcing(forces, model)
    found = with_external(drive, model, external, reference)
    if found.law is not None:
        return found.law
    if found.constant is not None:
        return tuple(found.constant.tolist())
    given = external if drive.law is not None or drive.constant is not None else forces
    raise EvaluationError(
        f"expected {len(model.symbols.inputs)} numbers or expressions as forces of rollouts, and "
        f"six for each wrench, got {type(given).__name__}: da.simulate takes functions of "
        "(t, q, qd) and tables"
    )


def by_symbols(
    parameters: Mapping[Any, ArrayLike],
    model: Model,
    law: Sequence[Scalar],
) -> dict[Symbols, ArrayLike]:
    """Return values by symbols, which may be given by their names.

    Raises:
        EvaluationError: a key is no symbol, or a symbol comes twice.
        UnknownName: neither the model nor the law has a symbol of that name.
    """
    known = [*model.symbols.parameters, *(x for e in law if isinstance(e, Expr) for x in e.symbols)]
    names = {symbol_text(x): x for x in known}
    found: dict[Symbols, ArrayLike] = {}
    for key, value in parameters.items():
        parts = [_symbol(x, names) for x in (key if isinstance(key, tuple) else (key,))]
        for x in parts:
            if any(x in symbols_of(other) for other in found) or parts.count(x) > 1:
                raise EvaluationError(f"expected values for {x} once, got them twice")
        found[tuple(parts) if isinstance(key, tuple) else parts[0]] = value
    return found


def groups_of(parameters: Mapping[Symbols, ArrayLike]) -> dict[str, Symbols]:
    """Return the symbols that have values by the name of their array."""
    return {f"parameters {_text(key)}": key for key in parameters}


def symbols_of(key: Symbols) -> tuple[Expr, ...]:
    """Return the symbols of a key: one, or several in a tuple."""
    return key if isinstance(key, tuple) else (key,)


def stride_of(steps: int, record: int | None) -> int:
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


def _symbol(key: object, names: Mapping[str, Expr]) -> Expr:
    if isinstance(key, str):
        if key not in names:
            raise UnknownName(
                f"expected parameters of the model or of the law, got {key!r} "
                f"({nearest(key, list(names))})"
            )
        return names[key]
    if not isinstance(key, Expr) or key.symbol is None:
        raise EvaluationError(
            f"expected symbols or names as keys of parameters=, got {key!r}: one of da.parameters, "
            "or a tuple of them"
        )
    return key


def _text(key: Symbols) -> str:
    return ", ".join(map(str, symbols_of(key)))


def _unit_quaternions(model: Model, q: Array) -> Array:
    """Return q, where it lies, with quaternions of length one to the last digit.

    Raises:
        EvaluationError: one of them has another length.
    """
    q = q.copy()
    for k in model.configuration.quaternions:
        part = q[..., k : k + 4]
        length = (part * part).sum(axis=-1, keepdims=True) ** 0.5
        error = float(abs(length - 1).max()) if length.size else 0.0
        if error > CONSISTENT_IN[model.dtype]:
            raise EvaluationError(
                f"expected unit quaternions in q0[..., {k}:{k + 4}], got one of another length, "
                f"by {error:.3g}: model.configuration.normalized scales them"
            )
        part /= length
    return q


def _kept_constraints(
    model: Model, q: np.ndarray, v: np.ndarray, duration: float
) -> tuple[int, ...] | None:
    """Return rows of constraints on which the others depend; None if all are independent.

    Between the stages of a step, beside the constraints, rows that depend on each other on them
    would contradict each other. Those that are kept imply the others.

    Raises:
        EvaluationError: a start is off the constraints, or they have free parameters.
    """
    if not model.description.has_constraints:
        return None
    q, v = (to_numpy(x).astype(float) for x in (q, v))
    if model.symbols.parameters:
        names = ", ".join(map(str, model.symbols.parameters))
        raise EvaluationError(
            f"expected a constrained model without free parameters for rollouts, got {names}: bind "
            "values with da.compile(..., parameters=...)"
        )
    constraints = Constraints(model.on_host())
    at = constraints.read(0.0, q, v)
    beside = errors_beside_sizes(constraints, 0.0, duration, q, v, CONSISTENT_IN[model.dtype])
    pairs = zip((at.position, at.velocity), beside, strict=True)
    for what, (errors, sizes) in zip(("", "the velocity of "), pairs, strict=True):
        if not sizes.size or np.abs(sizes).max() <= 1:
            continue
        *sample, row = map(int, np.unravel_index(int(np.abs(sizes).argmax()), sizes.shape))
        where = f" of start {tuple(sample)}" if sample else ""
        raise EvaluationError(
            f"expected starts on the constraints, got {what}{constraints.names[row]} off by "
            f"{errors[(*sample, row)]:.3g}{where}: da.simulate(..., initial='project') finds the "
            "nearest state"
        )
    if q.size:
        constraints.find_rank(0.0, q.reshape(-1, model.nq)[0])
    return constraints.independent if constraints.is_redundant else None
