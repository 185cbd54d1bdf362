"""The list of commands: quick to show, and true to the commands."""

import inspect
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dalembert.cli import commands
from dalembert.cli.app import PANELS, app, module_of
from dalembert.cli.output import show_json

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
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("frobnicate",), "No such command"),
        (("ik", "ur5e"), "Missing option '--position'"),
        (("ik", "ur5e", "--postion", "1,2,3"), "No such option"),
        (("simulate", "ur5e", "-t", "soon"), "--time"),
        (("simulate", "ur5e", "-t", "-1"), "--time"),
    ],
)
def test_wrong_options_are_json_too(answer, words: tuple[str, ...], said: str) -> None:
    status, data = answer(*words)
    assert status == 2
    assert said in data["error"]


def test_what_json_cannot_say_is_a_text(capsys: pytest.CaptureFixture[str]) -> None:
    import numpy as np

    data: Any = {"a": [np.inf, -np.inf], "b": np.array([[np.nan, 1.5]]), "c": {"d": np.float64(2)}}
    show_json(data)
    expected = {"a": ["inf", "-inf"], "b": [["nan", 1.5]], "c": {"d": 2.0}}
    assert json.loads(capsys.readouterr().out) == expected


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("nowhere/x.csv", "expected a folder to write into, got"),
        ("x.wrong", "expected a file ending .csv"),
        ("folder.csv", "which cannot be: name another"),
    ],
)
def test_where_results_go_is_checked_first(answer, tmp_path, output: str, said: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    status, data = answer("simulate", "ur5e", "-t", "1e6", "-o", tmp_path / output)
    assert status == 2
    # nothing was computed
    assert list(data) == ["error"]
    assert said in data["error"]


def test_remedies_are_said_in_words_of_the_command_line(run) -> None:
    words = ("four_bar", "-t", "0.1", "-p", "g=9.81", "-p", "l0=4", "-p", "l1=1.5", "-p", "l2=3")
    words += ("-p", "l3=3.5", "-p", "m1=1", "-p", "m2=1", "-p", "m3=1", "--q", "0.6,-0.5,1.0")
    status, text = run("simulate", *words)
    assert status == 2
    assert "on the command line: --close" in text
    assert run("simulate", *words, "--close")[0] == 0
