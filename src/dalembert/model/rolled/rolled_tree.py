"""The dynamics of a tree of long chains: effort linear in its links, code that of one link.

Every function takes one state or many, ``(..., nq)`` and ``(..., nv)``. The passes are those of
`links`, each a loop in machine code over a run of links (`segments`); only runs follow each other
in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.model.rolled import links
from dalembert.model.rolled.segments import segments_of
from dalembert.model.rolled.sweep import Layout, Packed, Step, Sweep, Swept

if TYPE_CHECKING:
    from dalembert.model.model import Model
    from dalembert.recursions.tree import Tree

PIVOT = 8
"""Numbers of a pivot: U, 1/D and y."""

INVERSE, Y = 6, 7


class Root(NamedTuple):
    """L of M = L Lᵀ at one configuration, known by its pivots for each segment."""

    q: np.ndarray
    pivots: list[np.ndarray]


class Places(NamedTuple):
    """Links in the world: their rotations and origins, and the twist column of each velocity.

    A column is the velocity of the link's origin and the angular velocity, in world axes, for a
    unit velocity. ``R`` is ``(..., links, 3, 3)``, ``p`` ``(..., links, 3)``, ``columns``
    ``(..., nv, 6)``.
    """

    R: np.ndarray
    p: np.ndarray
    columns: np.ndarray


class Motions(NamedTuple):
    """Motions of the links at zero q̈, each in its own axes: ω̇, and a and K of the points a + K r.

    The root accelerates against gravity. ``wrenches`` move the links so, for each segment.
    """

    a: np.ndarray
    wd: np.ndarray
    K: np.ndarray
    wrenches: list[Packed]


class RolledTree:
    """A tree whose links are in long runs; see `segments.is_rollable`.

    Args:
        model: Whose backend compiles the passes.
        tree: Without fixed joints (`recursions.lump`).
    """

    def __init__(self, model: Model, tree: Tree) -> None:
        self.model, self.tree = model, tree
        self.segments = segments_of(tree)
        self._sweeps: dict[tuple[object, ...], Sweep] = {}
        # segment and place of each node
        self._home = {
            node: (s, k) for s, x in enumerate(self.segments) for k, node in enumerate(x.nodes)
        }
        self._has_branch = [False] * len(self.segments)
        for segment in self.segments:
            if segment.parent:
                self._has_branch[self._home[segment.parent - 1][0]] = True

    @property
    def sweeps(self) -> list[Sweep]:
        """The passes that were compiled so far."""
        return list(self._sweeps.values())

    # ---- dynamics

    def forward_dynamics(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return q̈ for generalized forces, constraints left out."""
        wrenches = [x.shown for x in self._motions(q, v)]
        swept = self._inertias(q, v, wrenches, tau)
        return self._accelerations(q, [x.shown for x in swept])

    def whitened(
        self,
        q: np.ndarray,
        v: np.ndarray,
        wrenches: Sequence[Packed],
        tau: np.ndarray,
        rows: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, Root]:
        """Return L⁻¹ (τ - h), L⁻¹ times each of some rows, and L, of M = L Lᵀ at one state.

        The wrenches are those of `motions`.
        """
        n, count = self.tree.nv, 1 + len(rows)
        forces = np.concatenate([tau[None], rows])
        speeds = np.zeros((count, n))
        speeds[0] = v
        found, root = self._whitened(q, speeds, [_first_of(x, count) for x in wrenches], forces)
        return found[0], found[1:], root

    def inward(self, q: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, Root]:
        """Return L⁻¹ times each of some rows, and L, of M = L Lᵀ at one configuration."""
        still = np.zeros(rows.shape)
        none = [
            Packed(Layout(6, ()), np.zeros((len(rows), len(x.nodes), 0))) for x in self.segments
        ]
        return self._whitened(q, still, none, rows)

    def outward(self, root: Root, w: np.ndarray) -> np.ndarray:
        """Return L⁻ᵀ w."""
        pivots = []
        for segment, rows in zip(self.segments, root.pivots, strict=True):
            rows = rows.copy()
            y = w[segment.velocities] * np.sqrt(rows[:, INVERSE::PIVOT])
            rows[:, Y::PIVOT] = y
            pivots.append(Packed.of(rows))
        return self._accelerations(root.q, pivots)

    def energies(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return T and V of the weight, in joules."""
        start = np.zeros(links.FALL)
        start[6:9] = self.gravity
        swept = self._outward("energies", links.energies, start, self._states(q, v))
        # what the runs of branches begin with counts once
        both = np.zeros((*q.shape[:-1], 2))
        for segment, found in zip(self.segments, swept, strict=True):
            last = found.carried.full()[..., -1, :]
            both += (last - self._before(segment.parent, swept, start))[..., 10:]
        return both[..., 0], both[..., 1] + float(self.tree.potential_constant)

    def mass_diagonal(self, q: np.ndarray) -> np.ndarray:
        """Return the diagonal of M."""
        rows = [[Packed.of(q[..., x.positions])] for x in self.segments]
        return self._gathered(self._inward("diagonal", links.diagonal, links.BODY, rows))

    # ---- kinematics

    def places(self, q: np.ndarray) -> Places:
        """Return where all links are."""
        start = np.concatenate([np.eye(3).ravel(), np.zeros(3)])
        rows = [[Packed.of(q[..., x.positions])] for x in self.segments]
        swept = self._outward("places", links.places, start, rows)
        poses = self._by_link(swept)
        batch = poses.shape[:-1]
        columns = np.empty((*q.shape[:-1], self.tree.nv, 6))
        for segment, found in zip(self.segments, swept, strict=True):
            shown = found.shown.full()
            columns[..., segment.velocities, :] = shown.reshape(
                *shown.shape[:-1], segment.velocities.shape[1], 6
            )
        return Places(poses[..., :9].reshape(*batch, 3, 3), poses[..., 9:], columns)

    def motions(self, q: np.ndarray, v: np.ndarray) -> Motions:
        """Return how all links move at zero q̈."""
        swept = self._motions(q, v)
        found = self._by_link(swept)
        K = found[..., 9:].reshape(*found.shape[:-1], 3, 3)
        return Motions(found[..., 3:6], found[..., 6:9], K, [x.shown for x in swept])

    @cached_property
    def gravity(self) -> np.ndarray:
        """The acceleration of a body that falls, in m/s²."""
        return np.array([float(x) for x in self.tree.gravity])

    # ---- passes

    def _states(self, q: np.ndarray, v: np.ndarray) -> list[list[Packed]]:
        return [
            [Packed.of(q[..., x.positions]), Packed.of(v[..., x.velocities])] for x in self.segments
        ]

    def _motions(self, q: np.ndarray, v: np.ndarray) -> list[Swept]:
        """Return accelerations at zero q̈, and show the wrenches that they take."""
        start = np.zeros(links.MOTION)
        start[3:6] = -self.gravity
        return self._outward("motions", links.motions, start, self._states(q, v))

    def _inertias(
        self, q: np.ndarray, v: np.ndarray, wrenches: Sequence[Packed], tau: np.ndarray
    ) -> list[Swept]:
        """Return the articulated inertias with all behind them, and show the pivots."""
        rows = [
            [*states, wrench, Packed.of(tau[..., x.velocities])]
            for states, wrench, x in zip(self._states(q, v), wrenches, self.segments, strict=True)
        ]
        return self._inward("inertias", links.inertias, links.INERTIA, rows)

    def _whitened(
        self, q: np.ndarray, v: np.ndarray, wrenches: Sequence[Packed], tau: np.ndarray
    ) -> tuple[np.ndarray, Root]:
        """Return D^½ y of several forces at one configuration."""
        swept = self._inertias(q, v, wrenches, tau)
        found = np.empty(tau.shape)
        pivots = []
        for segment, x in zip(self.segments, swept, strict=True):
            rows = x.shown.full()
            found[..., segment.velocities] = rows[..., Y::PIVOT] / np.sqrt(
                rows[..., INVERSE::PIVOT]
            )
            pivots.append(rows[0])
        return found, Root(q, pivots)

    def _accelerations(self, q: np.ndarray, pivots: Sequence[Packed]) -> np.ndarray:
        """Return q̈ of the forces that the pivots know."""
        rows = [
            [Packed.of(q[..., x.positions]), shown]
            for x, shown in zip(self.segments, pivots, strict=True)
        ]
        return self._gathered(
            self._outward("accelerations", links.accelerations, np.zeros(6), rows)
        )

    def _outward(
        self, name: str, step: Step, root: np.ndarray, rows: Sequence[Sequence[Packed]]
    ) -> list[Swept]:
        """Pass from the root to the tips."""
        swept: list[Swept] = []
        for s, segment in enumerate(self.segments):
            start = self._before(segment.parent, swept, root)
            # what the root does not have is zero
            known = Layout.full(root.size) if segment.parent else _layout(root)
            sweep = self._sweep(name, s, step, known, [x.layout for x in rows[s]], inward=False)
            swept.append(sweep(start, *(x.array for x in rows[s])))
        return swept

    def _inward(
        self, name: str, step: Step, size: int, rows: Sequence[Sequence[Packed]]
    ) -> list[Swept]:
        """Pass from the tips to the root; what ends at a link of another run is added there."""
        swept: dict[int, Swept] = {}
        added: dict[int, np.ndarray] = {}
        for s, segment in reversed(list(enumerate(self.segments))):
            given = list(rows[s])
            if self._has_branch[s]:
                given.append(Packed.of(added[s]))
            sweep = self._sweep(
                name, s, step, Layout(size, ()), [x.layout for x in given], inward=True
            )
            swept[s] = sweep(np.zeros(size), *(x.array for x in given))
            if segment.parent:
                end = swept[s].carried.full()[..., 0, :]
                home, place = self._home[segment.parent - 1]
                if home not in added:
                    shape = (*end.shape[:-1], len(self.segments[home].nodes), size)
                    added[home] = np.zeros(shape)
                added[home][..., place, :] += end
        return [swept[s] for s in range(len(self.segments))]

    def _sweep(
        self,
        name: str,
        s: int,
        step: Step,
        start: Layout,
        rows: Sequence[Layout],
        *,
        inward: bool,
    ) -> Sweep:
        key = (name, s, start, *rows)
        if key not in self._sweeps:
            self._sweeps[key] = Sweep(
                self.model, name, self.segments[s], step, start, rows, inward=inward
            )
        return self._sweeps[key]

    def _before(self, parent: int, swept: Sequence[Swept], root: np.ndarray) -> np.ndarray:
        """Return what was carried on to the children of a link."""
        if not parent:
            return root
        s, place = self._home[parent - 1]
        return swept[s].carried.full()[..., place, :]

    def _gathered(self, swept: Sequence[Swept]) -> np.ndarray:
        """Return what links show for each velocity as one array ``(..., nv)``."""
        first = swept[0].shown.array
        found = np.empty((*first.shape[:-2], self.tree.nv))
        for segment, x in zip(self.segments, swept, strict=True):
            found[..., segment.velocities] = x.shown.full()
        return found

    def _by_link(self, swept: Sequence[Swept]) -> np.ndarray:
        """Return what links carried on, ``(..., links, numbers)``."""
        first = swept[0].carried
        found = np.empty((*first.array.shape[:-2], len(self.tree.nodes), first.layout.size))
        for segment, x in zip(self.segments, swept, strict=True):
            found[..., list(segment.nodes), :] = x.carried.full()
        return found


def _layout(numbers: np.ndarray) -> Layout:
    return Layout(numbers.size, tuple(np.flatnonzero(numbers).tolist()))


def _first_of(rows: Packed, count: int) -> Packed:
    """Return rows for several samples: those of the first, and zeros."""
    array = np.zeros((count, *rows.array.shape))
    array[0] = rows.array
    return Packed(rows.layout, array)
