"""The emulated machine: refused with a sentence where it cannot be, and right where it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.source_tree import ROOT
from tools import other_machine
from tools.other_machine import MACHINES, main, requirements, why_not, write_starter

AARCH64 = MACHINES["aarch64"]


@pytest.fixture
def debian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A system that calls itself Debian and has all programs."""
    path = tmp_path / "os-release"
    path.write_text('NAME="Debian GNU/Linux"\nID=debian\n', encoding="utf-8")
    monkeypatch.setattr(other_machine, "OS_RELEASE", path)
    monkeypatch.setattr(other_machine.shutil, "which", lambda name: f"/usr/bin/{name}")
    return path


def test_debian_with_qemu_is_accepted(debian: Path) -> None:
    assert debian.exists()
    assert why_not(AARCH64) is None


@pytest.mark.parametrize("text", ["ID=ubuntu\nID_LIKE=debian\n", "ID=fedora\n", None])
def test_other_systems_are_refused(debian: Path, text: str | None) -> None:
    debian.unlink() if text is None else debian.write_text(text, encoding="utf-8")
    assert str(why_not(AARCH64)).startswith("expected Debian")


def test_a_missing_emulator_is_named(debian: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert debian.exists()
    missing = {"qemu-aarch64"}
    monkeypatch.setattr(other_machine.shutil, "which", lambda x: None if x in missing else x)
    assert why_not(AARCH64) == (
        "expected the program qemu-aarch64, got none: apt install qemu-user"
    )
    with pytest.raises(SystemExit, match="apt install qemu-user"):
        main(["aarch64"])


@pytest.mark.parametrize("arguments", [[], ["sparc"], ["-k", "rows"]])
def test_an_unknown_machine_is_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="expected one of aarch64, got"):
        main(arguments)


def test_what_it_installs_is_what_the_tests_need() -> None:
    names = [name.split(">")[0].split("=")[0] for name in requirements()]
    assert {"numpy", "llvmlite", "python-flint", "pytest", "mujoco"} <= set(names)
    assert not {"ruff", "pyright"} & set(names)


@pytest.mark.skipif(sys.platform == "win32", reason="a script of a shell")
def test_a_program_is_started_under_its_own_name(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    emulator = folder / "emulator"
    emulator.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
    emulator.chmod(0o755)
    write_starter(folder / "python", [str(emulator), "-L", "the root", "real"])
    command = [str(folder / "python"), "-c", "print('x')"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    expected = ["-0", str(folder / "python"), "-L", "the root", "real", "-c", "print('x')"]
    assert done.stdout.splitlines() == expected


def test_the_machine_that_was_prepared_is_another_one() -> None:
    python = ROOT / "build" / "aarch64" / "root" / "usr" / "bin" / "python"
    if not (ROOT / "build" / "aarch64" / "installed").exists() or why_not(AARCH64):
        pytest.skip("prepared by python -m tools.other_machine aarch64")
    script = "import platform, numpy, llvmlite, flint; print(platform.machine())"
    done = subprocess.run([str(python), "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "aarch64\n"
