"""Studies that are killed, or whose disk is full: nothing is lost, nothing is there twice."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dalembert as da
from tests.project.source_tree import ROOT, SRC
from tests.unit.studies.work import POINTS, contents, noisy, pause

pytest.importorskip("pyarrow", reason='pip install "dalembert[sweep]"')

WORK = "tests.unit.studies.work"
LONGEST = 60.0  # seconds until a driver that writes nothing counts as stuck
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


def started(*arguments: str) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(SRC), str(ROOT)])
    return subprocess.Popen(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def num_files(folder: Path) -> int:
    return sum(1 for path in folder.glob("data/*.parquet"))


def test_a_killed_driver_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    whole = contents(da.sweep(noisy, POINTS, tmp_path / "whole", seed=7, block=10))
    folder = tmp_path / "killed"
    for goal in (30, 70):
        # killed at a moment that nobody chose: while it computes, writes or renames
        driver = started("-m", WORK, str(folder))
        for _ in range(int(LONGEST / 0.01)):
            if num_files(folder) >= goal or driver.poll() is not None:
                break
            time.sleep(0.01)
        driver.kill()
        driver.communicate()
        assert num_files(folder) >= goal
        part = da.Study.open(folder)
        assert not part.damaged()
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
    first = started("-c", LIMITED, str(folder), "1000000", "100")
    for _ in range(int(LONGEST / 0.01)):
        if num_files(folder) >= 3 or first.poll() is not None:
            break
        time.sleep(0.01)
    first.kill()
    first.communicate()
    before = num_files(folder)
    assert 3 <= before < 10
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
