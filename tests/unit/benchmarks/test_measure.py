"""Timing, agreement and tables of the benchmark."""

from __future__ import annotations

import ctypes
from pathlib import Path
from time import process_time_ns

import numpy as np
import pytest

from benchmarks import build
from benchmarks.engines import BASELINE
from benchmarks.measure import Disagreement, RobotTimes, TaskTimes, measure_robot
from benchmarks.ours import DalembertFloats
from benchmarks.peak import vector_bits
from benchmarks.peers.base import Case, Unavailable
from benchmarks.reference import Reference
from benchmarks.robots import planar_2r, random_states
from benchmarks.tables import Table, nanoseconds, ratio, ratio_table
from benchmarks.timing import FEWEST_ROUNDS, Plan, best_of


def case() -> Case:
    robot = planar_2r()
    return Case("2r", robot, random_states(robot, 4))


def planar_mass_matrix(q2: float) -> np.ndarray:
    """Return M of two equal boxes of 2 kg, 1 m long and 0.05 m wide, by hand."""
    m, l, c, I = 2.0, 1.0, 0.5, 2.0 * (1.0 + 0.05**2) / 12
    x = m * l * c * np.cos(q2)
    far = I + m * c**2
    return np.array([[2 * far + m * l**2 + 2 * x, far + x], [far + x, far]])


class FakeEngine:
    """M of the planar arm by its formula, times ``factor``."""

    name = "fake"
    tasks = ("mass_matrix",)

    def __init__(self, case: Case, factor: float = 1.0) -> None:
        self.case, self.factor = case, factor

    def run(self, task: str, passes: int) -> int:
        return passes

    def result(self, task: str, state: int) -> np.ndarray:
        return self.factor * planar_mass_matrix(self.case.states.q[state, 1])


def test_agreement_is_relative() -> None:
    reference = Reference(case(), 2)
    assert reference.error(FakeEngine(case()), "mass_matrix") < 1e-15
    assert reference.error(FakeEngine(case(), 1 + 1e-6), "mass_matrix") == pytest.approx(1e-6)


@pytest.mark.parametrize("factor", [1 + 1e-6, float("nan")])
def test_an_engine_that_disagrees_is_not_timed(
    factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = FakeEngine(case(), factor)
    monkeypatch.setattr("benchmarks.measure.open_engines", lambda *args, **options: ([engine], {}))
    with pytest.raises(Disagreement, match="fake to agree"):
        measure_robot(case(), Plan(1, 0, 0), peers_only=True, announce=lambda text: None)


def test_single_precision_agrees_to_what_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = FakeEngine(case(), 1 + 1e-6)
    monkeypatch.setattr("benchmarks.measure.open_engines", lambda *args, **options: ([engine], {}))
    monkeypatch.setattr(FakeEngine, "name", DalembertFloats.name)
    found = measure_robot(case(), Plan(1, 0, 0), peers_only=True, announce=lambda text: None)
    assert found.tasks["mass_matrix"].errors[DalembertFloats.name] == pytest.approx(1e-6)


def test_rounds_are_interleaved_and_the_best_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    clock = 0
    # two runs to find out how long it takes, then three rounds
    costs = {"a": iter([9, 9, 5, 3, 4]), "b": iter([9, 9, 8, 7, 6])}

    def job(name: str) -> int:
        nonlocal clock
        order.append(name)
        clock += next(costs[name])
        return 2

    monkeypatch.setattr("benchmarks.timing.process_time_ns", lambda: clock)
    jobs = {name: lambda passes, name=name: job(name) for name in "ab"}
    assert best_of(jobs, Plan(3, 0, 1)) == {"a": 1.5, "b": 3.0}
    assert "".join(order) == "aabb" + "ab" * 3


def test_slow_jobs_stop_early() -> None:
    calls = dict.fromkeys("ab", 0)

    def job(name: str) -> int:
        calls[name] += 1
        deadline = process_time_ns() + (2_000_000 if name == "a" else 0)
        while process_time_ns() < deadline:
            pass
        return 1

    jobs = {name: lambda passes, name=name: job(name) for name in "ab"}
    best_of(jobs, Plan(rounds=20, seconds=0, limit=0.001))
    assert calls["a"] == 2 + FEWEST_ROUNDS
    assert calls["b"] == 2 + 20


def test_ratios_are_larger_for_faster_engines() -> None:
    times = {BASELINE: 1000.0, "CasADi C": 100.0, "CasADi VM": 4000.0}
    robot = RobotTimes("2r", 2, 2, {"mass_matrix": TaskTimes(times, {}, None)})
    table = ratio_table(robot)
    assert table.rows == [("CasADi VM", "0.25×"), ("CasADi C", "10×")]
    assert table.header == ("", "mass matrix")


def test_markdown() -> None:
    table = Table("t", ("", "a"), [("x", "1")])
    assert table.markdown() == "### t\n\n|  | a |\n| --- | ---: |\n| x | 1 |"


@pytest.mark.parametrize(
    ("x", "text"),
    [(8.126, "8.13 ns"), (81.26, "81.3 ns"), (812.6, "813 ns"), (1094, "1.09 µs"), (2e5, "200 µs")],
)
def test_times_have_three_digits(x: float, text: str) -> None:
    assert nanoseconds(x) == text


def test_ratio_text() -> None:
    assert [ratio(x) for x in (0.123, 4.56, 17.2)] == ["0.12×", "4.6×", "17×"]


@pytest.mark.parametrize(
    ("features", "bits"),
    [({"avx": True, "avx512f": True}, 512), ({"avx": True, "avx512f": False}, 256), ({}, 128)],
)
def test_vector_bits(features: dict[str, bool], bits: int) -> None:
    assert vector_bits(features) == bits


def test_libraries_are_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    try:
        build.compiler("c")
    except Unavailable as error:
        pytest.skip(str(error))
    source = '__attribute__((visibility("default"))) double twice(double x) { return 2 * x; }'
    said: list[str] = []
    for _ in range(2):
        library = build.shared_library("twice", source, language="c", announce=said.append)
        library.twice.restype, library.twice.argtypes = ctypes.c_double, [ctypes.c_double]
        assert library.twice(1.5) == 3.0
    assert said == ["compiling twice"]
    with pytest.raises(Unavailable, match="refused"):
        build.shared_library("wrong", "double f(", language="c")
