"""Which combinations of parameters torques reveal: columns of the regressor that are independent.

The columns are looked at in an order in which the mass of a link joins its parents. A column that
is a combination of those before it (at many random states) adds no base parameter; its part goes
to those. The exact route, over the rational numbers, is `Mechanism.base_parameters`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dalembert.model import Model
    from dalembert.types import Array

INDEPENDENT = 1e-8
"""A column is independent where more than this part of it is left."""

LAST = ("Izz", "Ixx", "Ixy", "Ixz", "Iyz", "hx", "hy", "Iyy", "hz", "m")
"""The order within a link: what is eliminated comes last."""

SHOWN = 1e-9
"""Weights below this part of the largest one are rounding."""


@dataclass(frozen=True)
class Structure:
    """Base parameters B θ: ``weights`` B ``(base, parameters)``, and the columns that lead."""

    leading: tuple[int, ...]
    weights: Array
    labels: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Each combination as text.

        >>> import numpy as np
        >>> Structure((0,), np.array([[1.0, -0.25]]), ("a.Izz", "b.m")).names
        ('a.Izz - 0.25 b.m',)
        """
        return tuple(_combination(row, self.labels) for row in self.weights)


def structure_of(Y: Array, labels: Sequence[str]) -> Structure:
    """Return the base parameters of a regressor ``(rows, parameters)`` of many states."""
    order = _order(labels)
    lengths = np.linalg.norm(Y, axis=0)
    basis = np.zeros((Y.shape[0], 0))
    leading: list[int] = []
    for k in order:
        rest = Y[:, k]
        # once more for what rounding left
        for _ in range(2):
            rest = rest - basis @ (basis.T @ rest)
        left = float(np.linalg.norm(rest))
        if left > INDEPENDENT * lengths[k]:
            basis = np.column_stack([basis, rest / left])
            leading.append(k)
    leading.sort()
    weights = np.linalg.lstsq(Y[:, leading], Y, rcond=None)[0] if leading else Y[:0]
    # compared in units of the torques that they make
    parts = np.abs(weights) * lengths[leading, None]
    weights = np.where(parts > SHOWN * lengths, weights, 0.0)
    return Structure(tuple(leading), weights, tuple(labels))


def random_rows(model: Model, unknown: Array, seed: int = 0) -> Array:
    """Return the regressor at random states, enough of them, as rows."""
    rng = np.random.default_rng(seed)
    count = 20 + 3 * len(unknown) // model.nv
    q = model.random_configuration(rng, count)
    qd, qdd = rng.normal(size=(2, count, model.nv))
    return model.regressor(q, qd, qdd)[..., unknown].reshape(-1, len(unknown))


def _order(labels: Sequence[str]) -> list[int]:
    """Return the order to look in: link by link, then what drives and friction add."""
    links = [label.rpartition(".")[0] for label in labels]
    last = [label.rpartition(".")[2] for label in labels]

    def place(k: int) -> tuple[int, int]:
        return (links.index(links[k]), LAST.index(last[k])) if last[k] in LAST else (len(labels), k)

    return sorted(range(len(labels)), key=place)


def _combination(row: Array, labels: Sequence[str]) -> str:
    terms = ""
    for weight, label in zip(row, labels, strict=True):
        if weight == 0:
            continue
        size = "" if abs(abs(weight) - 1) < SHOWN else f"{abs(weight):.4g} "
        sign = (" - " if weight < 0 else " + ") if terms else ("-" if weight < 0 else "")
        terms += f"{sign}{size}{label}"
    return terms
