"""Motions one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.references.base import Motion, Reference

if TYPE_CHECKING:
    from dalembert.types import Array


@dataclass(frozen=True, eq=False)
class Consecutive(Reference):
    """Motions one after the other, each of which begins where the last one ends."""

    motions: Sequence[Reference]

    @cached_property
    def breaks(self) -> Array:
        """When each motion begins, and the end of the last."""
        return np.concatenate([[0.0], np.cumsum([motion.duration for motion in self.motions])])

    @property
    def duration(self) -> float:  # type: ignore[override]
        """How long all of them take."""
        return float(self.breaks[-1])

    def at(self, t: Array) -> Motion:
        which = np.clip(np.searchsorted(self.breaks, t, side="right") - 1, 0, len(self.motions) - 1)
        if which.ndim == 0:
            return self._of(int(which), t)
        parts = [self._of(k, t[which == k]) for k in range(len(self.motions))]
        found = []
        for arrays in zip(*parts, strict=True):
            whole = np.empty((*t.shape, *arrays[0].shape[1:]))
            for k, x in enumerate(arrays):
                whole[which == k] = x
            found.append(whole)
        return Motion(*found)

    def _of(self, k: int, t: Array) -> Motion:
        motion = self.motions[k]
        return motion.at(np.clip(t - self.breaks[k], 0.0, motion.duration))

    def peaks(self) -> tuple[Array, Array]:
        """Return the largest peaks of all motions."""
        peaks = [motion.peaks() for motion in self.motions]
        return np.max([v for v, _ in peaks], axis=0), np.max([a for _, a in peaks], axis=0)
