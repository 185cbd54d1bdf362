"""Optional packages: the command that installs each, and no other."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.cli.subject import Subject
from dalembert.optional import install_command, require
from tests.project.source_tree import ROOT

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
MODULES = {
    "casadi": "casadi",
    "cuda": "cupy",
    "jax": "jax",
    "mjcf": "mujoco",
    "report": "typst",
    "sweep": "ray",
    "sympy": "sympy",
    "torch": "torch",
    "view": "viser",
}


@pytest.mark.parametrize("extra", MODULES)
def test_hints_name_the_packages_of_the_extra(extra: str) -> None:
    packages = [re.split(r"[<>=~;]", one)[0] for one in EXTRAS[extra]]
    assert install_command(MODULES[extra]) == f"pip install {' '.join(packages)}"


@pytest.mark.parametrize("module", [*MODULES.values(), "no_such_package"])
def test_an_absent_package_is_named_with_its_command(
    module: str, absent: Callable[[str], None]
) -> None:
    absent(module)
    expected = f"expected the package {module} for x, got none: {install_command(module)}; or not"
    with pytest.raises(da.MissingDependency, match=f"^{re.escape(expected)}$"):
        require(module, "x", "or not")


def test_a_package_that_fails_is_not_called_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_package.py").write_text("import no_such_part", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(da.MissingDependency, match="got one that fails: No module named 'no_such_"):
        require("broken_package", "x")


def test_nothing_names_a_distribution_that_nobody_has_registered() -> None:
    """Whoever registered that name would be installed by our readers."""
    files = subprocess.run(
        ["git", "grep", "-lIE", r"""pip install[^\n`]*[\"' ]dalembert(\[|[\"' ]|$)"""],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if files.returncode == 128:
        pytest.skip("needs a checkout of git")
    assert files.stdout.split() == []


def test_the_command_works_in_every_shell() -> None:
    """Single quotes do not in that of Windows."""
    found = subprocess.run(
        ["git", "grep", "-nI", "pip install '", "--", ":!tests/unit/test_optional.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode == 128:
        pytest.skip("needs a checkout of git")
    assert found.stdout == ""


@pytest.mark.parametrize(
    ("package", "words"),
    [
        ("typst", ["report", "rp_arm", "-o", "arm.pdf"]),
        ("typst", ["derive", "rp_arm", "-o", "arm.pdf"]),
        ("pyarrow", ["simulate", "rp_arm", "-o", "arm.parquet"]),
        ("viser", ["view", "rp_arm", "--no-browser"]),
        ("trimesh", ["view", "rp_arm", "--no-browser"]),
    ],
)
def test_an_absent_package_is_said_before_the_long_work(
    package: str,
    words: list[str],
    absent: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the work started")

    absent(package)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["dalembert", *words])
    for name in ("numeric_model", "equations"):
        monkeypatch.setattr(Subject, name, work)
    monkeypatch.setitem(vars(import_module("dalembert.report.write")), "build", work)
    with pytest.raises(SystemExit):
        main()
    assert install_command(package) in capsys.readouterr().err
