"""Build wheel and sdist into a folder and check them: `python -m tools.release [dist]`.

hatchling is called in this process, so that no network is needed. Files that are not in the
list of what is shipped, or are missing from it, end the run before anything is published; so does
a second build, from a copy in another place with other dates and permissions, that differs in a
byte. Whoever builds the same commit with the same hatchling gets the digests that are printed.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shutil
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tools import wheel_types

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
# what the tests of an unpacked sdist need besides the package
SHIPPED = ("src", "tests", "tools", "docs", "examples", "notebooks", "benchmarks", "test", "demo")
SHIPPED += ("pyproject.toml", "constraints.txt", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")
SHIPPED += ("SECURITY.md", "LICENSE", "CITATION.cff", ".gitattributes", ".gitignore", ".github")
METADATA = "PKG-INFO"  # written by the build


def main(arguments: list[str]) -> None:
    """Build both, check both, print where they are."""
    if len(arguments) > 1:
        sys.exit("expected at most one folder: python -m tools.release [dist]")
    folder = Path(arguments[0] if arguments else ROOT / "dist").resolve()
    if importlib.util.find_spec("hatchling") is None:
        sys.exit("expected the package hatchling, which builds: pip install hatchling")
    folder.mkdir(parents=True, exist_ok=True)
    for kind, check in (("wheel", wheel_faults), ("sdist", sdist_faults)):
        path = build(kind, folder)
        if faults := check(path) or differences_of_builds(kind, path):
            sys.exit("\n".join([f"{path.name} is not fit to be published:", *faults]))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        print(f"{path} ({path.stat().st_size / 1000:,.0f} kB)\nsha256 {digest}, built twice")
    _check_types(folder)


def _check_types(folder: Path) -> None:
    """Check the examples against the types of the wheel that was built."""
    if missing := wheel_types.why_not():
        print(missing)
        return
    wheel = max(folder.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    if faults := wheel_types.type_faults(wheel):
        sys.exit("\n".join([f"the types of {wheel.name} are wrong:", *faults]))
    print("types: the examples pass pyright against the wheel")


def build(kind: str, folder: Path, root: Path = ROOT) -> Path:
    """Build a "wheel" or an "sdist" from a working tree into a folder; return its path."""
    backend = importlib.import_module("hatchling.build")
    make = backend.build_wheel if kind == "wheel" else backend.build_sdist
    # the backend builds the project in the current folder and prints what it does
    with _inside(root), contextlib.redirect_stdout(sys.stderr):
        return folder / make(str(folder))


def differences_of_builds(kind: str, path: Path) -> list[str]:
    """Build the same from a copy of the working tree; return a line if the bytes are others."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place, "another place")
        copy_sources(copy)
        again = build(kind, Path(place), copy)
        if again.read_bytes() == path.read_bytes():
            return []
    return [
        "expected the same bytes from a copy of the sources elsewhere, got others: compare both"
    ]


def copy_sources(folder: Path) -> None:
    """Copy what is shipped; dates are those of now, and nobody else may read the copies."""
    folder.mkdir()
    ignored = shutil.ignore_patterns("__pycache__", ".*_cache")
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, folder / name, ignore=ignored, copy_function=_copy_for_owner
            )
        else:
            _copy_for_owner(ROOT / name, folder / name)


def _copy_for_owner(source: str | Path, target: str | Path) -> None:
    shutil.copyfile(source, target)
    # whether it is a program belongs to a file of a repository, the rest to a machine
    os.chmod(target, os.stat(source).st_mode & 0o700)


def wheel_faults(path: Path) -> list[str]:
    """Return a line for each file that a wheel lacks, and for each that does not belong there."""
    with zipfile.ZipFile(path) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = {file.relative_to(SRC).as_posix() for file in _files(SRC / "dalembert")}
    return _differences(inside, wanted)


def sdist_faults(path: Path) -> list[str]:
    """Return a line for each part of the repository that an sdist lacks or should not have."""
    with tarfile.open(path) as archive:
        # the first part of every name is that of the archive
        names = [member.name.split("/", 1)[1] for member in archive if member.isfile()]
    package = {f"src/{file.relative_to(SRC).as_posix()}" for file in _files(SRC / "dalembert")}
    parts = {name.split("/")[0] for name in names}
    inside = {name for name in names if name.startswith("src/")}
    return _differences(inside, package) + _differences(parts, {*SHIPPED, METADATA})


def _differences(inside: set[str], wanted: set[str]) -> list[str]:
    missing = [f"{name}: missing" for name in sorted(wanted - inside)]
    return missing + [f"{name}: should not be there" for name in sorted(inside - wanted)]


def _files(folder: Path) -> Iterator[Path]:
    """Yield what belongs to the package: all files but those that Python writes itself."""
    for file in folder.rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            yield file


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


if __name__ == "__main__":
    main(sys.argv[1:])
