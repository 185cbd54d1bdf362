"""What every figure in the scene can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from dalembert.studio.state import Moment
    from dalembert.types import Array


class Figure(Protocol):
    """A robot or points in a scene.

    Attributes:
        size: A length to measure other things by, in m.
        low, centre: The lowest corner and the middle as it stands at first, in m.
        names: The places on it that have names.
    """

    size: float
    low: Array
    centre: Array

    @property
    def names(self) -> list[str]: ...

    def show(self, moment: Moment) -> None:
        """Move it to a configuration."""
        ...

    def place(self, name: str, moment: Moment) -> tuple[Array, Array]:
        """Return where a named place is, ``(3,)`` in m, and its Jacobian ``(3, nv)``."""
        ...

    def remove(self) -> None:
        """Take it out of the scene."""
        ...
