"""Where everything in an SDF model is: poses relative to each other become poses in the world.

SDF 1.7 and later: links, joints, frames and models have poses, each relative to another one of
them. Names inside a nested model are ``model::name`` from outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.io.xml.xml import Element
from dalembert.spatial.exact import exact, rotation_from_quaternion
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation.quaternion import from_matrix
from dalembert.spatial.vectors import IDENTITY

WORLD = "world"
MODEL = "__model__"
# digits of a number beyond which a product of poses is rounded: their fractions grow without end
MAX_BITS = 256


@dataclass
class Item:
    """A thing with a pose: ``scope`` is the model it is in, as a prefix such as ``arm::``.

    ``attached_to`` is the name of what it moves with; None for a link, which moves by itself.
    """

    element: Element
    scope: str
    pose: Pose
    relative_to: str
    attached_to: str | None
    placement_frame: str = ""


@dataclass
class Places:
    """All items of a model by their full names."""

    report: Report
    items: dict[str, Item] = field(default_factory=dict)
    _found: dict[str, Pose] = field(default_factory=dict)

    def add(self, name: str, item: Item) -> None:
        """Add an item; a name that comes twice in a model is an error."""
        if name in self.items:
            first = self.items[name].element.line
            message = f"expected distinct names in a model, got {shown(name)} also at line {first}"
            self.report.error(item.element, "", message, "rename one of them", "name")
        else:
            self.items[name] = item

    def full_name(self, name: str, scope: str, place: Element, owner: str) -> str | None:
        """Return the full name of what a name means in a scope, None with the reason reported."""
        if name == WORLD:
            return WORLD
        for candidate in (scope + name, scope + name + "::" + MODEL):
            if candidate in self.items:
                return candidate
        known = [x.removeprefix(scope) for x in self.items if x.startswith(scope)]
        message = f"expected a link, joint or frame of the model, got {shown(name)}"
        self.report.error(place, owner, message, self.report.nearest(name, known))
        return None

    def in_world(self, name: str) -> Pose:
        """Return X_W of an item by its full name."""
        if name == WORLD:
            return Pose()
        # from the nearest pose that is known outwards
        chain = []
        for step in self._up(name):
            chain.append(step)
            if step in self._found:
                break
        X = Pose()
        for step in reversed(chain):
            if step not in self._found:
                self._found[step] = short(X @ self._own(step))
            X = self._found[step]
        return X

    def link_of(self, name: str) -> str | None:
        """Return the full name of the link that an item moves with; the world is one."""
        seen: list[str] = []
        while name != WORLD and (item := self.items[name]).attached_to is not None:
            if name in seen:
                self._report_ring([*seen[seen.index(name) :], name], "attached_to")
                return None
            seen.append(name)
            to = self.full_name(item.attached_to, item.scope, item.element, "")
            if to is None:
                return None
            name = to
        return name

    def _own(self, name: str) -> Pose:
        """Return the pose of an item in what it is relative to."""
        item = self.items[name]
        if not item.placement_frame:
            return item.pose
        # the pose is that of the placement frame: X_model = pose · X_model,frame⁻¹
        scope = name.removesuffix(MODEL)
        frame = self.full_name(item.placement_frame, scope, item.element, "")
        X = Pose()
        for step in self._up(frame, name) if frame else ():
            X = self._own(step) @ X
        return item.pose @ X.inverse()

    def _up(self, name: str, end: str = WORLD) -> Iterator[str]:
        """Yield the names from an item to what its pose counts from in the end."""
        seen: list[str] = []
        at: str | None = name
        while at is not None and at not in (WORLD, end):
            if at in seen:
                self._report_ring([*seen[seen.index(at) :], at], "relative_to")
                return
            seen.append(at)
            yield at
            item = self.items[at]
            at = self.full_name(item.relative_to, item.scope, item.element, "")

    def _report_ring(self, ring: list[str], what: str) -> None:
        message = f"expected poses that count from the model in the end, got the ring of {what} "
        place = self.items[ring[0]].element
        remedy = "change one of them"
        self.report.error(place, "", message + " → ".join(map(shown, ring[:8])), remedy, what)


def short(X: Pose) -> Pose:
    """Return a pose with short numbers: rounded to doubles where products have made them long."""
    longest = max(
        max(x.numerator.bit_length(), x.denominator.bit_length())
        for x in (*X.p, *(k for row in X.R for k in row))
    )
    if longest <= MAX_BITS:
        return X
    values = X.map(float)
    R = IDENTITY if X.R == IDENTITY else rotation_from_quaternion(*from_matrix(values.R))
    try:
        return Pose(R, tuple(exact(x) for x in values.p))  # type: ignore[arg-type]
    except OverflowError:
        raise InvalidMechanism("expected poses that a double can hold, got larger ones") from None
