"""Studies that are killed, or whose disk is full: nothing is lost, nothing is there twice."""

import sys
from pathlib import Path

import pytest

import dalembert as da
from tests.unit.studies.drivers import LONGEST, WORK, kill_at, num_files, started
from tests.unit.studies.work import POINTS, contents, noisy, pause

pytest.importorskip("pyarrow", reason="pip install pyarrow")

# what a process does whose files may have so many bytes
LIMITED = """
import resource, sys
import dalembert as da
from tests.unit.studies.work import POINTS, pause
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    da.sweep(pause, POINTS, sys.argv[1], seed=7, block=10, chunk=int(sys.argv[3]))
except da.FileError as error:
    print(error)
    sys.exit(3)
"""


def test_a_killed_driver_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    whole = contents(da.sweep(noisy, POINTS, tmp_path / "whole", seed=7, block=10))
    folder = tmp_path / "killed"
    for goal in (30, 70):
        # killed at a moment that nobody chose: while it computes, writes or renames
        kill_at(goal, folder, started("-m", WORK, str(folder)))
        part = da.Study.open(folder)
        assert not part.damaged
        assert part.num_done == 10 * num_files(folder)
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("data/*.parquet")}
    assert 70 <= len(kept) < 100
    study = da.sweep(pause, POINTS, folder, seed=7, block=10, chunk=10)
    assert contents(study) == whole
    # what was done was not touched
    assert all(path.stat().st_mtime_ns == then for path, then in kept.items())
    assert not list(folder.glob("data/.*"))


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files there")
def test_a_full_disk_is_told_and_the_study_goes_on_later(tmp_path: Path) -> None:
    whole = contents(da.sweep(noisy, POINTS, tmp_path / "whole", seed=7, block=10))
    folder = tmp_path / "full"
    kill_at(3, folder, started("-c", LIMITED, str(folder), "1000000", "100"))
    before = num_files(folder)
    assert before < 10
    # now no file of a chunk has room
    full = started("-c", LIMITED, str(folder), "2000", "100")
    said, errors = full.communicate(timeout=LONGEST)
    assert full.returncode == 3, errors
    assert "File too large" in said
    assert "the study keeps the rows that are done; make room and call it again" in said
    assert num_files(folder) == before
    assert not list(folder.glob("data/.*"))
    study = da.sweep(pause, POINTS, folder, seed=7, block=10, chunk=100)
    assert contents(study) == whole
