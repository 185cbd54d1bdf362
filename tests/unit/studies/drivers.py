"""Drivers of studies in processes of their own, for tests that kill them."""

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.project.source_tree import ROOT, SRC

WORK = "tests.unit.studies.work"
LONGEST = 120.0  # seconds until a driver that writes nothing counts as stuck
PAUSE = 0.01


def started(*arguments: str) -> subprocess.Popen[str]:
    """Start Python with some arguments."""
    path = os.pathsep.join([str(SRC), str(ROOT)])
    return subprocess.Popen(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def num_files(folder: Path) -> int:
    """Return how many files of rows a study has."""
    return sum(1 for path in folder.glob("data/*.parquet"))


def kill_at(goal: int, folder: Path, driver: subprocess.Popen[str]) -> None:
    """Kill a driver that has written so many files, whatever it is doing then."""
    for _ in range(int(LONGEST / PAUSE)):
        if num_files(folder) >= goal or driver.poll() is not None:
            break
        time.sleep(PAUSE)
    driver.kill()
    _, errors = driver.communicate()
    assert num_files(folder) >= goal, errors
