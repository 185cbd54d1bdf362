"""Check the types of a wheel as those see them who install it: py.typed, by pyright."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# what a type checker must find: were the package untyped, it would find nothing
WRONG = """\
import dalembert as da

da.compile(1)
da.textbook.robots.ur5e().nothing
x: str = da.compile(da.textbook.robots.ur5e()).nv
"""
FOUND = ("reportArgumentType", "reportAttributeAccessIssue", "reportAssignmentType")


def why_not() -> str:
    """Return what is missing to check types; nothing if all is there."""
    if importlib.util.find_spec("pyright") is None:
        return 'types are not checked without pyright: pip install "pyright[nodejs]"'
    return ""


def type_faults(wheel: Path) -> list[str]:
    """Return a line for each fault of the examples against a wheel, and each one not found."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder / "site")
        use = folder / "use"
        use.mkdir()
        for example in (ROOT / "examples").glob("[0-9]*.py"):
            (use / example.name).write_bytes(example.read_bytes())
        (use / "wrong.py").write_text(WRONG, encoding="utf-8")
        options = {"extraPaths": [str(folder / "site")], "typeCheckingMode": "standard"}
        (use / "pyrightconfig.json").write_text(json.dumps(options), encoding="utf-8")
        return _faults(_diagnostics(use))


def _diagnostics(folder: Path) -> list[dict]:
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if not done.stdout.startswith("{"):
        sys.exit(f"expected findings of pyright, got {done.stdout}{done.stderr}")
    return json.loads(done.stdout)["generalDiagnostics"]


def _faults(diagnostics: list[dict]) -> list[str]:
    errors = [x for x in diagnostics if x["severity"] == "error"]
    wrong = [x.get("rule") for x in errors if Path(x["file"]).name == "wrong.py"]
    faults = [
        f"wrong.py: expected {rule}: is the package typed?" for rule in FOUND if rule not in wrong
    ]
    return faults + [
        f"{Path(x['file']).name}:{x['range']['start']['line'] + 1}: {x['message']}"
        for x in errors
        if Path(x["file"]).name != "wrong.py"
    ]
