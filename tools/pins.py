"""Install what `constraints.txt` pins, each file compared with its hash.

    python -m tools.pins pytest hypothesis

installs this repository, editable, its dependencies and the named packages into the environment
that runs it. A file that is not the one that was pinned is refused before any of it is installed.

pip takes hashes only together with exact versions, and never for a repository. So it first says,
without installing anything, which versions it would choose under the pins, and is then given
these versions with their hashes; the repository comes last, built by what was installed.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
BUILD = ("hatchling>=1.27", "editables>=0.5")
"""What builds the repository in place."""


class Pin(NamedTuple):
    """A version, where it holds, and the SHA-256 of all of its files that pip may choose."""

    name: str
    version: str
    marker: str = ""
    hashes: tuple[str, ...] = ()

    @property
    def requirement(self) -> str:
        """The pin without hashes, as pip takes it."""
        return f"{self.name}=={self.version}" + (f"; {self.marker}" if self.marker else "")

    @property
    def hashed(self) -> str:
        """The pin without its marker, with hashes."""
        return "".join([f"{self.name}=={self.version}", *_options(self.hashes)])

    def __str__(self) -> str:
        return "".join([self.requirement, *_options(self.hashes)])


def _options(hashes: Sequence[str]) -> list[str]:
    return [f" \\\n    --hash=sha256:{x}" for x in hashes]


def read(text: str) -> list[Pin]:
    """Return the pins of a file.

    >>> read("# of the tests\\nidna==3.20; python_version < '4' \\\\\\n    --hash=sha256:ab\\n")
    [Pin(name='idna', version='3.20', marker="python_version < '4'", hashes=('ab',))]
    """
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        requirement, *hashes = line.partition("#")[0].split("--hash=sha256:")
        pin, _, marker = requirement.partition(";")
        if pin.strip():
            name, _, version = pin.strip().partition("==")
            found.append(Pin(name, version, marker.strip(), tuple(x.strip() for x in hashes)))
    return found


def normalised(name: str) -> str:
    """Return the spelling of a name on which all tools agree.

    >>> normalised("Markdown.It_py")
    'markdown-it-py'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def resolve(
    python: str, requirements: Sequence[str], pins: Iterable[Pin], options: Sequence[str] = ()
) -> dict[str, str]:
    """Return the versions that pip would install into an empty environment under the pins."""
    with tempfile.TemporaryDirectory() as folder:
        report, constraints = Path(folder, "report.json"), Path(folder, "constraints.txt")
        constraints.write_text(_lines(x.requirement for x in pins), encoding="utf-8")
        # nothing is installed; pip before 23.3 takes no ``--platform`` without a ``--target``
        nowhere = ["--dry-run", "--ignore-installed", "--target", str(Path(folder, "nothing"))]
        quiet = [*nowhere, "--quiet", "--report", str(report)]
        run_pip(python, [*quiet, "-c", str(constraints), *options, *requirements])
        found = [item["metadata"] for item in json.loads(report.read_text("utf-8"))["install"]]
    return {normalised(item["name"]): item["version"] for item in found}


def install(
    python: str, requirements: Sequence[str], options: Sequence[str] = (), to: Sequence[str] = ()
) -> list[str]:
    """Install requirements with checked hashes; return what has none, and is not installed.

    Args:
        python: The interpreter whose pip installs.
        requirements: What is wanted, as pip takes it.
        options: What pip chooses files by, such as ``--platform``.
        to: Where pip puts them, such as ``--target``.
    """
    pins = read(CONSTRAINTS.read_text(encoding="utf-8"))
    known = {(x.name, x.version): x for x in pins if x.hashes}
    wanted = resolve(python, requirements, pins, options)
    hashed = [known[x].hashed for x in wanted.items() if x in known]
    loose = [f"{name}=={version}" for name, version in wanted.items() - known.keys()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "hashed.txt")
        path.write_text(_lines(hashed), encoding="utf-8")
        run_pip(python, ["--require-hashes", "--no-deps", *options, *to, "-r", str(path)])
    return sorted(loose)


def install_repository(python: str, extras: Sequence[str], more: Sequence[str] = ()) -> None:
    """Install this repository in place, with the packages of some extras and others."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *BUILD, *more]
    wanted += [x for extra in extras for x in project["optional-dependencies"][extra]]
    # there are no wheels of the pinned versions for the newest Python, so others are taken
    if loose := install(python, wanted):
        print(f"without a pinned hash: {', '.join(loose)}", file=sys.stderr)
        run_pip(python, ["--no-deps", *loose])
    run_pip(python, ["--no-deps", "--no-build-isolation", "-e", str(ROOT)])


def run_pip(python: str, arguments: Sequence[str]) -> None:
    """Run ``pip install`` quietly, or exit."""
    pip = [python, "-m", "pip", "install", "--disable-pip-version-check"]
    checked([*pip, *arguments], "installing failed")


def checked(command: Sequence[str], failure: str) -> None:
    """Run quietly; on failure show everything the command printed, and exit."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\n{failure} (exit status {done.returncode}); see above")


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools.pins", description=__doc__)
    parser.add_argument("packages", nargs="*", help="besides the repository, as pip takes them")
    parser.add_argument("--extra", action="append", default=[], help="of the repository")
    given = parser.parse_args()
    install_repository(sys.executable, given.extra, given.packages)
