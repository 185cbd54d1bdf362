"""Units of coordinates and of the forces on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dalembert.model.configuration import Configuration


class Units(NamedTuple):
    """A unit for each position ``(nq,)`` and each generalized force ``(nv,)``; empty for none."""

    positions: tuple[str, ...]
    forces: tuple[str, ...]


def units_of_joints(configuration: Configuration) -> Units:
    """Return m or rad, N or N m; quaternions have none."""
    turns, starts = set(configuration.turns), configuration.quaternions
    forces = tuple("N m" if k in turns else "N" for k in range(len(configuration.v_names)))

    def position(k: int) -> str:
        if any(start <= k < start + 4 for start in starts):
            return ""
        # a quaternion has four places in q and three in q̇
        return "rad" if k - sum(start < k for start in starts) in turns else "m"

    return Units(tuple(map(position, range(len(configuration.q_names)))), forces)


def no_units(configuration: Configuration) -> Units:
    """Return nothing: a system does not say what its coordinates are."""
    return Units(("",) * len(configuration.q_names), ("",) * len(configuration.v_names))


def labelled(name: str, unit: str) -> str:
    """Return a name with its unit, if it has one."""
    return f"{name} / {unit}" if unit else name
