"""What closes a tree: loops between two frames, and couplings between two joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dalembert.expr.data import packable
from dalembert.mechanism.parts.law import Law
from dalembert.mechanism.parts.link import Frame
from dalembert.types import Scalar


@packable
class Loop(NamedTuple):
    """A closure of the tree between two frames, each on a link.

    ``kind`` "point" keeps the origins together, "frame" the origins and the orientations. The
    origins may move on their links with ``da.time``: so a point follows a prescribed path.
    """

    name: str
    kind: str
    first: Frame
    second: Frame

    def map(self, f: Callable[[Any], Any]) -> Loop:
        """Return the loop with f applied to every number."""
        return self._replace(first=self.first.map(f), second=self.second.map(f))


@packable
class Coupling(NamedTuple):
    """A relation of two joints: q(joint) = Σ coefficients[k] · q(other)ᵏ + profile(q(other)).

    Coefficients and the profile, which is that of a cam, may depend on ``da.time``. Without another
    joint it is a drive: the one coefficient is where the joint is.
    """

    name: str
    joint: str
    other: str | None
    coefficients: tuple[Scalar, ...]
    profile: Law | None = None

    def map(self, f: Callable[[Any], Any]) -> Coupling:
        """Return the coupling with f applied to every coefficient."""
        coefficients = tuple(f(c) for c in self.coefficients)
        return self._replace(
            coefficients=coefficients, profile=self.profile and self.profile.map(f)
        )
