"""Run tests against mutants, in a copy of the source."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from tools.environment import ROOT
from tools.mutation.mutants import Mutant

Fate = Literal["killed", "survived", "timeout"]


class Verdict(NamedTuple):
    """What became of a mutant of a file."""

    path: Path
    mutant: Mutant
    fate: Fate

    def __str__(self) -> str:
        return f"{self.path.as_posix()}:{self.mutant.line}: {self.mutant.words}: {self.fate}"


@contextmanager
def copied_source() -> Iterator[Path]:
    """Yield a copy of the source folder, removed in the end: the repository stays as it is."""
    with tempfile.TemporaryDirectory(prefix="dalembert-mutants-") as folder:
        copy = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
        yield copy


def judge(copy: Path, path: Path, mutant: Mutant, tests: Sequence[str], seconds: float) -> Verdict:
    """Return whether some test fails while a mutant stands in the place of a file.

    Args:
        copy: Of the source folder.
        path: The file below ``src``.
        mutant: What stands in its place.
        tests: Files or folders of tests.
        seconds: After which the tests are stopped: a mutant that hangs was noticed.
    """
    target = copy / path
    original = target.read_text(encoding="utf-8")
    target.write_text(mutant.text, encoding="utf-8")
    try:
        return Verdict(path, mutant, _fate(copy, tests, seconds))
    finally:
        target.write_text(original, encoding="utf-8")


def _fate(copy: Path, tests: Sequence[str], seconds: float) -> Fate:
    call = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider"]
    # bytecode by content: files change faster than their times
    settings = {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        result = subprocess.run(
            [*call, *tests],
            cwd=ROOT,
            env=os.environ | settings,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    return "killed" if result.returncode else "survived"
