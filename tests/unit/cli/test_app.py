"""The list of commands: quick to show, and true to the commands."""

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dalembert.cli import commands
from dalembert.cli.app import PANELS, app, module_of

NAMES = [name for panel in PANELS.values() for name in panel]


@pytest.mark.parametrize("name", NAMES)
def test_sentence_is_that_of_the_command(name: str) -> None:
    function = getattr(import_module(module_of(name)), name)
    first = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
    assert next(c[name] for c in PANELS.values() if name in c) == first


def test_every_command_is_listed() -> None:
    modules = {x.stem for x in Path(commands.__path__[0]).rglob("[a-z]*.py")}
    assert modules == set(NAMES)


def test_help_loads_no_command() -> None:
    code = (
        "import sys; sys.argv = ['dalembert', '--help']\n"
        "from dalembert.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = ('dalembert.mechanics', 'dalembert.kernel', 'numpy', 'flint')\n"
        "print([x for x in heavy if x in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
    assert all(name in run.stdout for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_command_has_its_own_help(name: str) -> None:
    result = CliRunner().invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert "--json" in result.output or name in ("view",)


def test_nearest_command_is_named() -> None:
    result = CliRunner().invoke(app, ["shwo"])
    assert result.exit_code == 2
    assert "show" in result.output
