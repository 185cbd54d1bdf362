"""Switches and fixtures that every test may use.

`--seed N` seeds the random tests, DALEMBERT_TEST_SCALE=10 makes them ten times as many.
"""

import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator

# several processes test at a time, and threads of linear algebra spin while they wait: they took
# half of the processor time of some folders. NumPy reads this once, when it is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hypothesis
import numpy as np
import pytest

from tests.figures import Figures


def _scale() -> float:
    text = os.environ.get("DALEMBERT_TEST_SCALE", "1")
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise pytest.UsageError(f"DALEMBERT_TEST_SCALE must be a positive number, not {text!r}")
    return value


def _seed(config: pytest.Config) -> int:
    return config.option.seed


# a time limit per example says more about the machine than about the code
hypothesis.settings.register_profile(
    "dalembert", deadline=None, print_blob=True, max_examples=max(1, round(100 * _scale()))
)
hypothesis.settings.load_profile("dalembert")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dalembert")
    group.addoption("--seed", type=int, default=0, help="seed of the random tests (default 0)")


def pytest_configure(config: pytest.Config) -> None:
    """Give the run a cache of machine code of its own; worker processes share their parent's."""
    if not hasattr(config, "workerinput") and "DALEMBERT_CACHE" not in os.environ:
        folder = tempfile.mkdtemp(prefix="dalembert-test-")
        os.environ["DALEMBERT_CACHE"] = folder

        def remove() -> None:
            shutil.rmtree(folder, ignore_errors=True)
            del os.environ["DALEMBERT_CACHE"]

        config.add_cleanup(remove)


def pytest_report_header(config: pytest.Config) -> str:
    return f"dalembert: --seed={_seed(config)} DALEMBERT_TEST_SCALE={_scale():g}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Say in the report of a failed random test how to draw the same numbers again."""
    report = yield
    if report.failed and "rng" in getattr(item, "fixturenames", ()):
        scale = f"DALEMBERT_TEST_SCALE={_scale():g} " if _scale() != 1.0 else ""
        again = f"{scale}./test --no-lint --seed={_seed(item.config)} '{item.nodeid}'"
        report.sections.append(("random test, repeat with", again))
    return report


@pytest.fixture(scope="session", autouse=True)
def every_print_is_read_back() -> Iterator[None]:
    """Read back whatever a test prints: what cannot be read, or is read as another, fails it."""
    from tests.readback import check_every_print

    with pytest.MonkeyPatch.context() as patch:
        check_every_print(patch)
        yield


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers that depend on the seed and the name of the test, not on order or folder."""
    name = f"{request.path.stem}::{request.node.name}"
    return np.random.default_rng([_seed(request.config), zlib.crc32(name.encode())])


@pytest.fixture(scope="session")
def scale() -> float:
    """The factor by which a random test multiplies its number of cases."""
    return _scale()


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make a package one that is not installed, for the test."""
    from dalembert.optional import require

    def take_away(package: str) -> None:
        monkeypatch.setitem(sys.modules, package, None)
        require.cache_clear()

    return take_away


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Figures:
    """What a test of a promise has seen; `python -m tools.trust` adds them up."""
    return Figures(request.node.user_properties)
