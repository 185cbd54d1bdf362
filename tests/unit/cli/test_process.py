"""The program as a process: pipes, colours, completion, Ctrl-C, and the time `--help` takes."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import dalembert as da

MAX_SECONDS = 0.9
"""Of processor time for --help, three times what it may take: clocks and caches vary."""


def process(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dalembert", *arguments],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
        **options,
    )


def test_a_pipe_gets_plain_lines_and_errors_apart() -> None:
    done = process("show", "panda")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    done = process("show", "pandas")
    assert (done.returncode, done.stdout) == (2, "")
    assert "panda" in done.stderr


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """Return what a command writes to a terminal, with errors."""
    pty = pytest.importorskip("pty", reason="terminals are tested on POSIX")
    master, slave = pty.openpty()
    known = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    with subprocess.Popen(
        [sys.executable, "-m", "dalembert", *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=known | {"TERM": "xterm-256color", "COLUMNS": "100"} | environment,
    ) as running:
        os.close(slave)
        parts = []
        try:
            while part := os.read(master, 65536):
                parts.append(part)
        except OSError:
            # the other side has closed the terminal
            pass
        running.wait()
    os.close(master)
    return b"".join(parts).decode()


@pytest.mark.parametrize("arguments", [("--help",), ("textbook",), ("show", "pandas")])
def test_colours_are_for_terminals_of_those_who_want_them(arguments: tuple[str, ...]) -> None:
    plain = on_a_terminal(*arguments, NO_COLOR="1")
    # bold letters and the cursor are no colours: 30 to 49 and 90 to 107 are
    codes = [x.split("m")[0].split(";") for x in plain.split("\x1b[")[1:] if "m" in x]
    assert not [c for code in codes for c in code if c.isdigit() and 30 <= int(c) <= 107]
    if "show" not in arguments:
        assert "\x1b[" in on_a_terminal(*arguments)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("dalembert che", ["check"]),
        ("dalembert derive rp_", ["rp_arm", "rp_arm_maximal", "rp_mechanism"]),
        ("dalembert derive planar_c", ["planar_chain:"]),
        ("dalembert show arms/", ["arms/a.urdf", "arms/b.toml"]),
        ("dalembert simulate x --contr", ["--controller"]),
        ("dalembert simulate x --controller comp", ["computed_torque"]),
    ],
)
def test_the_shell_completes(words: str, expected: list[str], tmp_path: Path) -> None:
    (tmp_path / "arms").mkdir()
    for name in ("a.urdf", "b.toml", "notes.txt"):
        (tmp_path / "arms" / name).touch()
    # as the script of --show-completion bash asks
    asked = {
        "_DALEMBERT_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    script = "import sys; sys.argv = ['dalembert']; from dalembert.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | asked | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
    )
    assert done.stdout.split() == expected, done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another thing on Windows")
def test_ctrl_c_ends_a_simulation_and_its_file_is_there(tmp_path: Path) -> None:
    path = tmp_path / "motion.npz"
    arguments = ["simulate", "double_pendulum", "-t", "1e7", "-o", str(path)]
    arguments += [x for name in ("m1", "m2", "l1", "l2", "g") for x in ("-p", f"{name}=1")]
    # the second name is where Python is told to say that it has begun
    script = (
        # a shell gives its background processes SIGINT ignored, and they pass it on
        "import signal, sys, dalembert.simulation.run as run\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "far = run.Run._advance_far\n"
        "def told(*x): print('moving', file=sys.stderr, flush=True); return far(*x)\n"
        "run.Run._advance_far = told\n"
        "from dalembert.cli import main; main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, *arguments, "--q", "1,1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr is not None
        assert running.stderr.readline() == "moving\n"
        running.send_signal(signal.SIGINT)
        out, errors = running.communicate(timeout=120)
    assert running.returncode == 1, errors
    assert "interrupted" in out
    assert "Traceback" not in errors
    assert 0 <= da.Trajectory.load(path).t[-1] < 1e7


def test_json_is_all_there_is_on_standard_output() -> None:
    done = process("ik", "ur5e", "--position", "9,9,9", "--json")
    assert done.returncode == 1
    assert set(json.loads(done.stdout)) == {"frame", "status", "q", "residual"}


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
def test_a_reader_that_leaves_is_no_error() -> None:
    command = f"{sys.executable} -m dalembert textbook | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert "name" in done.stdout
    assert "Traceback" not in done.stderr


def test_help_loads_nothing_heavy() -> None:
    heavy = ["numpy", "scipy", "llvmlite", "matplotlib", "viser"]
    script = (
        "import sys; from typer.testing import CliRunner; from dalembert.cli import app; "
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0; "
        f"print([x for x in {heavy} if x in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_sentences_without_docstrings() -> None:
    """`python -OO` removes docstrings: names stand in their place."""
    command = [sys.executable, "-OO", "-m", "dalembert"]
    for arguments, said in (
        (["derive", "--help"], "Derive the equations of motion by Lagrange's method, exactly."),
        (["textbook"], "double_pendulum      double pendulum"),
    ):
        done = subprocess.run(
            [*command, *arguments], capture_output=True, text=True, encoding="utf-8", check=True
        )
        assert said in done.stdout


def test_help_is_quick() -> None:
    pytest.importorskip("resource", reason="processor time of children on POSIX")
    # a cache of bytecode of its own, filled by the first try: a person's is full as well
    used = []
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    script = (
        "import resource, subprocess, sys; "
        "subprocess.run([sys.executable, '-m', 'dalembert', '--help'], stdout=-3, check=True); "
        "x = resource.getrusage(resource.RUSAGE_CHILDREN); print(x.ru_utime + x.ru_stime)"
    )
    for _ in range(4):
        done = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        used.append(float(done.stdout))
    assert min(used) <= MAX_SECONDS, used
