"""Figures that a test of a promise tells: how much was tried, and how large the worst error was.

They travel with the report of the test; `python -m tools.trust` adds them up and writes the page.
"""

from __future__ import annotations

from typing import Any


class Figures:
    """What one test has seen, by name."""

    def __init__(self, properties: list[tuple[str, Any]]) -> None:
        self._properties = properties

    def count(self, name: str, number: int = 1) -> None:
        """Add to a number of cases; those of all tests of a promise are added up."""
        self._properties.append((f"count {name}", int(number)))

    def worst(self, name: str, value: float) -> None:
        """Tell an error; of all tests of a promise the largest is shown."""
        self._properties.append((f"worst {name}", float(value)))
