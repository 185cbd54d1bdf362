"""Print the lowest versions that dalembert supports, as constraints for pip.

`python -m tools.lowest > lowest.txt`, then `pip install -c lowest.txt` with the wheel, makes the
oldest environment in which the package must work.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)>=(?P<version>[\d.]+)")


def main() -> None:
    """Print a line for each dependency of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    print("\n".join(map(lowest, project["dependencies"])))


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
    main()
