"""The table of promises names tests that exist, and its page shows what they tell."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.figures import Figures
from tools.trust.collect import Collector
from tools.trust.page import page
from tools.trust.promises import PROMISES, promises_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("test", sorted({t for p in PROMISES.values() for t in p.tests}))
def test_the_tests_of_a_promise_exist(test: str) -> None:
    path, _, name = test.partition("::")
    assert (ROOT / path).exists()
    if name:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^def {name}\(", text, re.MULTILINE)


def test_every_promise_has_tests_or_says_what_is_missing() -> None:
    assert [name for name, p in PROMISES.items() if not p.tests and not p.missing] == []


def test_a_test_belongs_to_the_promises_that_list_it() -> None:
    assert promises_of("tests/unit/kernel/test_cache.py::test_a_full_disk[x]") == ["G6"]
    assert promises_of("tests/laws/test_certificates.py::test_x") == ["G9b", "G18"]
    assert promises_of("tests/unit/kernel/test_cache.pyx") == []


def test_the_page_is_of_this_table() -> None:
    rows = re.findall(r"^\| (\w+) \| (.*?) \|", (ROOT / "docs/trust.md").read_text(), re.MULTILINE)
    assert rows == [(name, promise.text) for name, promise in PROMISES.items()]


def report(test: str, outcome: str, properties: list[tuple[str, Any]]) -> Any:
    return SimpleNamespace(
        nodeid=test,
        when="call",
        outcome=outcome,
        passed=outcome == "passed",
        user_properties=properties,
    )


def test_figures_are_added_up_and_failures_are_shown() -> None:
    collector = Collector()
    test = "tests/unit/spatial/inertia/test_consistency.py::test_verdicts_agree"
    for number, error in ((3, 1e-13), (4, 2e-12)):
        properties: list[tuple[str, Any]] = []
        figures = Figures(properties)
        figures.count("bodies", number)
        figures.worst("error", error)
        collector.pytest_runtest_logreport(report(test, "passed", properties))
    collector.pytest_runtest_logreport(report(test, "failed", []))
    text = page(collector.promises, run="today")
    (row,) = [line for line in text.splitlines() if line.startswith("| G7 ")]
    assert row.endswith("| 2 tests passed; 1 **failed**; bodies 7; error ≤ 2.0e-12 | today |")
    for name, promise in PROMISES.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| {name} ")]
        assert (f"not tested: {promise.missing}" in row) == bool(promise.missing)
    (row,) = [line for line in text.splitlines() if line.startswith("| G6 ")]
    assert "not run" in row
    # what did not run keeps its row
    again = page({}, run="tomorrow", before=text)
    assert again == text
