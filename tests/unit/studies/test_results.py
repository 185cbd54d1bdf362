"""What a function returns: columns, failures of single rows, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.studies import Grid, Row, Rows

pytest.importorskip("pyarrow", reason="pip install pyarrow")


def grid(count: int) -> Grid:
    return da.sweep.Grid({"x": np.arange(count)})


def test_rows_that_raise_are_rows_with_a_reason(tmp_path: Path) -> None:
    bad = {3, 4, 997, 1500, 2999}

    def picky(rows: Rows) -> dict[str, np.ndarray]:
        for number in rows.numbers:
            if number in bad:
                raise ZeroDivisionError(f"row {number}\n" + "x" * 10_000)
        return {"y": 2 * rows["x"]}

    study = da.sweep(picky, grid(3000), tmp_path)
    table = study.to_arrow().to_pydict()
    assert table["row"] == list(range(3000))
    for row, y, failure in zip(table["row"], table["y"], table["failure"], strict=True):
        if row in bad:
            assert y is None
            assert failure.startswith(f"ZeroDivisionError: row {row} xxx")
            assert len(failure) == 200
        else:
            assert (y, failure) == (2 * row, None)
    assert (study.num_failed, str(study)) == (5, "3,000 of 3,000 rows, 5 failed")
    assert len(study.failures(limit=3)) == 3


def test_results_that_are_not_finite_are_failures(tmp_path: Path) -> None:
    def root(rows: Rows) -> dict[str, np.ndarray]:
        with np.errstate(invalid="ignore", divide="ignore"):
            return {"root": np.sqrt(2.0 - rows["x"]), "inverse": 1 / rows["x"], "x2": rows["x"] * 2}

    study = da.sweep(root, grid(5), tmp_path)
    assert study.to_arrow(["failure"]).column("failure").to_pylist() == [
        "inverse is not finite",
        None,
        None,
        "root is not finite",
        "root is not finite",
    ]
    # what is known of such a row is kept
    assert study["x2"].tolist() == [0, 2, 4, 6, 8]
    assert study.to_arrow(["inverse"]).column("inverse").null_count == 1


def test_a_function_may_give_reasons_itself(tmp_path: Path) -> None:
    def judged(rows: Rows) -> dict[str, Any]:
        return {"y": rows["x"], "failure": ["odd" if x % 2 else None for x in rows["x"]]}

    study = da.sweep(judged, grid(10), tmp_path)
    assert study.failures() == {"odd": 5}
    assert study["y"].tolist() == list(range(10))


def test_rows_that_all_fail_are_no_crash(tmp_path: Path) -> None:
    def never(row: Row) -> dict[str, float]:
        raise ValueError("no")

    study = da.sweep(da.sweep.Each(never), grid(10), tmp_path, chunk=5)
    assert study.failures() == {"ValueError: no": 10}
    assert study.columns == ("row", "x", "failure")
    with pytest.raises(UnknownName, match="all rows failed, ValueError: no"):
        study["y"]


def test_a_chunk_without_results_fits_to_the_others(tmp_path: Path) -> None:
    def late(row: Row) -> dict[str, Any]:
        if row["x"] < 5:
            raise ValueError("early")
        return {"y": 0.5, "name": "a", "q": np.arange(2)}

    study = da.sweep(da.sweep.Each(late), grid(10), tmp_path, chunk=5)
    table = study.to_arrow().to_pydict()
    assert table["y"] == [None] * 5 + [0.5] * 5
    assert table["name"] == [None] * 5 + ["a"] * 5
    assert np.isnan(study["q"][:5]).all()
    assert study["q"][5:].tolist() == [[0, 1]] * 5


def test_arrays_of_any_shape_come_back(tmp_path: Path) -> None:
    def tensor(rows: Rows) -> dict[str, np.ndarray]:
        R = np.arange(len(rows) * 36.0).reshape(-1, 3, 12)
        return {"R": R, "flag": rows["x"] > 3, "single": rows["x"].astype(np.float32)}

    study = da.sweep(tensor, grid(7), tmp_path)
    assert (study["R"] == np.arange(7 * 36.0).reshape(7, 3, 12)).all()
    assert study["flag"].tolist() == [False] * 4 + [True] * 3
    assert study["single"].dtype == np.float32


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (3.0, "return {'result': x}"),
        ({"y": np.zeros(3)}, "each of 10 rows, got the shape \\(3,\\)"),
        ({"y": 1.0}, "got the shape \\(\\)"),
        ({"x": np.zeros(10)}, "got 'x' again"),
        ({"row": np.zeros(10)}, "other than row"),
        ({"a[0]": np.zeros(10)}, "without '\\['"),
        ({1: np.zeros(10)}, "a name of a column, got '1'"),
        ({"y": np.zeros(10, complex)}, "numbers or texts as 'y'"),
        ({"y": [None] * 10}, "numbers or texts as 'y'"),
        ({"y": np.zeros((10, 100, 101))}, "at most 10,000 numbers"),
        ({"failure": ["a"]}, "as 10 texts"),
    ],
)
def test_what_is_no_table_ends_the_study(tmp_path: Path, returned: object, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        da.sweep(lambda rows: returned, grid(10), tmp_path)  # type: ignore[arg-type, return-value]
    assert da.Study.open(tmp_path).num_done == 0


@pytest.mark.parametrize("chunk", [1, 10])
def test_other_columns_in_other_rows_end_the_study(tmp_path: Path, chunk: int) -> None:
    def changing(row: Row) -> dict[str, float]:
        return {"y": 1.0} if row["x"] < 5 else {"z": 1.0}

    with pytest.raises(EvaluationError, match="from row 5 on others than before: 'y'"):
        da.sweep(da.sweep.Each(changing), grid(10), tmp_path, chunk=chunk)


def test_a_wrong_name_ends_the_study_at_once(tmp_path: Path) -> None:
    calls = []

    def misspelt(rows: Rows) -> dict[str, np.ndarray]:
        calls.append(len(rows))
        return {"y": rows["mas"]}

    with pytest.raises(UnknownName, match="got 'mas': did you mean mass"):
        da.sweep(misspelt, da.sweep.Grid({"mass": np.arange(2000)}), tmp_path)
    assert calls == [1024]
