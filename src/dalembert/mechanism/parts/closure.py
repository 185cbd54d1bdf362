"""What closes a tree: loops between two frames, and couplings of joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

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
    """A relation of joints: q(joint) = law(q(others), …), which may depend on ``da.time`` too.

    Gears, belts, racks, cams, differentials. Without other joints it is a drive: the law is where
    the joint is.
    """

    name: str
    joint: str
    others: tuple[str, ...]
    law: Law

    @classmethod
    def of(cls, name: str, joint: str, other: str | None, coefficients: Sequence[Scalar]) -> Self:
        """Return the coupling q(joint) = Σ coefficients[k] · q(other)ᵏ."""
        others = () if other is None else (other,)
        return cls(name, joint, others, Law.polynomial(coefficients))

    @property
    def joints(self) -> tuple[str, ...]:
        """The names of all its joints."""
        return (self.joint, *self.others)

    def map(self, f: Callable[[Any], Any]) -> Coupling:
        """Return the coupling with f applied to every number of its law."""
        return self._replace(law=self.law.map(f))
