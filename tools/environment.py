"""The virtual environment `.venv` in which `./demo` and `./test` run.

The stamp inside it records what was installed: installing again happens only when
`pyproject.toml`, `constraints.txt`, the place of the repository or the wanted extras changed.
"""

import sys

# older Pythons must get as far as this line: keep the syntax of this file plain
if sys.version_info < (3, 11):
    sys.exit("dalembert needs Python 3.11 or newer; this is Python " + sys.version.split()[0])

import hashlib
import importlib.util
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from tools.pins import ROOT, checked, install_repository

VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "dalembert-installed.json"


def ensure(*extras: str) -> None:
    """Create `.venv` where it is missing and install dalembert with the extras into it."""
    installed = _read_stamp()
    fingerprint = _fingerprint()
    usable = _runs(PYTHON)
    current = usable and installed["fingerprint"] == fingerprint
    if current and set(extras) <= set(installed["extras"]):
        return
    if not usable:
        _create()
    # extras that an earlier command wanted stay installed
    wanted = sorted({*extras, *installed["extras"]})
    _install(wanted)
    STAMP.write_text(json.dumps({"fingerprint": fingerprint, "extras": wanted}), encoding="utf-8")


def run(module: str, arguments: Sequence[str] = ()) -> int:
    """Run `python -m module` in the environment and return its exit status."""
    try:
        return start(module, arguments).wait()
    except KeyboardInterrupt:
        return 130


def start(
    module: str,
    arguments: Sequence[str] = (),
    cwd: Path | None = None,
    output: IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """Start `python -m module` in the environment; it prints into a file, if one is given."""
    # scripts in .venv/bin would break when the repository moves; modules do not
    command = [str(PYTHON), "-m", module, *arguments]
    return subprocess.Popen(command, cwd=cwd, stdout=output, stderr=output and subprocess.STDOUT)


def _create() -> None:
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            sys.exit(
                f"this Python ({sys.executable}) has no {module} module, which creates .venv; "
                "on Debian and Ubuntu: apt install python3-venv"
            )
    _say(f"creating .venv with Python {sys.version.split()[0]}")
    checked([sys.executable, "-m", "venv", "--clear", str(VENV)], "creating .venv failed")


def _install(extras: list[str]) -> None:
    target = f".[{','.join(extras)}]" if extras else "."
    _say(f"installing {target} into .venv (a minute or two; not needed next time)")
    STAMP.unlink(missing_ok=True)
    install_repository(str(PYTHON), extras)


def _runs(python: Path) -> bool:
    """Whether this interpreter starts: it may be missing, or its base may have been removed."""
    try:
        check = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
        done = subprocess.run([str(python), "-c", check], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


def _fingerprint() -> str:
    digest = hashlib.sha256(str(ROOT).encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def _read_stamp() -> dict:
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
        return {"fingerprint": str(stamp["fingerprint"]), "extras": list(stamp["extras"])}
    except (OSError, ValueError, KeyError, TypeError):
        return {"fingerprint": "", "extras": []}


def _say(line: str) -> None:
    print(f"dalembert: {line}", file=sys.stderr, flush=True)
