"""Processes on this machine: the same bits, and a dead worker is replaced."""

from pathlib import Path

import pytest

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.studies.engines.base import WorkerLost
from tests.unit.studies.work import POINTS, contents, deadly, deadly_once, noisy, wrong

pytest.importorskip("pyarrow", reason="pip install pyarrow")


def test_processes_give_the_same_bits_and_replace_one_that_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DALEMBERT_TEST_FLAG", str(tmp_path / "flag"))
    options = {"seed": 7, "block": 10, "chunk": 50}
    alone = da.sweep(noisy, POINTS, tmp_path / "alone", **options)  # type: ignore[arg-type]
    engine = da.sweep.Local(processes=2)
    study = da.sweep(deadly_once, POINTS, tmp_path / "two", engine=engine, **options)  # type: ignore[arg-type]
    assert (tmp_path / "flag").exists()
    assert contents(study) == contents(alone)


def test_rows_that_kill_every_worker_are_named(tmp_path: Path) -> None:
    with pytest.raises(
        WorkerLost, match="rows 500 to 549, got 3 that died over them \\(exit code -9"
    ):
        da.sweep(deadly, POINTS, tmp_path, block=10, chunk=50, engine=da.sweep.Local(processes=1))
    # all before them are kept
    assert da.Study.open(tmp_path).num_done == 500


def test_an_error_of_the_function_comes_back(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="got 'z'"):
        da.sweep(wrong, POINTS, tmp_path, engine=da.sweep.Local(processes=1))


def test_a_function_that_cannot_be_sent_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="at the top of a module"):
        da.sweep(
            lambda rows: {"y": rows["x"]}, POINTS, tmp_path, engine=da.sweep.Local(processes=2)
        )


@pytest.mark.parametrize("count", [-1, 1.5, 10_000])
def test_numbers_of_processes_without_meaning_are_refused(count: int) -> None:
    with pytest.raises(EvaluationError, match="0 to 1024 processes"):
        da.sweep.Local(processes=count)
