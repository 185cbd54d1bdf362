"""Studies: the same bits whoever computes them, resumed whatever stopped them."""

import errno
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, FileError, MissingDependency
from dalembert.studies import Rows, lock
from dalembert.studies.engines.base import Engine
from dalembert.studies.folder import write_range
from dalembert.studies.identity import function
from dalembert.studies.lock import owned
from dalembert.studies.task import Chunk, Task
from tests.unit.studies.work import POINTS, contents, noisy

pytest.importorskip("pyarrow", reason="pip install pyarrow")


def test_results_do_not_depend_on_the_size_of_chunks(tmp_path: Path) -> None:
    chunks = (49, 70, 700, 7000)
    studies = [
        da.sweep(noisy, POINTS, tmp_path / str(chunk), seed=7, block=7, chunk=chunk)
        for chunk in chunks
    ]
    assert [len(study.files) for study in studies] == [21, 15, 2, 1]
    first = contents(studies[0])
    assert first["row"] == list(range(1000))
    assert all(contents(study) == first for study in studies[1:])


def test_the_seed_changes_the_results(tmp_path: Path) -> None:
    one, other = (da.sweep(noisy, POINTS, tmp_path / str(s), seed=s) for s in (0, 2**64 - 1))
    assert (one["q"] != other["q"]).all()


def test_random_numbers_of_a_row_are_independent_of_its_point(tmp_path: Path) -> None:
    count = 20_000
    points = da.sweep.Random({"x": (0, 1)}, count)
    study = da.sweep(lambda rows: {"u": rows.random(1)[:, 0]}, points, tmp_path)
    assert abs(np.corrcoef(study["x"], study["u"])[0, 1]) < 5 / np.sqrt(count)


def test_one_row_has_the_generator_of_numpy(tmp_path: Path) -> None:
    each = da.sweep.Each(lambda row: {"u": row.rng().random(3), "n": row.number})
    study = da.sweep(each, da.sweep.Grid({"x": range(5)}), tmp_path, seed=11)
    for row in range(5):
        theirs = np.random.Generator(np.random.Philox(key=np.array([11, row], np.uint64)))
        assert (study["u"][row] == theirs.random(3)).all()
    assert study["n"].tolist() == [0, 1, 2, 3, 4]


class Stopped(KeyboardInterrupt):
    """Ctrl-C in the middle of a study."""


def test_an_interrupted_study_goes_on_where_it_was(tmp_path: Path) -> None:
    whole = contents(da.sweep(noisy, POINTS, tmp_path / "whole", seed=7, block=10))
    note, folder = tmp_path / "note", tmp_path / "part"
    note.write_text("", encoding="utf-8")

    def noted(rows: Rows) -> dict[str, np.ndarray]:
        before = note.read_text(encoding="utf-8")
        if before.count("\n") == 30:
            # only once
            note.write_text(before + "stop", encoding="utf-8")
            raise Stopped
        note.write_text(f"{before}{rows.numbers[0]}\n", encoding="utf-8")
        return noisy(rows)

    with pytest.raises(Stopped):
        da.sweep(noted, POINTS, folder, seed=7, block=10, chunk=20)
    part = da.Study.open(folder)
    assert part.num_done == 300
    assert not part.is_complete
    note.write_text(note.read_text(encoding="utf-8").replace("stop", "\n"), encoding="utf-8")
    # another size of chunks may finish it
    study = da.sweep(noted, POINTS, folder, seed=7, block=10, chunk=50)
    assert study.is_complete
    assert contents(study) == whole
    # no row was computed twice
    assert note.read_text(encoding="utf-8").split() == [str(10 * k) for k in range(100)]


