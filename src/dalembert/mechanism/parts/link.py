"""Links: named bodies with inertia, and named frames fixed to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from dalembert.expr.data import packable
from dalembert.mechanism.given import items
from dalembert.mechanism.parts.shape import Shape
from dalembert.spatial.exact import exact, exact_vector
from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import ZERO
from dalembert.types import Scalar


@packable
@dataclass(frozen=True)
class Link:
    """A rigid link; ``inertia`` is about the origin of the link's frame.

    ``has_inertia`` tells a link that was given an inertia (even zero) from one that was not.
    ``visuals`` are shapes to look at, ``collisions`` shapes that touch; neither has a part in the
    equations of motion.
    """

    name: str
    inertia: Inertia = NO_INERTIA
    has_inertia: bool = False
    visuals: tuple[Shape, ...] = ()
    collisions: tuple[Shape, ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        *,
        mass: Scalar | None = None,
        com: Sequence[Scalar] = (0, 0, 0),
        inertia: Sequence[Scalar] | None = None,
    ) -> Link:
        """Return a link from its mass, centre of mass and inertia about the centre of mass.

        Args:
            name: the link's name.
            mass: in kg; without it the link has no inertia at all.
            com: the centre of mass in the link's frame, (3,), in m.
            inertia: (xx, yy, zz) or (xx, yy, zz, xy, xz, yz) in kg m², link axes; without it the
                link is a point mass.
        """
        if mass is None:
            return cls(name)
        values: list[Any] = [0] * 6
        if inertia is not None:
            where = f"the inertia of link {name!r:.60}"
            values = [exact(k) for k in items(inertia, [3, 6], "3 or 6 numbers", where)]
        if len(values) == 3:
            values += [0, 0, 0]
        xx, yy, zz, xy, xz, yz = values
        tensor = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        return cls(name, Inertia.from_com(exact(mass), exact_vector(com), tensor), True)

    @property
    def is_massless(self) -> bool:
        """Tell whether the link has neither mass nor inertia."""
        m, h, tensor = self.inertia
        return m == 0 and h == ZERO and all(k == 0 for k in tensor)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """All shapes, those to look at first."""
        return (*self.visuals, *self.collisions)

    def map(self, f: Callable[[Any], Any]) -> Link:
        """Return the link with f applied to every number."""
        changed = self.with_shapes(lambda shape: shape.map(f))
        return replace(changed, inertia=self.inertia.map(f))

    def with_shapes(self, change: Callable[[Shape], Shape | None]) -> Link:
        """Return the link with every shape changed, or left out where the change gives None."""
        if not self.shapes:
            return self
        visuals, collisions = (
            tuple(new for shape in shapes if (new := change(shape)) is not None)
            for shapes in (self.visuals, self.collisions)
        )
        return replace(self, visuals=visuals, collisions=collisions)


@packable
class Frame(NamedTuple):
    """A named frame fixed to a link."""

    name: str
    link: str
    placement: Pose = Pose()

    def map(self, f: Callable[[Any], Any]) -> Frame:
        """Return the frame with f applied to every number."""
        return self._replace(placement=self.placement.map(f))
