"""Write `constraints.txt` anew: `python -m tools.constraints`, with Python 3.11.

The versions come from one resolution of the package with all of its extras, so that the pins of
the test environment leave every extra installable; only what the tests need is written.
"""

import itertools
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = """\
# Versions the tests run with: dalembert, its test extra, and what these depend on.
# Resolved on Python 3.11 by `python -m tools.constraints`; valid on 3.12 to 3.14 too.
"""
# needed on Windows only, so that a resolution elsewhere does not see it
ELSEWHERE = {"colorama": "0.4.6"}


def main() -> None:
    """Resolve twice and write the pins."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core, extras = project["dependencies"], project["optional-dependencies"]
    everything = resolve([*core, *itertools.chain(*extras.values())], {})
    pins = resolve([*core, *extras["test"]], everything) | ELSEWHERE
    (ROOT / "constraints.txt").write_text(HEADER + as_lines(pins), encoding="utf-8", newline="\n")
    print(f"constraints.txt: {len(pins)} versions")


def resolve(requirements: list[str], pins: dict[str, str]) -> dict[str, str]:
    """Return the versions that pip would install into an empty environment under the pins."""
    with tempfile.TemporaryDirectory() as folder:
        report, constraints = Path(folder, "report.json"), Path(folder, "constraints.txt")
        constraints.write_text(as_lines(pins), encoding="utf-8")
        options = ["--dry-run", "--ignore-installed", "--quiet", "--report", str(report)]
        pip = [sys.executable, "-m", "pip", "install", *options, "-c", str(constraints)]
        subprocess.run([*pip, *requirements], check=True)
        found = [item["metadata"] for item in json.loads(report.read_text("utf-8"))["install"]]
    return {normalised(item["name"]): item["version"] for item in found}


def as_lines(pins: dict[str, str]) -> str:
    return "".join(f"{name}=={version}\n" for name, version in sorted(pins.items()))


def normalised(name: str) -> str:
    """The spelling of a name on which all tools agree."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main()
