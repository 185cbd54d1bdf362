"""Run tests on an emulated machine: `python -m tools.other_machine aarch64 [pytest arguments]`.

    python -m tools.other_machine aarch64                            what depends on the processor
    python -m tools.other_machine aarch64 tests/unit/kernel -k rows  pytest
    python -m tools.other_machine aarch64 python script.py           a script

The tool puts Debian's Python for the other processor and its wheels into `build/aarch64`, two
gigabytes, and changes nothing else. QEMU runs their code 10 to 30 times slower than this machine:
another instruction set, two doubles in a vector, another mathematical library.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tools.pins import CONSTRAINTS, ROOT, install

OS_RELEASE = Path("/etc/os-release")


class Machine(NamedTuple):
    """How Debian, QEMU and wheels call a processor."""

    architecture: str
    emulator: str
    wheels: str


MACHINES = {"aarch64": Machine("arm64", "qemu-aarch64", "aarch64")}
DEFAULT = (
    "tests/project/test_readme.py::test_page[README.md]",
    *("tests/unit/kernel", "tests/unit/model", "tests/unit/recursions", "tests/unit/ik"),
    *("tests/unit/simulation", "tests/agreement"),
)
"""What depends on the processor most."""
PACKAGES = ("python3", "libstdc++6", "libgomp1")
# the C library of the oldest wheels, and of Debian 12
LIBC = range(17, 37)
# programs for the developer, which no test imports
NOT_NEEDED = ("ruff", "pyright")
# what the tests start; no compiler, whose code would be for the processor of this machine
PROGRAMS = ("sh", "git", "env", "cat", "head", "sleep")


def main(arguments: Sequence[str]) -> int:
    """Prepare the machine and run pytest, or Python, on it; return the exit status."""
    name, *rest = arguments or [""]
    if name not in MACHINES:
        sys.exit(
            f"expected one of {', '.join(MACHINES)}, got {name or 'nothing'}: "
            "python -m tools.other_machine aarch64 [pytest arguments]"
        )
    machine, folder = MACHINES[name], ROOT / "build" / name
    if reason := why_not(machine):
        sys.exit(reason)
    python = prepare(machine, folder)
    if rest[:1] == ["python"]:
        command = [str(python), *rest[1:]]
    else:
        command = [str(python), "-m", "pytest", "-p", "no:cacheprovider", *(rest or DEFAULT)]
    cache = os.environ.get("DALEMBERT_CACHE", str(folder / "cache"))
    here = {"PATH": str(folder / "bin"), "DALEMBERT_CACHE": cache}
    try:
        return subprocess.call(command, cwd=ROOT, env=os.environ | here)
    except KeyboardInterrupt:
        return 130


def why_not(machine: Machine) -> str | None:
    """Return why the machine cannot be emulated here, or None."""
    known = OS_RELEASE.read_text("utf-8") if OS_RELEASE.exists() else ""
    if not re.search(r'^ID="?debian"?$', known, re.MULTILINE):
        return "expected Debian, which has packages for other processors, got another system"
    for program, package in (("apt-get", "apt"), ("dpkg", "dpkg"), (machine.emulator, "qemu-user")):
        if shutil.which(program) is None:
            return f"expected the program {program}, got none: apt install {package}"
    return None


def prepare(machine: Machine, folder: Path) -> Path:
    """Put Python and the wheels into a folder, unless they are there; return the interpreter."""
    python, stamp = folder / "root" / "usr" / "bin" / "python", folder / "installed"
    wanted = requirements()
    fingerprint = "\n".join([str(ROOT), *wanted, _digest(CONSTRAINTS)])
    if stamp.is_file() and stamp.read_text("utf-8") == fingerprint:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _say(f"fetching Python and libraries for {machine.architecture}")
    fetch_packages(machine, folder)
    (real,) = python.parent.glob("python3.[0-9][0-9]")
    write_starter(python, [machine.emulator, "-L", str(folder / "root"), str(real)])
    _say("fetching wheels (some hundred megabytes; not needed next time)")
    version = real.name.removeprefix("python")
    fetch_wheels(machine, version, wanted, folder / "root/usr/local/lib" / real.name)
    (folder / "bin").mkdir()
    for path in filter(None, map(shutil.which, PROGRAMS)):
        (folder / "bin" / Path(path).name).symlink_to(path)
    stamp.write_text(fingerprint, encoding="utf-8")
    return python


def requirements() -> list[str]:
    """Return what dalembert and its tests need, as pip takes it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    return [x for x in names if re.split(r"[^\w-]", x)[0] not in NOT_NEEDED]


def fetch_packages(machine: Machine, folder: Path) -> None:
    """Unpack Python and what it needs; apt takes the mirrors of this system, and writes here."""
    state = folder / "apt"
    for place in ("lists/partial", "cache/archives/partial"):
        (state / place).mkdir(parents=True)
    # no package is installed on the other machine yet
    (state / "status").touch()
    settings = {
        "APT::Architecture": machine.architecture,
        "APT::Architectures": machine.architecture,
        "APT::Sandbox::User": "",
        "Acquire::Languages": "none",
        "Debug::NoLocking": "1",
        "Dir::State": state,
        "Dir::State::lists": state / "lists",
        "Dir::State::status": state / "status",
        "Dir::Cache": state / "cache",
    }
    apt = ["apt-get", "-q", "-y", *(x for k, v in settings.items() for x in ("-o", f"{k}={v}"))]
    _checked([*apt, "update"])
    _checked([*apt, "--no-install-recommends", "--download-only", "install", *PACKAGES])
    for package in sorted((state / "cache" / "archives").glob("*.deb")):
        _checked(["dpkg", "-x", str(package), str(folder / "root")])
    shutil.rmtree(state)


def fetch_wheels(machine: Machine, version: str, wanted: Sequence[str], lib: Path) -> None:
    """Install wheels where Debian's Python looks for packages, and this repository beside them."""
    packages = lib / "dist-packages"
    platforms = ["manylinux2014", *(f"manylinux_2_{minor}" for minor in LIBC)]
    options = [x for p in platforms for x in ("--platform", f"{p}_{machine.wheels}")]
    options += ["--only-binary", ":all:", "--python-version", version, "--implementation", "cp"]
    loose = install(sys.executable, wanted, options, ["--target", str(packages), "--no-compile"])
    if loose:
        sys.exit(f"expected hashes of all wheels, got none of {', '.join(loose)}")
    (packages / "dalembert.pth").write_text(f"{ROOT / 'src'}\n", encoding="utf-8")


def write_starter(path: Path, command: Sequence[str]) -> None:
    """Write a program that starts another one under its own name.

    Python takes it for itself, so that what it starts as `sys.executable` is emulated, too.
    """
    emulator, *rest = command
    line = f'exec {shlex.quote(shutil.which(emulator) or emulator)} -0 "$0" {shlex.join(rest)} "$@"'
    path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    path.chmod(0o755)


def _checked(command: Sequence[str]) -> None:
    """Run quietly; on failure show everything the command printed and exit."""
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\n{shlex.join(command)[:300]} failed; see above")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _say(line: str) -> None:
    print(f"other_machine: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
