"""Frames: named places on links."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dalembert.spatial.pose import Pose


class Frame(NamedTuple):
    """A named frame fixed to a link."""

    name: str
    link: str
    placement: Pose = Pose()

    def map(self, f: Callable[[Any], Any]) -> Frame:
        """Return the frame with f applied to every number."""
        return self._replace(placement=self.placement.map(f))
