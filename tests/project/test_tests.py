"""The tests themselves: they hold on a loaded machine and never run zero cases."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.source_tree import ROOT, SRC

TESTS = ROOT / "tests"
WALL_CLOCKS = {"perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns"}


def files(folder: Path = TESTS) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the names that code uses, as variables and as attributes, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute):
            yield node.attr, node.lineno


def wall_clocks(path: Path) -> list[str]:
    """Return the places where a file reads a clock that other processes slow down."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [f"{path.name}:{line}: {name}" for name, line in names(tree) if name in WALL_CLOCKS]


def rounded_counts(path: Path) -> list[str]:
    """Return the places where a file rounds a number of cases, perhaps to zero."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        f"{path.name}:{node.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("round", "int")
        and any(name == "scale" for argument in node.args for name, _ in names(argument))
    ]


def test_no_test_reads_a_wall_clock() -> None:
    found = [place for path in files() for place in wall_clocks(path)]
    assert not found, "use tests/effort.py instead of a wall clock:\n" + "\n".join(found)


def test_every_scaled_loop_runs_at_least_once() -> None:
    found = [place for path in files() if path.name != "cases.py" for place in rounded_counts(path)]
    assert not found, "use num_cases instead of rounding:\n" + "\n".join(found)


def test_laws_take_nothing_from_the_benchmarks() -> None:
    found = [path.name for path in files(TESTS / "laws") if "benchmarks" in path.read_text("utf-8")]
    assert not found


def test_folders_of_unit_tests_are_folders_of_the_source() -> None:
    unit = TESTS / "unit"
    folders = {path.parent.relative_to(unit) for path in files(unit)} - {Path("benchmarks")}
    strays = [folder.as_posix() for folder in folders if not (SRC / "dalembert" / folder).is_dir()]
    assert not strays, f"tests/unit mirrors src/dalembert; these folders do not: {strays}"


@pytest.mark.parametrize(
    "text",
    ["import time\nstart = time.perf_counter()\n", "from time import monotonic\nmonotonic()\n"],
)
def test_the_check_finds_a_wall_clock(tmp_path: Path, text: str) -> None:
    path = tmp_path / "test_it.py"
    path.write_text(text, encoding="utf-8")
    assert len(wall_clocks(path)) == 1


@pytest.mark.parametrize("text", ["round(3 * scale)", "int(scale * 5)", "range(round(N * scale))"])
def test_the_check_finds_a_rounded_count(tmp_path: Path, text: str) -> None:
    path = tmp_path / "test_it.py"
    path.write_text(text, encoding="utf-8")
    assert len(rounded_counts(path)) == 1
