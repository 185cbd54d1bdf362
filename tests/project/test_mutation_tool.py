"""`tools.mutation` makes the mutants it says, and tells those that tests notice from the others."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tools.environment import ROOT
from tools.mutation.mutants import mutants

CHANGES = {
    "x < y": "x <= y",
    "x == y": "x != y",
    "x in y": "x not in y",
    "x is None": "x is not None",
    "x and y": "x or y",
    "not x": "x",
    "-x": "x",
    "x + y": "x - y",
    "x % y": "x * y",
    "True": "False",
    "3": "4",
    "0.5": "1.0",
    "0.0": "1.0",
    "any(x)": "all(x)",
    "x if y else z": "z",
}


@pytest.mark.parametrize("text", CHANGES)
def test_each_change(text: str) -> None:
    assert [m.text for m in mutants(f"f = {text}")] == [f"f = {CHANGES[text]}"]


def test_statements_are_left_out() -> None:
    text = "for x in y:\n    if x:\n        continue\n    raise ValueError"
    found = mutants(text)
    assert [(m.line, m.words) for m in found] == [(3, "continue left out"), (4, "raise left out")]
    assert all("pass" in m.text for m in found)


def test_what_does_not_run_has_no_mutants() -> None:
    text = (
        '"""Text with 3 and not 4."""\n'
        "from x import y\n"
        "if TYPE_CHECKING:\n    a = 1\n"
        "def f(x: 'int | 3') -> tuple[2]:\n    '''1'''\n    return x\n"
    )
    assert mutants(text) == []


def test_every_mutant_is_another_program() -> None:
    text = (ROOT / "tools/mutation/mutants.py").read_text(encoding="utf-8")
    plain = ast.unparse(ast.parse(text))
    found = mutants(text)
    assert len(found) > 2
    for mutant in found:
        ast.parse(mutant.text)
        assert mutant.text != plain


def test_tests_notice_a_mutant_or_not(tmp_path: Path) -> None:
    """In a process of its own: the tool forks one that has not imported dalembert."""
    test = tmp_path / "test_it.py"
    test.write_text(
        "import dalembert.version\ndef test_it():\n    assert dalembert.version.CHECK == 1\n"
    )
    script = f"""
from pathlib import Path
from tools.mutation.mutants import Mutant
from tools.mutation.run import copied_source, judge

path = Path("dalembert/version.py")
with copied_source() as copy:
    original = (copy / path).read_text()
    for line in ("CHECK = 1", "CHECK = 2", "import time; time.sleep(99)"):
        mutant = Mutant(1, "x", original + line)
        print(judge(copy, path, mutant, [{str(test)!r}], 20.0 if "CHECK" in line else 4.0).fate)
        assert (copy / path).read_text() == original
"""
    call = [sys.executable, "-c", script]
    result = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.stdout.split() == ["survived", "killed", "timeout"], result.stderr
