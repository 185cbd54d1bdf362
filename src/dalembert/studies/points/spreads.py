"""From points of the unit cube to values: ranges and distributions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.studies.points.base import check_name
from dalembert.studies.points.digest import array_digest

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


class Distribution(Protocol):
    """A distribution of SciPy, such as ``scipy.stats.norm(1.0, 0.1)``."""

    def ppf(self, q: Array, /) -> Array: ...


Spread: TypeAlias = "tuple[ArrayLike, ArrayLike] | Distribution"
"""How a column spreads: (lowest, highest), numbers or arrays of one shape, or a distribution."""

QUANTILES = np.linspace(0.01, 0.99, 9)
"""Where a distribution is looked at to tell it from others."""


class Column(NamedTuple):
    """The spread of a column: the shape of one value, and the numbers it takes of the cube."""

    spread: Distribution | tuple[Array, Array]
    shape: tuple[int, ...]
    size: int


class Spreads:
    """Columns with their spreads, and how they share the coordinates of a unit cube."""

    def __init__(self, spreads: Mapping[str, Spread]) -> None:
        if not isinstance(spreads, Mapping) or not spreads:
            raise EvaluationError(
                "expected spreads as {name: (lowest, highest)}, with one column or more"
            )
        self._columns = {check_name(name): _column(name, x) for name, x in spreads.items()}
        self.dimension = sum(column.size for column in self._columns.values())
        """How many coordinates the cube has."""

    def values(self, cube: Array) -> dict[str, Array]:
        """Return the columns of points of the cube, ``(n, dimension)``."""
        found, at = {}, 0
        for name, (spread, shape, size) in self._columns.items():
            u = cube[:, at : at + size].reshape(len(cube), *shape)
            if isinstance(spread, tuple):
                low, high = spread
                # each end is met exactly, and no rounding leads beyond it
                found[name] = np.clip(low + u * (high - low), low, high)
            else:
                found[name] = np.asarray(spread.ppf(u), float)
                if not np.isfinite(found[name]).all():
                    raise EvaluationError(
                        f"expected finite quantiles of column {name!r} between 0 and 1, got some "
                        "that are not: take a distribution with a ppf that is right"
                    )
            at += size
        return found

    def description(self) -> dict[str, object]:
        """Return what tells these spreads from others."""
        return {name: _description(column) for name, column in self._columns.items()}


def _column(name: str, spread: object) -> Column:
    if callable(getattr(spread, "ppf", None)):
        return _distributed(name, spread)  # type: ignore[arg-type]
    try:
        low, high = (np.asarray(x, float) for x in spread)  # type: ignore[attr-defined]
        low, high = np.broadcast_arrays(low, high)
    except (TypeError, ValueError):
        raise EvaluationError(
            f"expected (lowest, highest) of column {name!r}, numbers or arrays of one shape, or a "
            f"distribution with ppf, got {str(spread)[:80]}"
        ) from None
    if not low.size or not (np.isfinite(high - low).all() and (low <= high).all()):
        raise EvaluationError(
            f"expected finite ranges of column {name!r} with lowest ≤ highest, got "
            f"{str(low)[:80]} and {str(high)[:80]}"
        )
    return Column((low, high), low.shape, low.size)


def _distributed(name: str, spread: Distribution) -> Column:
    found = np.asarray(spread.ppf(QUANTILES))
    if found.shape != QUANTILES.shape or not np.isfinite(found).all():
        raise EvaluationError(
            f"expected a distribution of one number in column {name!r}, got {found!r} as its "
            "quantiles from 0.01 to 0.99"
        )
    return Column(spread, (), 1)


def _description(column: Column) -> object:
    spread = column.spread
    if not isinstance(spread, tuple):
        return {"quantiles": array_digest(np.asarray(spread.ppf(QUANTILES), float))}
    if not column.shape:
        return [float(x) for x in spread]
    return {"shape": list(column.shape), "range": array_digest(np.stack(spread))}
