"""Which points springs join: those whose distance stands squared in the potential energy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.expr import Expr, Kind, as_expr, free_symbols, is_kind, postorder
from dalembert.mechanics import System
from dalembert.model.pictures.samples import agree, is_constant
from dalembert.model.pictures.structure import Structure
from dalembert.picture.picture import Point

if TYPE_CHECKING:
    from dalembert.types import Array

REST = 1.0
"""Length in m of a spring to a wall whose own length nobody has given."""


class Joined(NamedTuple):
    """A spring between two points, or to a wall: a fixed place and the way to the body."""

    start: str | Point
    end: str
    wall: Array | None = None


def springs(system: System, structure: Structure) -> list[Joined]:
    """Return the springs of a system; of a distance that no two points have none."""
    found: list[Joined] = []
    taken: set[tuple[str, str]] = set()
    for e in _squared(system):
        values = structure.samples.of([e])[:, 0]
        if len(values) == 0 or not np.isfinite(values).all() or is_constant(values):
            continue
        pair = _between(structure, values, taken)
        if pair is not None:
            taken.add(pair)
            found.append(Joined(*pair))
            continue
        wall = _to_wall(structure, values)
        if wall is not None:
            found.append(wall)
    return found


def _squared(system: System) -> Iterator[Expr]:
    """Yield what stands squared in the potential energy and depends on coordinates."""
    V = system.potential if not system.is_bare else system.lagrangian
    for node in postorder([V]):
        if node.op != "pow" or node.value != 2:
            continue
        (base,) = node.args
        symbols = free_symbols([base])
        if any(is_kind(x, Kind.COORDINATE, 1) for x in symbols):
            continue
        if any(is_kind(x, Kind.COORDINATE) for x in symbols):
            yield base


def _between(
    structure: Structure, values: Array, taken: set[tuple[str, str]]
) -> tuple[str, str] | None:
    """Return two points whose distance is a value up to a length."""
    names = [*structure.fixed, *structure.bodies]
    names += [x for x in structure.points if x not in names]
    for pair in combinations(names, 2):
        if pair in taken or pair[0] == pair[1]:
            continue
        d = structure.distance(*pair)
        if is_constant(d):
            continue
        if is_constant(d - values) or is_constant(d + values) or agree(d**2, values**2):
            return pair
    # along an axis: x₂ - x₁ of bodies that move along one line
    for a, b in combinations(structure.bodies, 2):
        apart = structure.place(b) - structure.place(a)
        for k in range(3):
            lateral = np.delete(apart, k, axis=1)
            if not is_constant(lateral) or is_constant(apart[:, k]):
                continue
            if is_constant(apart[:, k] - values) or is_constant(apart[:, k] + values):
                return a, b
    return None


def _to_wall(structure: Structure, values: Array) -> Joined | None:
    """Return a spring from a wall to a body that moves along an axis.

    A body that is at 0 without tension has the wall at -`REST`, another one has it at 0.
    """
    for name in structure.bodies:
        at = structure.place(name)
        for k in range(3):
            if not is_constant(np.delete(at, k, axis=1)) or is_constant(at[:, k]):
                continue
            for signed in (values, -values):
                rest = at[:, k] - signed
                if is_constant(rest):
                    start = list(structure.points[name])
                    start[k] = as_expr(0 if abs(float(rest[0])) > 1e-9 else -REST)
                    return Joined(tuple(start), name, np.eye(3)[k])
    return None
