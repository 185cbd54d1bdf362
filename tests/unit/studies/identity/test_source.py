"""The source of a function tells what it computes, and nothing else."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from dalembert.studies.identity import identity
from dalembert.studies.identity.source import written
from tests.project.source_tree import ROOT

TEXT = '''\
"""A study."""
from functools import cache

FACTOR = 2.0
LIMIT = 3


def small(x, *, most=LIMIT):
    """Tell whether it is."""
    return x < most


def work(rows):
    """Compute."""
    assert small(rows) and rows.FACTOR, LIMIT  # says nothing about results
    if rows:
        return {"y": FACTOR * rows, "z": [i for i in range(3)]}


single = lambda x: x + 1
one, two = (lambda x: x + 1), (lambda x: x + 2)


class Kept:
    @cache
    def method(self, x):
        return -x
'''


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Import a text as a new module."""
    monkeypatch.syspath_prepend(tmp_path)

    def go(name: str, text: str = TEXT) -> ModuleType:
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield go
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(path.stem, None)


def test_the_text_is_the_syntax_tree(load) -> None:
    """By hand: it must be the same in every version of Python."""
    found = written(load("study_a").small)
    assert found is not None
    assert found.text == (
        "[[[],['x'],['most'],None,None],[Return(value=Compare(left=Name(id='x'),"
        "ops=[Lt()],comparators=[Name(id='most')]))]]"
    )
    assert found.asserted == frozenset()


def test_names_of_assertions_are_known(load) -> None:
    found = written(load("study_b").work)
    assert found is not None
    assert found.asserted == {"small", "rows", "FACTOR", "LIMIT"}


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("# says nothing", "# says  nothing", True),
        ('"""Compute."""', '"""Compute: now with more words."""', True),
        ("\n    if rows:", "\n\n    # only then\n    if (rows):", True),
        ("range(3)", "range(4)", False),
        ("FACTOR * rows", "FACTOR + rows", False),
        ("FACTOR = 2.0", "FACTOR = 2", False),
        ("return x < most", "return x <= most", False),
        ("LIMIT = 3", "LIMIT = 4", False),
        ("*, most=LIMIT", "*, most=5", False),
        ("def small(x,", "def small(x: int,", True),
    ],
)
def test_what_changes_a_function(load, old: str, new: str, same: bool) -> None:
    assert old in TEXT
    before, after = load("study_c"), load("study_d", TEXT.replace(old, new))
    for module in (before, after):
        module.small.__module__ = module.work.__module__ = "study"
    assert (identity(before.work) == identity(after.work)) is same
    assert "python" not in identity(after.work)


def test_methods_and_single_lambdas_have_a_source(load) -> None:
    module = load("study_e")
    assert written(module.single) is not None
    assert written(module.Kept.method.__wrapped__) is not None


def test_what_has_no_certain_source_names_the_version(load) -> None:
    module = load("study_f")
    made: dict = {}
    exec("def f(rows):\n    return rows", made)  # our own text, for a test
    version = ".".join(map(str, sys.version_info[:2]))
    for function in (module.one, module.two, made["f"]):
        assert written(function) is None
        assert identity(function)["python"].startswith(version)
    assert identity(module.one) != identity(module.two)


def test_a_file_that_has_changed_since_it_was_loaded_is_not_believed(load, tmp_path: Path) -> None:
    module = load("study_g")
    assert written(module.work) is not None
    text = TEXT.replace("range(3)", "range(4)")
    (tmp_path / "study_g.py").write_text(text, encoding="utf-8")
    assert written(module.work) is None
    assert written(module.small) is not None


@pytest.mark.parametrize("options", [["-O"], ["-OO"]])
def test_the_digest_does_not_depend_on_assertions(load, tmp_path: Path, options: list[str]) -> None:
    script = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT / 'src')!r}]\n"
        "import study_h; from dalembert.studies.identity import identity\n"
        "print(identity(study_h.work))"
    )
    expected = identity(load("study_h").work)
    command = [sys.executable, *options, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(expected)