def test_a_complete_study_is_not_computed_again(tmp_path: Path) -> None:
    def counted(rows: Rows) -> dict[str, np.ndarray]:
        with (tmp_path / "calls").open("a", encoding="utf-8") as file:
            file.write("x")
        return {"y": rows["x"]}

    for _ in range(2):
        da.sweep(counted, POINTS, tmp_path / "study")
    assert (tmp_path / "calls").read_text(encoding="utf-8") == "x"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 8}, "seed was 7, is 8"),
        ({"block": 20}, "block was 10, is 20"),
        ({"points": da.sweep.Random({"x": (0, 2), "q0": ([-1] * 3, [1] * 3)}, 1000)}, "points.co"),
        ({"points": da.sweep.Sobol({"x": (0, 1), "q0": ([-1] * 3, [1] * 3)}, 1000)}, "points.kind"),
        ({"points": da.sweep.Random({"x": (0, 1)}, 1000)}, "columns.q0 was .*, is absent"),
        ({"points": da.sweep.Random({"x": (0, 1)}, 999)}, "rows was 1000, is 999"),
        ({"function": lambda rows: {"y": rows["x"]}}, "function.name was noisy"),
    ],
)
def test_a_folder_with_another_study_is_refused(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    same = {"function": noisy, "points": POINTS, "folder": tmp_path, "seed": 7, "block": 10}
    da.sweep(**same)  # type: ignore[arg-type]
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(FileError, match=message):
        da.sweep(**(same | change | ({"chunk": 20} if "block" in change else {})))  # type: ignore[arg-type]
    assert sorted(tmp_path.rglob("*")) == before
    da.sweep(**same)  # type: ignore[arg-type]


def test_a_damaged_file_is_found_and_computed_again(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    study = da.sweep(noisy, POINTS, tmp_path, seed=7, block=10, chunk=100)
    whole = contents(study)
    for way in ("bit", "short", "empty"):
        (victim,) = rng.choice(10, 1)
        path = study.files[victim].path
        data = bytearray(path.read_bytes())
        if way == "bit":
            place = int(rng.integers(len(data)))
            data[place] ^= 1 << int(rng.integers(8))
        path.write_bytes({"bit": data, "short": data[:-9], "empty": b""}[way])
        rows = rf"{path.name}' \(rows {100 * victim} to {100 * victim + 99}\): "
        with pytest.warns(UserWarning, match=rows + "their rows are left out") as told:
            left = da.Study.open(tmp_path)
        assert told[0].filename == __file__
        assert [one.path for one in left.damaged] == [path]
        assert str(left) == "900 of 1,000 rows, 0 failed, 1 damaged files"
        kept = np.delete(np.arange(1000), np.s_[100 * victim : 100 * victim + 100])
        assert np.array_equal(left["row"], kept)
        assert np.array_equal(left["y"], np.array(whole["y"])[kept])
        with pytest.warns(UserWarning, match=rows + "these rows are computed again") as told:
            again = da.sweep(noisy, POINTS, tmp_path, seed=7, block=10, chunk=100)
        assert contents(again) == whole
        # the warning points at the call
        assert told[0].filename == __file__
        assert not again.damaged


def test_no_bit_is_flipped_in_silence(tmp_path: Path, rng: np.random.Generator) -> None:
    """Each error or warning names the file, and the rest of the study can be read."""
    study = da.sweep(noisy, POINTS, tmp_path, seed=7, block=10, chunk=500)
    manifest, whole = tmp_path / "study.json", contents(study)
    for path in [one.path for one in study.files] + [manifest] * 2:
        content = path.read_bytes()
        for _ in range(30):
            data = bytearray(content)
            data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
            path.write_bytes(data)
            if path == manifest:
                with pytest.raises(FileError, match=r"study\.json"):
                    da.Study.open(tmp_path)
                continue
            with pytest.warns(UserWarning, match=path.name):
                left = da.Study.open(tmp_path)
            (other,) = left.files
            assert contents(left) == {k: x[other.first : other.last] for k, x in whole.items()}
        path.write_bytes(content)
    assert contents(da.Study.open(tmp_path)) == whole


def test_a_damaged_page_is_not_read(tmp_path: Path) -> None:
    study = da.sweep(noisy, POINTS, tmp_path)
    path = study.files[0].path
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    # opened before
    with pytest.raises(FileError, match=path.name) as caught:
        study.to_arrow()
    assert "CRC" in str(caught.value.__cause__)
    with pytest.raises(FileError, match=path.name):
        list(study.batches(*study.columns))


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    study = da.sweep(noisy, POINTS, tmp_path, seed=7, block=10, chunk=100)
    one = study.files[3].path
    (one.parent / one.name.replace("-000000000400-", "-000000000450-")).write_bytes(b"")
    with pytest.raises(FileError, match="disjoint rows"):
        da.Study.open(tmp_path)


def test_a_file_that_has_no_rows_is_refused(tmp_path: Path) -> None:
    study = da.sweep(noisy, POINTS, tmp_path, seed=7, block=10, chunk=100)
    for one in study.files:
        one.path.unlink()
    # whole by its digest, and yet no file of a study
    write_range(tmp_path, 0, 100, b"PAR1 of somebody else")
    with pytest.raises(FileError, match="rows of a study"):
        da.sweep(noisy, POINTS, tmp_path, seed=7, block=10, chunk=100)


class Forgetful(Engine):
    """An engine that loses the second of its ranges."""

    def run(self, task: Task, ranges: Iterable[range]) -> Iterator[Chunk]:
        for k, rows in enumerate(ranges):
            if k != 1:
                yield task.run(rows.start, rows.stop)


def test_rows_that_an_engine_forgets_are_named(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="from Forgetful, got none for rows 100 to 199"):
        da.sweep(noisy, POINTS, tmp_path, chunk=100, block=10, engine=Forgetful())


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    da.sweep(noisy, POINTS, tmp_path)
    left = tmp_path / "data" / f".{'0' * 24}.new"
    left.write_bytes(b"half a file")
    stranger = tmp_path / "data" / "notes.txt"
    stranger.write_text("mine", encoding="utf-8")
    da.sweep(noisy, POINTS, tmp_path)
    assert not left.exists()
    assert stranger.exists()


def test_one_process_at_a_time(tmp_path: Path) -> None:
    da.sweep(noisy, POINTS, tmp_path)
    with owned(tmp_path), pytest.raises(FileError, match="another process computes the same study"):
        da.sweep(noisy, POINTS, tmp_path)
    da.sweep(noisy, POINTS, tmp_path)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL])
