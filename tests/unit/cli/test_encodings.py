"""Every command prints into every encoding, and into streams that are closed or full."""

import codecs
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import dalembert as da
from dalembert.cli.app import PANELS, main

PENDULUM = """\
name = "pendel"
coordinates = ["theta"]
T = "1/2*m*l^2*theta.dot^2"
V = "-m*g*l*cos(theta)"
[parameters]
m = 2
l = 0.5
g = 9.81
"""
STUDY = 'robot = "ur5e"\nrows = 8\ncompute = "torque"\n[spread]\nq = [-1, 1]\n'
COMMANDS = {
    "check": "arm.json",
    "show": "pendulum.toml",
    "convert": "arm.json arm.urdf",
    "textbook": "",
    "derive": "pendulum.toml",
    "prove": "pendulum.toml",
    "certify": "pendulum.toml",
    "report": "pendulum.toml -t 0.1 -o report.html",
    "simulate": "pendulum.toml -t 0.1 --q 1",
    "sweep": "study.toml",
    "view": "arm.json --no-browser --seconds 0",
    "ik": "ur5e --position 0.3,0.2,0.4",
    "identify": "arm.json swing.csv",
    "analyse": "pendulum.toml",
    "codegen": "pendulum.toml -o .",
    "bench": "pendulum.toml --batch 10",
    "doctor": "",
}
NEEDS = {"sweep": "pyarrow", "view": "viser"}
REPEATABLE = {"check", "show", "textbook", "derive", "prove", "certify", "simulate", "analyse"}
"""Commands that say the same whenever they are called."""

Printed = Callable[..., tuple[int, bytes]]


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> Printed:
    """Run the program with streams of an encoding; return its exit status and what it printed."""

    def go(encoding: str, *arguments: str, chosen: bool = False) -> tuple[int, bytes]:
        both = io.BytesIO()
        with monkeypatch.context() as patch:
            for name in ("stdout", "stderr"):
                patch.setattr(sys, name, io.TextIOWrapper(both, encoding, write_through=True))
            patch.setattr(sys, "argv", ["dalembert", *arguments])
            patch.setenv("PYTHONIOENCODING", encoding) if chosen else patch.delenv(
                "PYTHONIOENCODING", raising=False
            )
            with pytest.raises(SystemExit) as ended:
                main()
            found = both.getvalue()
            # closing the wrappers closes the bytes
            for name in ("stdout", "stderr"):
                getattr(sys, name).detach()
        return int(ended.value.code or 0), found

    return go


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file for each command."""
    rod = {"mass": 1, "com": (0, 0, -0.5), "inertia": (0.1, 0.1, 0.01)}
    arm = da.Builder("märz").link("θ-arm", **rod).revolute("gelenk φ", "θ-arm", axis="y").build()
    da.save(arm, tmp_path / "arm.json")
    rows = [f"{k * k / 1e4},{k / 50},2,{1 + k / 99},{k / 100}" for k in range(100)]
    head = ",".join(f"{kind}:gelenk φ" for kind in ("q", "qd", "qdd", "tau")) + ",t"
    (tmp_path / "swing.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    (tmp_path / "pendulum.toml").write_text(PENDULUM, encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_command_is_here() -> None:
    assert set(COMMANDS) == {name for commands in PANELS.values() for name in commands}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_in_encodings_without_greek(command: str, printed: Printed) -> None:
    if command in NEEDS:
        pytest.importorskip(NEEDS[command])
    words = [command, *COMMANDS[command].split()]
    status, utf8 = printed("utf-8", *words)
    assert status == 0
    text = utf8.decode()
    assert text
    assert "fault of dalembert" not in text
    # Windows: a pipe has the encoding of the machine, which nobody chose
    status, found = printed("cp1252", *words)
    assert status == 0
    assert found == utf8 or (command not in REPEATABLE and found.decode())
    # somebody did: what the encoding lacks is written as an escape
    status, found = printed("ascii", *words, chosen=True)
    assert status == 0
    assert found.isascii()
    assert found == text.encode("ascii", "backslashreplace") or command not in REPEATABLE
    status, found = printed("cp1252", *words, "--json", chosen=True)
    assert status == 0
    assert found.isascii()
    assert "error" not in json.loads(found)


@pytest.mark.parametrize("command", ["check", "derive", "identify", "sweep"])
def test_files_as_windows_writes_them(command: str, printed: Printed, folder: Path) -> None:
    """Notepad and Excel put a byte order mark first, and end lines with CR LF."""
    if command in NEEDS:
        pytest.importorskip(NEEDS[command])
    words = [command, *COMMANDS[command].split(), "--json"]
    expected = printed("utf-8", *words)
    assert expected[0] == 0
    for path in (folder / COMMANDS[command].split()[0], folder / "swing.csv"):
        text = path.read_bytes().replace(b"\n", b"\r\n")
        path.write_bytes(codecs.BOM_UTF8 + text)
    assert printed("utf-8", *words) == expected


def test_refusals_and_help_in_ascii(printed: Printed) -> None:
    for words in (["--help"], ["derive", "--help"], ["derive", "θ.toml"], ["θ"]):
        status, found = printed("ascii", *words, chosen=True)
        assert status == (0 if "--help" in words else 2)
        assert found.isascii()
        assert b"\\u03b8" in found or "--help" in words
        assert b"Traceback" not in found


MACHINES = {
    "a pipe of Windows": {"PYTHONIOENCODING": "cp1252"},
    "ascii": {"PYTHONIOENCODING": "ascii:strict"},
    "no locale": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
}


def process(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    known = {k: v for k, v in os.environ.items() if k not in ("PYTHONIOENCODING", "PYTHONUTF8")}
    return subprocess.run(
        [sys.executable, *script.split(), *arguments],
        capture_output=True,
        check=False,
        env=known | environment,
    )


@pytest.mark.parametrize("machine", MACHINES)
def test_the_program_and_the_demo_as_processes(machine: str) -> None:
    derived = process("-m dalembert", "derive", "particle", **MACHINES[machine])
    assert (derived.returncode, derived.stderr) == (0, b"")
    expected = {"ascii": b"m \\xff + m g = f", "a pipe of Windows": b"m \xff + m g = f"}
    assert expected.get(machine, "m ÿ + m g = f".encode()) in derived.stdout
    demo = process("-m dalembert.demo", "rp_arm", **MACHINES[machine])
    assert (demo.returncode, demo.stderr) == (0, b"")
    assert ("✓" if machine == "no locale" else "\\u2713").encode() in demo.stdout


CLOSED = (
    "import os, sys; os.close(int(sys.argv[1])); "
    "os.execv(sys.executable, [sys.executable, '-m', 'dalembert', *sys.argv[2:]])"
)
"""Closes one of its streams and becomes the program."""


@pytest.mark.skipif(os.name == "nt", reason="closed as shells of POSIX do it")
@pytest.mark.parametrize("arguments", ["derive particle", "derive particle --json", "--help"])
def test_a_closed_stream_is_no_fault(arguments: str) -> None:
    for stream in ("1", "2"):
        command = [sys.executable, "-c", CLOSED, stream, *arguments.split()]
        done = subprocess.run(command, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert bool(done.stdout) == (stream == "2")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", ["derive particle", "derive particle --json", "--help"])
def test_a_full_disk_is_said(arguments: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dalembert", *arguments.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: expected standard output to take the answer, got: ")
    assert b"fault" not in done.stderr
