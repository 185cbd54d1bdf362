"""The limits of containers, in files as Linux writes them: cgroups(7)."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from dalembert.kernel.backends.native import cores
from dalembert.kernel.backends.native.cores import core_count, time_quota

CASES = {
    "a container of version 2": ("0::/\n", {"cpu.max": "150000 100000\n"}, 1.5),
    "no limit": ("0::/\n", {"cpu.max": "max 100000\n"}, math.inf),
    "a unit of systemd": (
        "0::/system.slice/robot.service\n",
        {"system.slice/robot.service/cpu.max": "200000 100000\n"},
        2.0,
    ),
    "a limit around it": (
        "0::/system.slice/robot.service\n",
        {
            "system.slice/robot.service/cpu.max": "max 100000\n",
            "system.slice/cpu.max": "50000 100000\n",
        },
        0.5,
    ),
    "version 1": (
        "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n",
        {
            "cpu/docker/abc/cpu.cfs_quota_us": "300000\n",
            "cpu/docker/abc/cpu.cfs_period_us": "100000\n",
        },
        3.0,
    ),
    "version 1 seen from inside": (
        "5:cpuacct,cpu:/docker/abc\n0::/\n",
        {"cpu/cpu.cfs_quota_us": "400000\n", "cpu/cpu.cfs_period_us": "100000\n"},
        4.0,
    ),
    "version 1 without limit": (
        "1:cpu:/\n",
        {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"},
        math.inf,
    ),
    "another controller": ("1:cpuset:/\n", {"cpuset/cpu.max": "1 2\n"}, math.inf),
    "no files": ("0::/gone\n", {}, math.inf),
    "files of another form": ("0::/\n", {"cpu.max": "some text here\n"}, math.inf),
}


@pytest.mark.parametrize("name", CASES)
def test_the_share_of_a_control_group(name: str, tmp_path: Path) -> None:
    memberships, files, expected = CASES[name]
    own = tmp_path / "cgroup"
    own.write_text(memberships)
    root = tmp_path / "fs"
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    assert time_quota(root, own) == expected


def test_a_system_without_control_groups(tmp_path: Path) -> None:
    assert time_quota(tmp_path, tmp_path / "missing") == math.inf


@pytest.mark.parametrize(
    ("quota", "expected"), [(math.inf, 8), (0.2, 1), (1.5, 2), (3.0, 3), (64, 8)]
)
def test_a_part_of_a_core_counts_as_one(
    quota: float, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cores, "_quota", lambda: quota)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert core_count() == expected