def test_a_file_system_without_locks_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def without_locks(handle: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(lock, "_lock", without_locks)
    with pytest.warns(UserWarning, match=f"cannot be locked .{os.strerror(number)}") as told:
        study = da.sweep(noisy, POINTS, tmp_path)
    assert study.is_complete
    assert told[0].filename == __file__


def test_a_function_without_source_names_the_version_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict = {}
    exec("def f(rows):\n    return {'y': rows['x']}", made)  # our own text, for a test
    with monkeypatch.context() as patch:
        patch.setattr(function, "_python", lambda: "2.7")
        da.sweep(made["f"], POINTS, tmp_path)
    version = ".".join(map(str, sys.version_info[:2]))
    with pytest.raises(FileError, match=f"was 2.7, is {version}.*resume with Python 2.7, take"):
        da.sweep(made["f"], POINTS, tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 99}', '{"format": 2, "rows": "x"}'])
def test_a_manifest_of_somebody_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "study.json").write_text(text, encoding="utf-8")
    for work in (lambda: da.Study.open(tmp_path), lambda: da.sweep(noisy, POINTS, tmp_path)):
        with pytest.raises(FileError, match="the manifest of a study"):
            work()


def test_the_manifest_tells_what_was_computed(tmp_path: Path) -> None:
    da.sweep(noisy, POINTS, tmp_path, seed=3)
    found = json.loads((tmp_path / "study.json").read_text(encoding="utf-8"))
    assert (found["rows"], found["seed"], found["function"]["name"]) == (1000, 3, "noisy")
    assert found["points"]["columns"]["x"] == [0, 1]


def test_a_folder_without_a_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"study\.json"):
        da.Study.open(tmp_path)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(FileError, match="a place for a folder"):
        da.sweep(noisy, POINTS, tmp_path / "file")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "a seed from 0"),
        ({"seed": 2**64}, "a seed from 0"),
        ({"seed": 1.5}, "a seed from 0"),
        ({"block": 0}, "block as a whole number"),
        ({"chunk": 100}, "multiple of block, 1024"),
        ({"points": {"x": [1]}}, "da.sweep.Grid"),
        ({"function": 3}, "a function of rows, got int"),
        ({"engine": "ray"}, "engine=da.sweep.Local"),
    ],
)
def test_arguments_without_meaning_are_refused(
    tmp_path: Path, options: dict[str, object], message: str
) -> None:
    call = {"function": noisy, "points": POINTS, "folder": tmp_path / "study"} | options
    with pytest.raises(EvaluationError, match=message):
        da.sweep(**call)  # type: ignore[arg-type]
    assert not (tmp_path / "study").exists()


@pytest.mark.parametrize("package", ["pyarrow", "ray"])
def test_a_missing_package_is_named_with_its_command(
    tmp_path: Path, absent: Callable[[str], None], package: str
) -> None:
    absent(package)
    with pytest.raises(MissingDependency, match=f"the package {package} .*pip install .*{package}"):
        da.sweep(noisy, POINTS, tmp_path, engine=da.sweep.Ray())


def test_the_bar_tells_rows_rate_and_failures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:

    def picky(rows: Rows) -> dict[str, np.ndarray]:
        return {"y": np.where(rows.numbers % 100, 1.0, np.nan)}

    da.sweep(picky, POINTS, tmp_path, progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "1,000 of 1,000 rows" in shown.err
    assert "rows/s, 0:00:00 left, 10 failed" in shown.err
