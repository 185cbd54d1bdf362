"""Write the public names into `tests/project/surface.txt`, which a test compares with the code.

    python -m tools.surface

A name that comes or goes changes what people may write, so it shows in the change that does it.
"""

from __future__ import annotations

import importlib
from pathlib import Path

from dalembert.lazy import PACKAGES

PAGE = Path(__file__).resolve().parent.parent / "tests" / "project" / "surface.txt"


def surface() -> list[str]:
    """Return every public name with its package, in the order of the alphabet."""
    modules = ["dalembert", *(f"dalembert.{name}" for name in PACKAGES)]
    return sorted(
        f"{module}.{name}" for module in modules for name in importlib.import_module(module).__all__
    )


if __name__ == "__main__":
    PAGE.write_text("\n".join(surface()) + "\n", encoding="utf-8")
