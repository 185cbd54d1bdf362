"""No file of the repository knows the machine it was written on, or is made by a program on it."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.source_tree import ROOT

FORBIDDEN = {
    "the path of a machine": re.compile(r"/(?:root|home|Users)/|[A-Za-z]:\\+Users\\+", re.ASCII),
    "the address of a package registry": re.compile(
        r"index[-_]url|find[-_]links|https?://[^\s\"'<>)]*(?:pypi|pythonhosted)", re.IGNORECASE
    ),
}
PICTURES_AND_FONTS = {".png", ".woff2"}
LARGEST = 5_000_000  # bytes of a file that is still searched


def traces(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number, kind and match of everything that points outside the repository."""
    for number, line in enumerate(text.splitlines(), start=1):
        for kind, pattern in FORBIDDEN.items():
            if match := pattern.search(line):
                yield number, kind, match.group()


def repository_files() -> list[Path]:
    """Return what git tracks, and what it would track after `git add --all`."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    paths = [ROOT / os.fsdecode(name) for name in listing.split(b"\0") if name]
    return [path for path in paths if path.is_file() and path.stat().st_size <= LARGEST]


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{number}: {match!r} is {kind}"
        for path in repository_files()
        for number, kind, match in traces(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert not found, "\n".join(["", *found])


def test_every_file_but_pictures_and_fonts_is_text() -> None:
    """Caches, archives and machine code do not belong here."""
    found = [
        path.relative_to(ROOT).as_posix()
        for path in repository_files()
        if path.suffix not in PICTURES_AND_FONTS and b"\0" in path.read_bytes()
    ]
    assert not found, f"expected text, got binary files: remove them from git: {found}"


@pytest.mark.parametrize(
    "parts",
    [
        ("/ho", "me/ada/robot.urdf"),
        ("/ro", "ot/.venv"),
        ("C:\\Us", "ers\\ada"),
        ("--extra-in", "dex-url x"),
        ("https://files.py", "thonhosted.org/x"),
    ],
)
def test_search_finds_a_planted_trace(parts: tuple[str, str]) -> None:
    assert [number for number, _, _ in traces("fine\n" + "".join(parts))] == [2]
