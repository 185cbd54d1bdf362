"""Run tests against mutants, in a copy of the source and in a fork of this process (POSIX)."""

from __future__ import annotations

import importlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

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
        return Verdict(path, mutant, fate(copy, tests, seconds))
    finally:
        target.write_text(original, encoding="utf-8")


def fate(copy: Path, tests: Sequence[str], seconds: float) -> Fate:
    """Run the tests in a fork of this process: what it has imported need not be imported again."""
    child = os.fork()
    if not child:
        code = 1
        try:
            code = _run(copy, tests)
        finally:
            # nothing that the parent would clean up is cleaned up here
            os._exit(code)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "killed" if status else "survived"
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


def _run(copy: Path, tests: Sequence[str]) -> int:
    """Return the exit code of pytest, with the copy in the place of the source."""
    os.chdir(ROOT)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    sys.path.insert(0, str(copy))
    # files change faster than their times: no bytecode
    sys.dont_write_bytecode = True
    return int(pytest.main(["-x", "-q", "--no-header", "-p", "no:cacheprovider", *tests]))


def import_what_tests_need() -> None:
    """Import the packages that tests take long to import; ours must not be among them."""
    for name in ("flint", "llvmlite.binding", "numpy", "sympy"):
        importlib.import_module(name)
    assert not any(name.partition(".")[0] == "dalembert" for name in sys.modules)
