"""The picture of a mechanism: links from joint to joint, springs, tracks and joints."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

from dalembert.expr import Expr, as_expr
from dalembert.mechanism import Frame, Joint, JointKind, Mechanism
from dalembert.mechanism.parts.spring import Bushing, PointSpring
from dalembert.model.pictures.shapes import CART, CORNERS
from dalembert.model.pictures.system import MAX_LABELS, subscripted
from dalembert.picture.outline import across
from dalembert.picture.parts import Area, Label, Line, Mass, Part, Pin, Rail, Spring, Support
from dalembert.picture.picture import Picture, Point
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import rotate

TURNING = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.SPHERICAL, JointKind.HELICAL)
"""Joints whose child keeps its origin, or turns about an axis through it."""


def picture_of_mechanism(mechanism: Mechanism, X_W: Mapping[str, Pose]) -> Picture:
    """Return what a drawing of a mechanism shows.

    Points are the origins of links and frames, the ends of loops and springs, and the centres of
    mass of links that carry nothing.

    Args:
        mechanism: What is drawn.
        X_W: The pose of every link, over expressions.
    """
    drawing = _Drawing(mechanism, X_W)
    return Picture(drawing.points, drawing.parts(), "its kinematics")


class _Drawing:
    def __init__(self, mechanism: Mechanism, X_W: Mapping[str, Pose]) -> None:
        self._mechanism, self._X_W = mechanism, X_W
        self.points: dict[str, Point] = {link.name: X_W[link.name].p for link in mechanism.links}
        self._virtual = _virtual_joints(mechanism)
        self._fixed = self._supports()
        self._lines: list[tuple[str, str]] = []
        self._slides: list[Part] = []
        self._masses: list[str] = []
        self._draw_joints()
        for frame in mechanism.frames:
            self._draw_frame(frame, frame.name)
        ends = [frame for loop in mechanism.loops for frame in (loop.first, loop.second)]
        for i, frame in enumerate(ends, 1):
            self._draw_frame(frame, f"loop end {i}")
        self._springs = self._draw_springs()
        self._draw_centres()

    def parts(self) -> tuple[Part, ...]:
        """Return the parts, from the back to the front."""
        lines: list[Part] = [Line(x) for x in dict.fromkeys(self._lines) if x[0] != x[1]]
        pins = [
            joint.child
            for joint in self._mechanism.joints
            if joint.nv and joint.child not in self._fixed and joint.name not in self._virtual
        ]
        joints: list[Part] = [Support((name,)) for name in self._fixed]
        joints += [Pin((name,)) for name in pins]
        masses: list[Part] = [Mass((name,)) for name in self._masses]
        return (*self._slides, *lines, *self._springs, *masses, *joints, *self._labels())

    def _supports(self) -> tuple[str, ...]:
        """Return the points of the ground: its pivots where it has several, else its origin.

        A mechanism that is free in space has none, nor one that slides on a track.
        """
        root = self._mechanism.root
        held = [joint for joint in self._mechanism.joints if joint.parent == root]
        free = [x for x in held if x.kind is JointKind.FLOATING or x.name in self._virtual]
        if held and (len(free) == len(held) or all(_is_slide(x, root) for x in held)):
            return ()
        pivots = tuple(joint.child for joint in held if joint.kind in TURNING)
        return pivots if len(pivots) > 1 else (root,)

    def _draw_joints(self) -> None:
        root = self._mechanism.root
        for joint in self._mechanism.joints:
            # the ground between its pivots is no rod, nor is what lies between it and a free body
            is_ground = joint.parent == root and joint.child in self._fixed
            if joint.kind is JointKind.FLOATING or is_ground or joint.name in self._virtual:
                continue
            if not (_is_slide(joint, root) and self._draw_slide(joint)):
                self._lines.append((joint.parent, joint.child))

    def _draw_slide(self, joint: Joint) -> bool:
        """Draw a block on a track for what slides along the ground; False where it is not known."""
        X_WJ = self._X_W[joint.parent] @ joint.placement
        way = [as_expr(x) for x in rotate(X_WJ.R, joint.axis)]
        if any(x.symbols for x in way):
            return False
        along = [float(x) for x in way]
        up = [float(x) for x in across(along)]  # type: ignore[arg-type]
        if up[1] < 0 or abs(along[1]) > abs(along[0]):
            up = [-x for x in up]
        own, half = self.points[joint.child], [side * self._length / 2 for side in CART]
        corners = {
            f"{joint.child} corner {i}": _moved(own, (s * half[0], along), (t * half[1], up))
            for i, (s, t) in enumerate(CORNERS, 1)
        }
        track = {
            f"{joint.child} track": _moved(own, (-half[1], up)),
            f"{joint.child} track ahead": _moved(own, (-half[1], up), (half[0], along)),
        }
        self.points |= corners | track
        self._slides += [Rail(tuple(track)), Area(tuple(corners))]
        return True

    @property
    def _length(self) -> float:
        """What is usual among the lengths of links, in m."""
        places = [[as_expr(x) for x in joint.placement.p] for joint in self._mechanism.joints]
        places += [[as_expr(x) for x in frame.placement.p] for frame in self._mechanism.frames]
        numbers = [sum(float(x) ** 2 for x in p) ** 0.5 for p in places if _is_number(p)]
        return median([x for x in numbers if x > 1e-9] or [1.0])

    def _draw_frame(self, frame: Frame, name: str) -> None:
        # a frame may be called as a link is
        point = name if name not in self.points else f"frame {name}"
        self.points[point] = (self._X_W[frame.link] @ frame.placement).p
        self._lines.append((frame.link, point))

    def _draw_springs(self) -> list[Part]:
        parts: list[Part] = []
        for spring in self._mechanism.springs:
            if not isinstance(spring, PointSpring | Bushing):
                continue
            ends = (f"spring {spring.name} start", f"spring {spring.name} end")
            for end, frame in zip(ends, (spring.first, spring.second), strict=True):
                self.points[end] = (self._X_W[frame.link] @ frame.placement).p
                if frame.link != self._mechanism.root:
                    self._lines.append((frame.link, end))
                else:
                    parts.append(Support((end,)))
            parts.append(Spring(ends))
        return parts

    def _draw_centres(self) -> None:
        inner = {start for start, _ in self._lines}
        for link in self._mechanism.links[1:]:
            m, h, _ = link.inertia
            if link.name in inner or m == 0:
                continue
            name = link.name
            if any(x != 0 for x in h):
                name = f"centre of {link.name}"
                self.points[name] = self._X_W[link.name].point(_divided(h, m))
                self._lines.append((link.name, name))
            self._masses.append(name)

    def _labels(self) -> list[Part]:
        """Return q₁, q₂, … at joints with one coordinate; none where there are too many."""
        labels: list[Part] = []
        place = 0
        for joint in self._mechanism.joints:
            if joint.nv == 1 and not joint.mimic and joint.name not in self._virtual:
                text = subscripted(f"q{place + 1}")
                labels.append(Label((joint.child,), text=text))
            place += 0 if joint.mimic else joint.nv
        return labels if len(labels) <= MAX_LABELS else []


def _virtual_joints(mechanism: Mechanism) -> set[str]:
    """Return joints that stand for a free base: chains of massless links with a slider."""
    slides: dict[str, bool] = {mechanism.root: False}
    found = []
    for joint in mechanism.joints:
        if joint.parent not in slides or joint.nv != 1:
            continue
        is_sliding = slides[joint.parent] or joint.kind is JointKind.PRISMATIC
        if mechanism.link(joint.child).is_massless:
            slides[joint.child] = is_sliding
            found.append((joint.name, is_sliding))
        elif slides[joint.parent]:
            found.append((joint.name, True))
    return {name for name, is_sliding in found if is_sliding}


def _is_slide(joint: Joint, root: str) -> bool:
    return joint.kind is JointKind.PRISMATIC and joint.parent == root


def _is_number(place: list[Expr]) -> bool:
    return not any(x.symbols for x in place)


def _moved(place: Point, *ways: tuple[float, list[float]]) -> Point:
    x, y, z = (as_expr(x) + sum(size * way[k] for size, way in ways) for k, x in enumerate(place))
    return x, y, z


def _divided(h: Any, m: Any) -> Any:
    return h[0] / m, h[1] / m, h[2] / m
