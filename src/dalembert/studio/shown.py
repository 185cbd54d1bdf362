"""What is shown: a robot or a system, each with its own figure, way up and frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.expr import Expr, Kind, Scalar, free_symbols, is_kind, symbol_text
from dalembert.mechanics import Equations, System
from dalembert.mechanics.kinds import by_kind
from dalembert.mechanism import Mechanism
from dalembert.model import Model, compile
from dalembert.model.pictures.place import PictureFunction
from dalembert.report.about.units import Units, no_units, units_of_joints
from dalembert.studio.scene.drawn import Drawn
from dalembert.studio.scene.figure import Figure
from dalembert.studio.scene.robot import Robot
from dalembert.studio.terms import EXACT_JOINTS

if TYPE_CHECKING:
    import viser

    from dalembert.types import Array

GHOST = (150, 150, 160)
OPACITY = 0.3


class Shown(ABC):
    """A description with its compiled model.

    Attributes:
        model: With a number for every parameter.
        parameters: The names of all parameters.
    """

    def __init__(self, description: System | Mechanism, values: Mapping[str, Scalar]) -> None:
        used = {symbol_text(x): x for x in description.parameters}
        known = {x: values[word] for word, x in used.items() if word in values}
        self.model: Model = compile(description, parameters=known)
        self.parameters = set(used)

    @property
    @abstractmethod
    def equations(self) -> Callable[[], Equations] | None:
        """What derives the equations; None where they are too long to read beside a picture."""

    @property
    @abstractmethod
    def up(self) -> Array:
        """The direction against gravity, a unit vector."""

    @property
    @abstractmethod
    def frames(self) -> list[str]:
        """Names of links and frames, the last of which is the tip; none of a system."""

    @property
    @abstractmethod
    def units(self) -> Units:
        """Units of coordinates and forces."""

    @abstractmethod
    def figure(self, scene: viser.SceneApi, q: Array, *, is_ghost: bool = False) -> Figure:
        """Draw it where it stands."""


class ShownRobot(Shown):
    """Links by their shapes."""

    def __init__(self, mechanism: Mechanism, values: Mapping[str, Scalar]) -> None:
        super().__init__(mechanism, values)
        self._mechanism = mechanism

    @property
    def equations(self) -> Callable[[], Equations] | None:
        """Those of few joints."""
        return self._mechanism.equations if self._mechanism.nv <= EXACT_JOINTS else None

    @property
    def up(self) -> Array:
        """Against the gravity of the mechanism; z where there is none."""
        pull = np.array([_sign_or_number(x) for x in self._mechanism.gravity])
        length = np.linalg.norm(pull)
        return -pull / length if length else np.array([0.0, 0.0, 1.0])

    @property
    def frames(self) -> list[str]:
        """Links, the one that most joints move the last, then named frames."""
        mechanism = self._mechanism
        depths = {mechanism.root: (0, 0)}
        for joint in mechanism.joints:
            moving, all_joints = depths[joint.parent]
            depths[joint.child] = moving + bool(joint.nv), all_joints + 1
        tip = max(depths, key=lambda link: depths[link])
        links = [x.name for x in mechanism.links if x.name != tip]
        return list(dict.fromkeys([*links, tip, *(x.name for x in mechanism.frames)]))

    @property
    def units(self) -> Units:
        """Those of joints."""
        return units_of_joints(self.model.configuration)

    def figure(self, scene: viser.SceneApi, q: Array, *, is_ghost: bool = False) -> Figure:
        """Draw the links."""
        if is_ghost:
            return Robot(scene, self.model, q, name="/ghost", opacity=OPACITY, tint=GHOST)
        return Robot(scene, self.model, q, name="/figure")


class ShownSystem(Shown):
    """A system by its picture."""

    def __init__(
        self,
        system: System,
        values: Mapping[str, Scalar],
        points: Mapping[str, Sequence[Expr]],
    ) -> None:
        super().__init__(system, values)
        self._system = system
        picture = self.model.description.picture(points or None)
        drawn = free_symbols(picture.expressions())
        self.parameters |= {symbol_text(x) for x in drawn if is_kind(x, Kind.PARAMETER)}
        self._picture, self._values = picture, values

    @property
    def equations(self) -> Callable[[], Equations]:
        """Those of a system are there to be read."""
        return self._system.equations

    @property
    def up(self) -> Array:
        """y: points of a system are in the plane."""
        return np.array([0.0, 1.0, 0.0])

    @property
    def frames(self) -> list[str]:
        """None: it has no links."""
        return []

    @property
    def units(self) -> Units:
        """None are known."""
        return no_units(self.model.configuration)

    def figure(self, scene: viser.SceneApi, q: Array, *, is_ghost: bool = False) -> Figure:
        """Draw the picture."""
        name, opacity = ("/ghost", OPACITY) if is_ghost else ("/figure", None)
        tint = GHOST if is_ghost else None
        function = PictureFunction(self.model, self._picture, self._values)
        return Drawn(scene, self.model, function, q, name=name, opacity=opacity, tint=tint)


def shown(
    description: System | Mechanism,
    values: Mapping[str, Scalar],
    points: Mapping[str, Sequence[Expr]],
) -> Shown:
    """Return what is shown of a description, with values of its parameters by name.

    Raises:
        InvalidMechanism: it is neither a mechanism nor a system.
    """
    return by_kind(
        description,
        "to show",
        mechanism=lambda x: ShownRobot(x, values),
        system=lambda x: ShownSystem(x, values, points),
    )


def _sign_or_number(x: Scalar) -> float:
    """Return a number; of a symbol such as g, which is positive, 1, and -1 of -g."""
    if not isinstance(x, Expr):
        return float(x)
    return -1.0 if str(x).startswith("-") else 1.0
