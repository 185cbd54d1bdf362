"""Calls of `Model.distances`: pairs chosen once, one kernel for all that have formulas."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.model.border import all_of_kind
from dalembert.model.distances.hulls import Hulls, find_engine
from dalembert.model.distances.pairs import LinkPair, ShapePair, shape_pairs
from dalembert.model.distances.result import Distances

if TYPE_CHECKING:
    from dalembert.model.calling import Time, Values
    from dalembert.model.model import Model
    from dalembert.types import ArrayLike


def distances_of(
    model: Model,
    q: ArrayLike,
    pairs: Iterable[LinkPair] | None,
    exclude: Iterable[LinkPair],
    within: float,
    t: Time,
    parameters: Values,
) -> Distances:
    """Return the distances of pairs of shapes; see `Model.distances`."""
    # the engine takes numbers on the processor
    is_plain = model.on_host() is model and not model.extra_inputs
    chosen = _pairs(model, pairs, exclude, has_engine=is_plain)
    by_formula = tuple(pair for pair in chosen if not pair.by_engine)
    by_engine = tuple(pair for pair in chosen if pair.by_engine)
    found = []
    if by_formula:
        call = model.call("distances", q, t=t, parameters=parameters, pairs=by_formula)
        found.append([np.asarray(x) for x in call])
    if by_engine:
        hulls = model.once(("hulls", by_engine), lambda: Hulls(model, by_engine))
        found.append(hulls.distances(model.configuration.positions_of(q), within))
    if len(found) == 1:
        return Distances(chosen, *found[0])
    # in the order of the pairs
    order = np.argsort([pair.by_engine for pair in chosen], kind="stable")
    back = np.argsort(order)
    axes = (-1, -2, -2, -2, -2)
    parts = [
        np.take(np.concatenate(x, axis=axis), back, axis=axis)
        for axis, *x in zip(axes, *found, strict=True)
    ]
    return Distances(chosen, *parts)


def pairs_of(
    model: Model, pairs: Iterable[LinkPair] | None, exclude: Iterable[LinkPair] = ()
) -> tuple[ShapePair, ...]:
    """Return the pairs of shapes of pairs of links for compiled code, all with formulas."""
    return _pairs(model, pairs, exclude, has_engine=False)


def _pairs(
    model: Model,
    pairs: Iterable[LinkPair] | None,
    exclude: Iterable[LinkPair],
    *,
    has_engine: bool,
) -> tuple[ShapePair, ...]:
    wanted = None if pairs is None else listed_pairs(pairs, "pairs=")
    left_out = listed_pairs(exclude, "exclude=")
    key = ("pairs of shapes", wanted, left_out, has_engine)
    return model.once(key, lambda: _chosen(model, wanted, left_out, has_engine))


def listed_pairs(pairs: Iterable[LinkPair], name: str) -> tuple[LinkPair, ...]:
    """Return pairs of names, however they were listed.

    Raises:
        EvaluationError: they are none.
    """
    found = []
    for pair in all_of_kind(pairs, (tuple, list), name, "pairs of links"):
        names = all_of_kind(pair, str, name, "names of two links")
        if len(names) != 2:
            raise EvaluationError(f"expected pairs of links for {name}, got {pair!r:.60}")
        found.append((names[0], names[1]))
    return tuple(found)


def _chosen(
    model: Model,
    pairs: Iterable[LinkPair] | None,
    exclude: Iterable[LinkPair],
    has_engine: bool,
) -> tuple[ShapePair, ...]:
    may_ask = has_engine and find_engine() is not None
    found = shape_pairs(model.mechanism, pairs, exclude, has_engine=may_ask)
    rough = [x for x in found if not x.is_exact]
    if rough:
        advice = "" if may_ask or not has_engine else ", as MuJoCo 4 is not installed"
        warnings.warn(
            f"{len(rough)} of {len(found)} distances are between capsules about the shapes, and so "
            f"at most the true ones{advice}: first of {rough[0].first!r} and {rough[0].second!r}",
            stacklevel=6,
        )
    return found
