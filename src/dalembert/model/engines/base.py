"""What an engine made of a file: bodies, places and torques, in the coordinates of ours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from dalembert.mechanism import Mechanism


class Body(NamedTuple):
    """What moves with a joint as one body, in the frame of the joint's child link.

    Mass in kg, centre of mass (3,) in m, and the inertia about it, (3, 3) in kg m², link axes.
    """

    mass: float
    com: np.ndarray
    inertia: np.ndarray


class Reading(ABC):
    """A robot as an engine has read it.

    Attributes:
        joints: The joints that have coordinates there, by their names.
        bodies: What moves with a joint, by the joint's child link.
        coupled: Joints that follow others there, by whatever means.
    """

    joints: frozenset[str]
    bodies: Mapping[str, Body]
    coupled: frozenset[str]

    @abstractmethod
    def places(self, q: np.ndarray) -> dict[str, np.ndarray]:
        """Return the poses X_WL, (4, 4), of the links that the engine knows, at our q."""

    @abstractmethod
    def torque(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Return τ of the rigid bodies, without springs and friction, for our q, q̇ and q̈."""


class Engine(ABC):
    """An engine that reads URDF; a new one is a file beside this, and an entry of `ENGINES`.

    Attributes:
        name: As people write it.
        module: What Python imports.
        mimic_advice: How to keep joints that follow others, where the engine can.
    """

    name: str
    module: str
    mimic_advice: str = ""

    @abstractmethod
    def read(self, text: str, mechanism: Mechanism) -> Reading:
        """Read the text of a URDF as the engine does unless told otherwise.

        Args:
            text: The URDF.
            mechanism: What we made of it: which links belong to which joints.

        Raises:
            MissingDependency: the engine is not installed.
            Exception: whatever the engine raises for a file that it refuses.
        """
