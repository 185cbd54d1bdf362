"""A function that stands in front of compiled ones and may be held from before there are any."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dalembert.kernel.call.kernel import Call


class Door(ABC):
    """A function for Python that gives plain calls to compiled functions, without running Python.

    Calls with as many plain arguments as there are inputs go to the function for the value of the
    option: one more argument, a keyword, or None. Calls with ``out=`` alone go to the writer. All
    others go to a fallback, whose name, docstring and signature the function has.
    """

    @property
    @abstractmethod
    def function(self) -> Call:
        """The function to hold and to call."""

    @abstractmethod
    def lead_to(self, call: Call, chosen: Hashable = None) -> None:
        """Give the calls with this value of the option to a function of the inputs."""

    @abstractmethod
    def write_by(self, writer: Call) -> None:
        """Give the calls with ``out=`` to a function of the inputs and the array to write into."""
