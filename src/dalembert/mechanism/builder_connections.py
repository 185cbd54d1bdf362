"""What a builder puts between links and joints: couplings, drives, springs, bushings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Self, Unpack

from dalembert.mechanism.builder_arguments import (
    Laws,
    Point,
    ends_of,
    laws_of,
    terms_of,
    with_matrices,
)
from dalembert.mechanism.parts.closure import Coupling
from dalembert.mechanism.parts.law import Law
from dalembert.mechanism.parts.spring import Bushing, JointSpring, PointSpring, Spring
from dalembert.spatial.exact import exact
from dalembert.types import Scalar


class Connections:
    """The part of a `Builder` that relates links and joints to each other."""

    def __init__(self) -> None:
        self.couplings: list[Coupling] = []
        self.springs: list[Spring] = []

    def couple(
        self,
        name: str,
        joint: str,
        other: str | Sequence[str] | Mapping[str, Scalar],
        ratio: Scalar | Callable[..., Scalar] = 1,
        offset: Scalar = 0,
    ) -> Self:
        """Couple joints as gears, belts and racks do: q(joint) = offset + ratio · q(other).

        For a cam ``ratio`` is a function: q(joint) = offset + ratio(q(other)). It gets an
        expression, returns one, and may use ``da.time``. Of several others it gets one each; where
        they act linearly, as in a differential, a mapping gives their factors:
        ``couple("diff", "carrier", {"left": 0.5, "right": 0.5})``.

        >>> import dalembert as da
        >>> cam = da.Builder("cam", gravity=(0, 0, 0)).link("wheel", mass=1, inertia=(1, 1, 1))
        >>> cam = cam.revolute("shaft", "wheel").link("rod", mass=1)
        >>> cam = cam.prismatic("lift", "rod", parent="world", axis="x")
        >>> print(cam.couple("lobe", "lift", "shaft", lambda a: da.cos(a) / 50).build().equations())
        q̈₁ = τ₁ + s₁ λ₁/50
        q̈₂ = τ₂ + λ₁
        with q₂ - c₁/50 = 0
        where c₁ = cos(q₁), s₁ = sin(q₁)
        """
        where = f"coupling {name!r}"
        terms, start = terms_of(other, where), exact(offset)
        if callable(ratio):
            law = Law.of(lambda *x: ratio(*x) + start, len(terms), f"the law of {where}")
        else:
            law = Law.linear([k * exact(ratio) for k in terms.values()], start)
        self.couplings.append(Coupling(name, joint, tuple(terms), law))
        return self

    def drive(self, name: str, joint: str, position: Scalar) -> Self:
        """Prescribe the position of a hinge or slider, an expression of ``da.time`` (rad or m).

        The multiplier λ of this constraint is the torque or force that it takes (N m or N). To
        prescribe the path of a point, close a `loop` between it and a point of the root whose
        coordinates are expressions of the time.

        >>> import dalembert as da
        >>> arm = da.Builder("arm").link("rod", mass=1, com=(1, 0, 0)).revolute("hinge", "rod")
        >>> print(arm.drive("crank", "hinge", da.sin(da.time)).build().equations())
        q̈₁ = τ₁ + λ₁
        with q₁ - sin(t) = 0
        """
        self.couplings.append(Coupling.of(name, joint, None, [exact(position)]))
        return self

    def spring(
        self,
        name: str,
        first: Point,
        second: Point,
        *,
        stiffness: Scalar = 0,
        rest_length: Scalar = 0,
        damping: Scalar = 0,
        armature: Scalar = 0,
        **laws: Unpack[Laws],
    ) -> Self:
        """Put a spring and damper between two points, (link, point) each; see `PointSpring`.

        ``potential`` and ``dissipation`` are functions for laws that are not linear, of the
        extension x and of x and ẋ: expressions in, an expression out, ``da.time`` allowed.

        >>> import dalembert as da
        >>> (k,) = da.parameters("k")
        >>> mass = da.Builder("mass", gravity=(0, 0, 0)).link("block", mass=1)
        >>> mass = mass.prismatic("slide", "block", axis="x", origin=(1, 0, 0))
        >>> ends = ("world", (0, 0, 0)), ("block", (0, 0, 0))
        >>> mass = mass.spring("s", *ends, rest_length=1, potential=lambda x: k * x**4 / 4)
        >>> mass.build().parameters
        (k,)
        """
        numbers = (exact(stiffness), exact(rest_length), exact(damping), exact(armature))
        made = laws_of(laws, 1, f"spring {name!r}")
        self.springs.append(PointSpring(name, *ends_of(name, first, second), *numbers, *made))
        return self

    def bushing(
        self,
        name: str,
        first: Point,
        second: Point,
        *,
        stiffness: Sequence[Scalar] | Sequence[Sequence[Scalar]] | None = None,
        damping: Sequence[Scalar] | Sequence[Sequence[Scalar]] | None = None,
        **laws: Unpack[Laws],
    ) -> Self:
        """Mount a link softly on another, (link, point) each with the axes of the links.

        ``stiffness`` and ``damping`` are six numbers or symmetric 6 × 6 matrices K and D of the
        extensions x of a `Bushing`, displacements before turns (N/m, N m/rad): V = ½ xᵀ K x and
        R = ½ ẋᵀ D ẋ. Laws that are not linear are functions ``potential`` of the six x, and
        ``dissipation`` of these and their six rates.
        """
        where = f"bushing {name!r}"
        made = laws_of(with_matrices(laws, stiffness, damping, where), 6, where)
        self.springs.append(Bushing(name, *ends_of(name, first, second), *made))
        return self

    def joint_spring(
        self,
        name: str,
        joint: str | Mapping[str, Scalar],
        other: str | None = None,
        *,
        stiffness: Scalar = 0,
        ratio: Scalar = 1,
        rest: Scalar = 0,
        damping: Scalar = 0,
        armature: Scalar = 0,
        **laws: Unpack[Laws],
    ) -> Self:
        """Put a spring and damper over joints; see `JointSpring`.

        On one joint x = q(joint) - rest, between two x = q(joint) - ratio · q(other) - rest. Over
        any number of them, as a tendon has it, ``joint`` is a mapping from joints to factors:
        x = Σ factor · q(joint) - rest. ``potential`` and ``dissipation`` are functions as those of
        `spring`.

        >>> import dalembert as da
        >>> hand = da.Builder("finger", gravity=(0, 0, 0))
        >>> for k in "abc":
        ...     hand = hand.link(k, mass=1).prismatic(f"j{k}", k, axis="x", parent="world")
        >>> hand = hand.joint_spring("tendon", {"ja": 1, "jb": 2, "jc": -1}, stiffness=5)
        >>> print(hand.build().equations().N.T)
        [5 (q₁ + 2 q₂ - q₃)  10 (q₁ + 2 q₂ - q₃)  5 (q₃ - q₁ - 2 q₂)]
        """
        where = f"spring {name!r}"
        terms = terms_of(joint, where)
        if other is not None:
            for second in terms_of(other, where):
                terms[second] = exact(terms.get(second, 0) - exact(ratio))
        numbers = (exact(stiffness), exact(rest), exact(damping), exact(armature))
        made = laws_of(laws, 1, where)
        self.springs.append(JointSpring(name, tuple(terms.items()), *numbers, *made))
        return self
