"""Print the lowest versions that dalembert supports, as constraints for pip.

    python -m tools.lowest [extras…] > lowest.txt

Then `pip install -c lowest.txt` with the wheel, and these extras of it, makes the oldest
environment in which the package must work.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)>=(?P<version>[\d.]+)")


def main(extras: Sequence[str] = ()) -> None:
    """Print a line for each dependency of pyproject.toml, and of the extras that are named."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    print("\n".join(constraints(project, extras)))


def constraints(project: dict[str, Any], extras: Sequence[str]) -> list[str]:
    """Return a constraint for each dependency of a project with some of its extras."""
    known = project["optional-dependencies"]
    for extra in extras:
        if extra not in known:
            raise SystemExit(f"expected some of {', '.join(known)}, got {extra}")
    found = [*project["dependencies"], *(x for extra in extras for x in known[extra])]
    return list(map(lowest, found))


def lowest(requirement: str) -> str:
    """Return the constraint to the oldest series of versions that a requirement allows.

    >>> lowest("numpy>=2.0")
    'numpy==2.0.*'
    """
    found = REQUIREMENT.fullmatch(requirement)
    if found is None:
        raise SystemExit(f"expected a requirement such as numpy>=2.0, got {requirement}")
    return f"{found['name']}=={found['version']}.*"


if __name__ == "__main__":
    main(sys.argv[1:])
