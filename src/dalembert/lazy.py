"""Public names whose packages load when they are first used: `import dalembert` stays quick."""

from __future__ import annotations

import importlib
import sys
from typing import Any

PACKAGES = (
    "analysis",
    "control",
    "identification",
    "ik",
    "mechanism",
    "picture",
    "report",
    "simulation",
    "textbook",
)

MODULES = {
    "dalembert.analysis": ("animate", "ellipsoid", "manipulability"),
    "dalembert.expr.mixing.from_sympy": ("from_sympy",),
    "dalembert.expr.mixing.to_sympy": ("to_sympy",),
    "dalembert.reader.parse": ("parse",),
    "dalembert.identification": ("identify",),
    "dalembert.ik": ("Solution", "solve_ik"),
    "dalembert.kernel": ("compile_function",),
    "dalembert.kernel.backends.jax": ("export_jax", "import_jax"),
    "dalembert.mechanics": ("Beam", "Body", "Equations", "Load", "Proof", "Rolling", "System"),
    "dalembert.mechanics.answers": ("check_answer", "check_derivation"),
    "dalembert.mechanism": ("Builder", "Link", "Mechanism"),
    "dalembert.mechanism.io": ("load", "load_srdf", "save"),
    "dalembert.model": ("Model", "compile"),
    "dalembert.model.configuration": ("Configuration",),
    "dalembert.model.engines": ("check_against",),
    "dalembert.ring": ("counterexample", "equal"),
    "dalembert.simulation": ("Trajectory", "cost_gradient", "rollout", "sensitivities", "simulate"),
    "dalembert.spatial": ("angular_velocity", "rotation_x", "rotation_y", "rotation_z"),
    "dalembert.studies": ("Study", "sweep"),
}
"""For each module the public names that it has."""

NAMES = {name: module for module, names in MODULES.items() for name in names}
"""For each name the package that has it."""


def load(name: str) -> Any:
    """Return a public name; Python asks for it when `dalembert` does not have it yet."""
    if name in PACKAGES:
        return importlib.import_module(f"dalembert.{name}")
    if name not in NAMES:
        raise _unknown(name)
    value = getattr(importlib.import_module(NAMES[name]), name)
    # the next time it is found at once
    setattr(sys.modules["dalembert"], name, value)
    return value


def _unknown(name: str) -> AttributeError:
    """Return the error for a name that is not public here, with where it is or what to write."""
    from dalembert.elsewhere import AT_THE_TOP, unknown_attribute

    if not name.startswith("_"):
        for package in PACKAGES:
            if name in importlib.import_module(f"dalembert.{package}").__all__:
                return unknown_attribute("dalembert", name, (), {name: f"da.{package}.{name}"})
    return unknown_attribute("dalembert", name, names(), AT_THE_TOP)


def names() -> list[str]:
    """Return all names, loaded or not."""
    return sorted({*vars(sys.modules["dalembert"]), *PACKAGES, *NAMES})
