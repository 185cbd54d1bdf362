"""`python -O` removes the assert statements, and nothing else may change with them.

An assert of the package tells the type checker what is known there. What guards a result raises an
error of its own: this is checked in the source, and the proofs and the README run under `-O`.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.source_tree import ROOT, SRC

FOLDERS = ("src", "tests", "tools", "benchmarks", "examples", "notebooks")
TYPE_CHECKS = {"isinstance", "is_dataclass"}
RUN_WITHOUT = (
    "tests/project/test_readme.py::test_page[README.md]",
    "tests/unit/model/certificates/test_in_ring.py",
    "tests/unit/model/certificates/test_signature.py",
    "tests/laws/test_certificates.py::test_half_of_an_angle_of_the_equations_is_refuted",
    "tests/laws/test_program_faults.py::test_no_fault_is_proved_and_all_are_refuted[planar_2r]",
    "tests/laws/test_equation_faults.py",
)
"""Tests of this repository; pytest writes their own assertions as code that `-O` keeps."""


def handlers_of_assertions(path: Path) -> Iterator[int]:
    """Yield the lines where a file catches AssertionError: without asserts it never comes."""
    for node in _nodes(path, "AssertionError"):
        match node:
            case ast.ExceptHandler(type=ast.expr() as caught):
                pass
            case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress")):
                caught = node
            case _:
                continue
        if any(getattr(x, "id", None) == "AssertionError" for x in ast.walk(caught)):
            yield node.lineno


def guarding_assertions(path: Path) -> Iterator[int]:
    """Yield the lines of asserts that do more than narrow a type."""
    for node in _nodes(path, "assert"):
        if isinstance(node, ast.Assert) and not _narrows(node.test):
            yield node.lineno


def _nodes(path: Path, word: str) -> Iterator[ast.AST]:
    """Yield the nodes of a file, if the word is in it at all."""
    text = path.read_text(encoding="utf-8")
    if word in text:
        yield from ast.walk(ast.parse(text))


def _narrows(test: ast.expr) -> bool:
    match test:
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(map(_narrows, parts))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _narrows(operand)
        case ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in TYPE_CHECKS
    return False


def places(paths: Iterator[Path], check: object) -> list[str]:
    return [
        f"{path.relative_to(ROOT).as_posix()}:{line}"
        for path in sorted(paths)
        for line in check(path)  # type: ignore[operator]
    ]


def test_nothing_catches_an_assertion() -> None:
    paths = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    found = places(paths, handlers_of_assertions)
    assert not found, f"raise and catch an error of your own instead: {found}"


def test_an_assert_of_the_package_only_narrows_a_type() -> None:
    found = places(SRC.rglob("*.py"), guarding_assertions)
    assert not found, f"raise an error instead, which stays under python -O: {found}"


def test_proofs_faults_and_readme_without_assertions() -> None:
    options = ["-q", "-n0", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestConfigWarning"]
    done = subprocess.run(
        [sys.executable, "-O", "-m", "pytest", *options, *RUN_WITHOUT],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


# the rest checks the checks


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    f()\nexcept AssertionError:\n    pass\n",
        "try:\n    f()\nexcept (KeyError, AssertionError) as error:\n    pass\n",
        "with suppress(AssertionError):\n    f()\n",
    ],
)
def test_a_caught_assertion_is_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    assert len(list(handlers_of_assertions(tmp_path / "a.py"))) == 1


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("assert n < 3", 1),
        ("assert k is not None and all(k)", 1),
        ("assert f(x), 'x'", 1),
        ("assert k is not None and isinstance(x, int)", 0),
        ("assert not isinstance(x, int)", 0),
    ],
)
def test_a_guarding_assertion_is_found(tmp_path: Path, text: str, count: int) -> None:
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    assert len(list(guarding_assertions(tmp_path / "a.py"))) == count
