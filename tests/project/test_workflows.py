"""The workflows, which run on machines that nobody here has: what can be checked without these."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.project.source_tree import ROOT
from tools.fuzz.readers import PACKAGES

yaml = pytest.importorskip("yaml", reason="PyYAML reads the workflows")

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINNED = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
# paths of this repository, perhaps with wildcards, and modules of its tools that are run
PATHS = re.compile(r"(?<![\w/.])(?:tests|examples)/[^\s;]+")
MODULES = re.compile(r"python -m ((?:tools|tests)\.[\w.]+)")


def read(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def commands(workflow: dict[str, Any]) -> list[str]:
    found = []
    for job in workflow["jobs"].values():
        found += [step["run"] for step in job["steps"] if "run" in step]
        # a matrix may hold commands too
        matrix = job.get("strategy", {}).get("matrix", {})
        found += [
            x["run"] for xs in matrix.values() for x in xs if isinstance(x, dict) and "run" in x
        ]
    return found


def missing(command: str) -> list[str]:
    """Return the files and modules that a command names and that are not there."""
    files = [x for x in PATHS.findall(command) if not list(ROOT.glob(x))]
    modules = []
    for module in MODULES.findall(command):
        place = ROOT / module.replace(".", "/")
        # a module, or a package that can be run
        if not (place.with_suffix(".py").is_file() or (place / "__main__.py").is_file()):
            modules.append(module)
    return files + modules


def test_there_are_workflows() -> None:
    assert {path.stem for path in WORKFLOWS} == {"build", "nightly", "proofs", "test"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_the_schema_of_workflows(path: Path) -> None:
    if importlib.util.find_spec("check_jsonschema") is None:
        pytest.skip("pip install check-jsonschema")
    check = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.github-workflows",
    ]
    done = subprocess.run([*check, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_and_jobs_bounded(path: Path) -> None:
    """A tag can be moved to other code; a commit cannot."""
    used = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert used
    assert all(PINNED.fullmatch(x) for x in used), used
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert all(0 < job["timeout-minutes"] <= 60 for job in workflow["jobs"].values())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_commands_name_what_exists(path: Path) -> None:
    found = commands(read(path))
    assert found
    assert [x for command in found for x in missing(command)] == []


def test_every_version_and_system_of_the_classifiers_is_tested() -> None:
    workflow = read(ROOT / ".github" / "workflows" / "test.yml")
    matrix = workflow["jobs"]["test"]["strategy"]["matrix"]
    minors = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert matrix["python"] == minors
    assert PROJECT["requires-python"] == f">={minors[0]}"
    systems = {machine["os"].split("-")[0] for machine in matrix["include"]}
    named = "\n".join(x for x in PROJECT["classifiers"] if x.startswith("Operating System"))
    for system, words in {"ubuntu": "Linux", "macos": "MacOS", "windows": "Windows"}.items():
        assert system in systems
        assert words in named
    # each of them with the lowest version, and with one that is new
    for system in {machine["os"] for machine in matrix["include"]}:
        versions = [x["python"] for x in matrix["include"] if x["os"] == system]
        assert versions[0] == minors[0]
        assert versions[-1] in minors[-2:]


def test_every_reader_is_fuzzed_every_night() -> None:
    nightly = read(ROOT / ".github" / "workflows" / "nightly.yml")
    assert nightly["jobs"]["fuzz"]["strategy"]["matrix"]["reader"] == sorted(PACKAGES)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python -m tools.lowest view > lowest.txt", []),
        ("lowest/bin/python -m pytest tests/project/test_pages.py tests/laws", []),
        ("python -m tools.lowestt", ["tools.lowestt"]),
        ("for example in examples/0[1-7]*.py; do python $example; done", []),
        ("python examples/99*.py", ["examples/99*.py"]),
        ("python -m pytest tests/unit/none.py", ["tests/unit/none.py"]),
    ],
)
def test_a_command_that_names_nothing_is_found(command: str, expected: list[str]) -> None:
    assert missing(command) == expected
