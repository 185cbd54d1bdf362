"""The one place that tells mechanisms from systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from dalembert.errors import InvalidMechanism
from dalembert.mechanics.system.system import System
from dalembert.mechanism import Mechanism

T = TypeVar("T")


def by_kind(
    description: System | Mechanism,
    purpose: str,
    *,
    mechanism: Callable[[Mechanism], T],
    system: Callable[[System], T],
) -> T:
    """Return what the function for this kind of description returns.

    Args:
        description: What `da.load`, a builder or `da.System` gave.
        purpose: What it is wanted for, as "to compile": the error says so.
        mechanism, system: What is called, one for each kind.

    Raises:
        InvalidMechanism: the description is of neither kind.

    >>> from dalembert import textbook
    >>> kinds = {"mechanism": lambda x: x.name, "system": lambda x: "a system"}
    >>> by_kind(textbook.robots.ur5e(), "to name", **kinds)
    'ur5e'
    >>> by_kind(textbook.particle(), "to name", **kinds)
    'a system'
    """
    if isinstance(description, Mechanism):
        return mechanism(description)
    if isinstance(description, System):
        return system(description)
    raise InvalidMechanism(
        f"expected a Mechanism or a System {purpose}, got {type(description).__name__}: "
        "da.load reads a file, da.System takes energies"
    )
