"""Fuzzing by coverage: it reaches what chance does not, and its readers read and refuse."""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.source_tree import ROOT
from tools.fuzz import __main__ as tool
from tools.fuzz.readers import PACKAGES, Reader, reader

needs_atheris = pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="pip install atheris"
)

# four branches deep: inputs at random would find it once in 2**32
HIDDEN = """
import sys
import atheris
sys.path.insert(0, {folder!r})
with atheris.instrument_imports(include=["deep"]):
    import deep
from tools.fuzz.__main__ import target
from tools.fuzz.readers import Reader
chosen = Reader([b"0000"], deep.read, None, (ValueError,))
settings = ["fuzz", "-runs=300000", "-seed=1", "-artifact_prefix=" + {folder!r} + "/"]
atheris.Setup(settings, target(chosen))
atheris.Fuzz()
"""
DEEP = """
def read(data):
    if len(data) > 3 and data[0] == 100:
        if data[1] == 101:
            if data[2] == 112:
                if data[3] == 116:
                    raise KeyError("found")
    raise ValueError("refused")
"""


@pytest.mark.parametrize("name", PACKAGES)
def test_a_reader_reads_its_seeds_and_refuses_others(name: str, tmp_path: Path) -> None:
    if name == "mjcf":
        pytest.importorskip("mujoco", reason="MuJoCo reads MJCF")
    chosen = reader(name, tmp_path)
    read = 0
    for data in chosen.seeds:
        try:
            chosen.read(data)
            read += 1
        except chosen.errors:
            continue
    assert read > 0
    with pytest.raises(chosen.errors):
        chosen.read(b"\0 of nothing")


@pytest.mark.parametrize("name", PACKAGES)
def test_changes_keep_some_structure_and_never_fail(name: str, tmp_path: Path) -> None:
    chosen = reader(name, tmp_path)
    change = tool.mutator(chosen, lambda data, size: data[: size // 2])
    draw = random.Random(3)
    data = chosen.seeds[0]
    found = {change(data, 4000, draw.getrandbits(31)) for _ in range(40)}
    assert len(found) > 10
    assert max(map(len, found)) <= 4000
    for broken in (b"", b"\xff", b"<", b"7", b"[]"):
        for seed in range(20):
            change(broken, 100, seed)


def test_an_error_of_another_kind_or_without_words_is_a_fault() -> None:
    def read(data: bytes) -> None:
        raise {b"a": ValueError("expected b"), b"b": ValueError(" "), b"c": KeyError("c")}[data]

    check = tool.target(Reader([], read, None, (ValueError,)))
    check(b"a")
    with pytest.raises(RuntimeError, match="without one"):
        check(b"b")
    with pytest.raises(KeyError, match="c"):
        check(b"c")


def test_without_atheris_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="pip install atheris"):
        tool.main(["json"])


@needs_atheris
def test_it_finds_what_lies_behind_four_branches(tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(DEEP, encoding="utf-8")
    done = run("-c", HIDDEN.format(folder=str(tmp_path)))
    assert done.returncode != 0
    assert "KeyError" in done.stdout + done.stderr
    (kept,) = tmp_path.glob("crash-*")
    assert kept.read_bytes().startswith(b"dept")


@needs_atheris
def test_a_short_run_of_the_command_ends_well() -> None:
    done = run("-m", "tools.fuzz", "json", "--runs", "50", "--seed", "1")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "number_of_executed_units" in done.stderr


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
