"""A study for analysis: columns, tables, pictures."""

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.studies import Rows
from dalembert.studies.plots import extent

pytest.importorskip("pyarrow", reason="pip install pyarrow")


def paraboloid(rows: Rows) -> dict[str, np.ndarray]:
    x, y = rows["x"], rows["y"]
    return {"z": np.where(x > 0.92, np.nan, x**2 + y**2), "r": np.stack((x, y), -1)}


@pytest.fixture
def study(tmp_path: Path) -> da.Study:
    axis = np.linspace(-1, 1, 41)
    return da.sweep(paraboloid, da.sweep.Grid({"x": axis, "y": axis}), tmp_path, chunk=1024)


def test_columns_and_batches_are_the_same_rows(study: da.Study) -> None:
    assert study["r"].shape == (1681, 2)
    whole = np.concatenate([batch["z"] for batch in study.batches("z")])
    assert np.array_equal(whole, study["z"], equal_nan=True)
    assert np.isnan(whole).sum() == study.num_failed == 2 * 41
    assert study.to_arrow(["r", "x"]).column_names == ["r[0]", "r[1]", "x"]


def test_an_unknown_column_is_refused(study: da.Study) -> None:
    for work in (
        lambda: study["zz"],
        lambda: study.to_arrow(["zz"]),
        lambda: study.plot_histogram("zz"),
    ):
        with pytest.raises(UnknownName, match="expected a column of the study, got 'zz'"):
            work()


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_data_frames(study: da.Study, package: str) -> None:
    pytest.importorskip(package)
    frame = getattr(study, f"to_{package}")(["x", "z"])
    assert frame.shape == (1681, 2)


def test_every_reader_of_parquet_reads_the_folder(study: da.Study) -> None:
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(study.folder / "data").num_rows == 1681


def test_a_histogram_counts_all_rows(study: da.Study) -> None:
    ax = study.plot_histogram("z", bins=10)
    values = study["z"][np.isfinite(study["z"])]
    counts, edges = np.histogram(values, 10)
    (drawn,) = ax.patches
    assert drawn.get_data().values.tolist() == counts.tolist()  # type: ignore[attr-defined]
    assert np.allclose(drawn.get_data().edges, edges)  # type: ignore[attr-defined]


def test_a_heat_map_shows_means(study: da.Study) -> None:
    ax = study.plot_heat_map("x", "y", "z", cells=4)
    shown = ax.collections[0].get_array()
    x, y, z = study["x"], study["y"], study["z"]
    # the cell from (-1, -1) to (-0.525, -0.5): the last x without a failure is 0.9
    inside = (x < -0.525) & (y < -0.5)
    assert shown is not None
    assert np.isclose(np.ravel(shown)[0], z[inside].mean())


def test_parallel_coordinates_draw_rows(study: da.Study) -> None:
    ax = study.plot_parallel(["x", "y", "z"], lines=100)
    lines = ax.collections[0].get_paths()
    assert 80 <= len(lines) <= 120
    heights = np.array([line.vertices[:, 1] for line in lines])  # type: ignore[index]
    assert heights.min() == 0.0
    assert heights.max() == 1.0


def test_pictures_of_nothing_are_refused(tmp_path: Path, study: da.Study) -> None:
    with pytest.raises(EvaluationError, match="name one of its parts, such as 'r\\[0\\]'"):
        study.plot_histogram("r")
    with pytest.raises(EvaluationError, match="two columns or more"):
        study.plot_parallel(["x"])
    nothing = da.sweep(
        lambda rows: {"y": rows["x"] * np.nan}, da.sweep.Grid({"x": [1.0, 2.0]}), tmp_path / "no"
    )
    with pytest.raises(EvaluationError, match="all failed"):
        nothing.plot_histogram("y")


def test_a_column_of_one_value_has_an_extent(tmp_path: Path) -> None:
    one = da.sweep(lambda rows: {"y": 3 * rows["x"]}, da.sweep.Grid({"x": [1.0]}), tmp_path / "one")
    assert extent(one, "y") == (2.5, 3.5)
    one.plot_heat_map("x", "y")
    one.plot_parallel(["x", "y"])
