"""Compile C and C++ into shared libraries, kept in the user's cache folder."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.peers.base import Unavailable

OPTIMISED = ("-O3", "-march=native", "-DNDEBUG")
# nothing of a library is visible but what it exports, and it uses its own code, not that of a
# library of the same engine which Python has loaded
SHARED = ("-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-Bsymbolic")


def cache_folder() -> Path:
    """Return where compiled engines are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "dalembert-benchmarks"


def compiler(language: str) -> str:
    """Return the compiler of "c" or "c++"."""
    variable, names = {"c": ("CC", ("cc", "gcc")), "c++": ("CXX", ("c++", "g++"))}[language]
    for name in (os.environ.get(variable), *names):
        if name and (path := shutil.which(name)):
            return path
    raise Unavailable(f"no {language.upper()} compiler: install g++ or set {variable}")


def shared_library(
    name: str,
    source: str,
    *,
    language: str,
    flags: Sequence[str] = (),
    key: str = "",
    announce: Callable[[str], None] = lambda message: None,
) -> ctypes.CDLL:
    """Compile a source text and load it.

    The result is cached by source, flags, compiler version and ``key``, which names what the
    source includes. ``announce`` is told when the compiler has to run.

    Raises:
        Unavailable: no compiler, or it refused; the message ends with its first error.
    """
    command = compiler(language)
    version = subprocess.run([command, "--version"], capture_output=True, text=True).stdout
    options = [*OPTIMISED, *SHARED, *flags]
    said = "\0".join([source, version, _processor(command), key, *options])
    digest = hashlib.sha256(said.encode()).hexdigest()
    folder = cache_folder()
    path = folder / f"{name}-{digest[:20]}.so"
    if not path.exists():
        announce(f"compiling {name}")
        folder.mkdir(parents=True, exist_ok=True)
        _compile(command, source, ".c" if language == "c" else ".cpp", options, path)
    return ctypes.CDLL(str(path))


def _processor(command: str) -> str:
    """Return what -march=native means here."""
    query = [command, "-march=native", "-Q", "--help=target"]
    return subprocess.run(query, capture_output=True, text=True).stdout


def _compile(command: str, source: str, ending: str, options: list[str], path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        text, result = Path(folder) / f"source{ending}", Path(folder) / "result.so"
        text.write_text(source, encoding="utf-8")
        # libraries come after the source that needs them
        arguments = [command, str(text), *options, "-o", str(result)]
        run = subprocess.run(arguments, capture_output=True, text=True)
        if run.returncode:
            errors = [line for line in run.stderr.splitlines() if "error" in line]
            raise Unavailable(f"the compiler refused: {(errors or [run.stderr[-300:]])[0]}")
        # another process may have made the same file meanwhile: either is right
        os.replace(result, path)
