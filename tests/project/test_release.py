"""What is published: a wheel with everything in it that works where only it is installed."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import dalembert as da
from tests.project.source_tree import ROOT
from tools import lowest, release, wheel_types
from tools.markdown import blocks

SECONDS = 300  # until a program counts as hanging, on a loaded machine
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# runs a script or a module where packages that a plain install does not bring cannot be imported
RUNNER = """
import runpy, sys

class Absent:
    names = {names}
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
del sys.argv[0]
if sys.argv[0].endswith(".py"):
    runpy.run_path(sys.argv[0], run_name="__main__")
else:
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="hatchling builds the wheel: pip install hatchling")
    return release.build("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the wheel is installed, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    options = ["--no-deps", "--no-index", "--target", str(folder)]
    subprocess.run([*pip, *options, str(wheel)], check=True, timeout=SECONDS)
    return folder


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    assert release.wheel_faults(wheel) == []
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        info = f"dalembert-{da.__version__}.dist-info"
        entries = archive.read(f"{info}/entry_points.txt").decode()
    assert {"dalembert/py.typed", "dalembert/textbook/robots/lightweight.py"} <= names
    assert f"{info}/licenses/LICENSE" in names
    assert not [name for name in names if name.startswith(("tests", "tools", "benchmarks"))]
    assert "dalembert = dalembert.cli:main" in entries


def test_types_are_seen_by_those_who_install_the_wheel(wheel: Path) -> None:
    if missing := wheel_types.why_not():
        pytest.skip(missing)
    assert wheel_types.type_faults(wheel) == []


def test_an_untyped_wheel_is_found_out(wheel: Path, tmp_path: Path) -> None:
    if missing := wheel_types.why_not():
        pytest.skip(missing)
    empty = tmp_path / wheel.name
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("dalembert/py.typed", "")
        archive.writestr("dalembert/__init__.py", "def __getattr__(name): ...")
    assert [x for x in wheel_types.type_faults(empty) if "is the package typed?" in x]


def test_sdist_holds_what_its_tests_need(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="hatchling builds the sdist: pip install hatchling")
    assert release.sdist_faults(release.build("sdist", tmp_path)) == []


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_the_same_sources_give_the_same_bytes(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="hatchling builds: pip install hatchling")
    assert release.differences_of_builds(kind, release.build(kind, tmp_path)) == []


def test_a_build_that_depends_on_its_machine_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("hatchling", reason="hatchling builds: pip install hatchling")
    path = release.build("wheel", tmp_path)
    # archives take the date of their files from here
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    (fault,) = release.differences_of_builds("wheel", path)
    assert fault.startswith("expected the same bytes")


def test_readme_holds_where_only_the_wheel_is_installed(installed: Path, tmp_path: Path) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    code = [block.text for block in blocks(page) if block.info == "python"]
    assert len(code) > 3
    script = tmp_path / "readme.py"
    script.write_text("\n".join([*code, "print(da.__file__)"]), encoding="utf-8")
    out = run_installed(installed, tmp_path, str(script))
    assert out.splitlines()[-1].startswith(str(installed))
    for block in blocks(page):
        if block.info == "text":
            assert block.text.strip() in out


def test_command_line_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    assert "derive" in run_installed(installed, tmp_path, "dalembert", "--help")
    derived = run_installed(installed, tmp_path, "dalembert", "derive", "double_pendulum")
    assert "θ̈₁" in derived


def test_what_a_plain_install_does_not_bring_is_absent(installed: Path, tmp_path: Path) -> None:
    script = tmp_path / "probe.py"
    script.write_text("import pytest\n", encoding="utf-8")
    done = start(installed, tmp_path, str(script))
    assert "No module named 'pytest'" in done.stderr


def run_installed(installed: Path, folder: Path, *arguments: str) -> str:
    """Return what a script or module prints in an environment of wheel and dependencies."""
    done = start(installed, folder, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def start(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    runner = folder / "runner.py"
    runner.write_text(RUNNER.format(names=sorted(absent_modules())), encoding="utf-8")
    packages = {str(Path(str(found.locate_file("")))) for found in dependencies().values()}
    settings = {
        "PYTHONPATH": os.pathsep.join([str(installed), *sorted(packages)]),
        "PYTHONIOENCODING": "utf-8",
        "MPLBACKEND": "Agg",
        "COLUMNS": "200",
    }
    # without site, links to an editable install are not followed
    return subprocess.run(
        [sys.executable, "-S", str(runner), *arguments],
        env=os.environ | settings,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )


def dependencies() -> dict[str, importlib.metadata.Distribution]:
    """Return what `pip install dalembert` brings: its dependencies and theirs, without extras."""
    found: dict[str, importlib.metadata.Distribution] = {}
    waiting = [*PROJECT["dependencies"]]
    while waiting:
        requirement = waiting.pop()
        name = canonical(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
        if name in found or "extra ==" in requirement:
            continue
        try:
            found[name] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # for another platform or Python
        waiting += found[name].requires or []
    return found


def absent_modules() -> set[str]:
    """Return the modules of all distributions that a plain install does not bring."""
    brought = {*dependencies(), "dalembert"}
    return {
        module
        for module, owners in importlib.metadata.packages_distributions().items()
        if module.isidentifier() and not {canonical(owner) for owner in owners} & brought
    }


def canonical(name: str) -> str:
    """The spelling of a name on which all tools agree."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_faults_of_a_wheel_are_found(tmp_path: Path) -> None:
    path = tmp_path / "bad.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tests/test_a.py", "")
        archive.writestr("dalembert/__init__.py", "")
    faults = release.wheel_faults(path)
    assert "dalembert/py.typed: missing" in faults
    assert "tests/test_a.py: should not be there" in faults
    assert "dalembert/__init__.py: missing" not in faults


def test_faults_of_an_sdist_are_found(tmp_path: Path) -> None:
    path = tmp_path / "bad.tar.gz"
    (tmp_path / "stray").write_text("", encoding="utf-8")
    with tarfile.open(path, "w:gz") as archive:
        archive.add(tmp_path / "stray", "dalembert-1/cache/stray")
    faults = release.sdist_faults(path)
    assert "cache: should not be there" in faults
    assert "src/dalembert/py.typed: missing" in faults
    assert "tests: missing" in faults


def test_missing_builder_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(release.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="pip install hatchling"):
        release.main([str(tmp_path / "dist")])
    assert not (tmp_path / "dist").exists()


def test_lowest_versions_are_those_of_the_project(capsys: pytest.CaptureFixture[str]) -> None:
    lowest.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(PROJECT["dependencies"])
    assert "numpy==2.0.*" in lines
    lowest.main(["view", "sympy"])
    assert {"viser==1.1.*", "sympy==1.13.*"} <= set(capsys.readouterr().out.splitlines())
    with pytest.raises(SystemExit, match="got viwe"):
        lowest.main(["viwe"])
    with pytest.raises(SystemExit, match="got numpy<3"):
        lowest.lowest("numpy<3")


def test_citation_names_the_current_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    fields = dict(re.findall(r"^([\w-]+): *(.+)$", text, re.MULTILINE))
    assert fields["version"] == da.__version__
    # the citation is of the program, the wheel has a font too
    assert PROJECT["license"].split(" AND ")[0] == fields["license"]
