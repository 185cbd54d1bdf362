"""What the tests of the command line share."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from dalembert.cli import app

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run() -> Run:
    """Run a command; return its exit status and all that it printed."""

    def go(*arguments: object) -> tuple[int, str]:
        done = CliRunner().invoke(app, [str(x) for x in arguments])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        assert "Traceback" not in done.output
        return done.exit_code, done.output

    return go


@pytest.fixture
def answer(run: Run) -> Callable[..., tuple[int, Any]]:
    """Run a command with --json; return its exit status and the object that it printed."""

    def go(*arguments: object) -> tuple[int, Any]:
        status, text = run(*arguments, "--json")
        return status, json.loads(text)

    return go
