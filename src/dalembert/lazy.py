"""Public names whose packages load when they are first used: `import dalembert` stays quick."""

from __future__ import annotations

import importlib
import sys
from typing import Any

PACKAGES = ("analysis", "control", "ik", "report", "simulation")

NAMES = {
    "Configuration": "dalembert.model.configuration",
    "Solution": "dalembert.ik",
    "Trajectory": "dalembert.simulation",
    "check_answer": "dalembert.mechanics.answers",
    "animate": "dalembert.analysis",
    "ellipsoid": "dalembert.analysis",
    "manipulability": "dalembert.analysis",
    "rollout": "dalembert.simulation",
    "simulate": "dalembert.simulation",
    "solve_ik": "dalembert.ik",
}
"""For each name the package that has it."""


def load(name: str) -> Any:
    """Return a public name; Python asks for it when `dalembert` does not have it yet."""
    if name in PACKAGES:
        return importlib.import_module(f"dalembert.{name}")
    if name not in NAMES:
        raise AttributeError(f"module 'dalembert' has no attribute {name!r}")
    value = getattr(importlib.import_module(NAMES[name]), name)
    # the next time it is found at once
    setattr(sys.modules["dalembert"], name, value)
    return value


def names() -> list[str]:
    """Return all names, loaded or not."""
    return sorted({*vars(sys.modules["dalembert"]), *PACKAGES, *NAMES})
