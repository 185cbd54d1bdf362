"""A plugin of pytest that keeps what the tests of promises have seen."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import pytest

from tools.trust.promises import promises_of


@dataclass
class Kept:
    """The tests of one promise and their figures."""

    tests: set[str] = field(default_factory=set)
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    worst: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, report: pytest.TestReport) -> None:
        """Add the report of one test."""
        self.tests.add(report.nodeid.split("[")[0])
        setattr(self, report.outcome, getattr(self, report.outcome) + 1)
        for key, value in report.user_properties:
            kind, _, name = key.partition(" ")
            if kind == "count" and isinstance(value, int):
                self.counts[name] += value
            elif kind == "worst" and isinstance(value, float):
                self.worst[name] = max(self.worst[name], value)


class Collector:
    """Sort reports by the promise that their test keeps."""

    def __init__(self) -> None:
        self.promises: dict[str, Kept] = defaultdict(Kept)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the report of the call, or of a set-up that ended it."""
        if report.when == "call" or (report.when == "setup" and not report.passed):
            for promise in promises_of(report.nodeid):
                self.promises[promise].add(report)
