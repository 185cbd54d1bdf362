"""The program as a process: pipes, colours, and the time that `--help` takes."""

import json
import os
import subprocess
import sys

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


def test_json_is_all_there_is_on_standard_output() -> None:
    done = process("ik", "ur5e", "--position", "9,9,9", "--json")
    assert done.returncode == 1
    assert set(json.loads(done.stdout)) == {"frame", "status", "q", "residual"}


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


def test_help_is_quick() -> None:
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
