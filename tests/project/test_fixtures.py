"""The switches and fixtures of `tests/conftest.py`, used as a test would use them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.source_tree import ROOT

TEST = """
def test_random(rng, scale):
    assert rng.random() == 2.0 * scale
"""
DRAWN = re.compile(r"assert (0\.\d+) ==")


@pytest.fixture
def run(tmp_path: Path):
    """Run pytest on TEST with its own copy of the conftest."""
    tests = tmp_path / "tests"
    tests.mkdir()
    for name in ("conftest.py", "figures.py", "readback.py"):
        text = (ROOT / "tests" / name).read_text(encoding="utf-8")
        (tests / name).write_text(text, encoding="utf-8")
    (tests / "test_it.py").write_text(TEST, encoding="utf-8")

    def call(*arguments: str, **environment: str) -> str:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "pythonpath=."]
        command += ["tests", *arguments]
        variables = {name: os.environ[name] for name in os.environ if "PYTEST" not in name}
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=variables | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    return call


def test_random_numbers_follow_the_seed(run) -> None:
    drawn = [DRAWN.findall(run("-k", "random", f"--seed={seed}")) for seed in (7, 7, 8)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_failed_random_test_says_how_to_repeat_it(run) -> None:
    output = run("-k", "random", "--seed=7", DALEMBERT_TEST_SCALE="2.5")
    assert "dalembert: --seed=7 DALEMBERT_TEST_SCALE=2.5" in output
    assert "DALEMBERT_TEST_SCALE=2.5 ./test --no-lint --seed=7 'tests/test_it.py" in output


def test_bad_scale_is_refused(run) -> None:
    assert "must be a positive number, not 'much'" in run(DALEMBERT_TEST_SCALE="much")
