"""How many cores this process may use."""

from __future__ import annotations

import math
import os
from functools import cache
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
OWN_GROUPS = Path("/proc/self/cgroup")


def core_count() -> int:
    """Return how many cores this process may use: those it may run on, or its share of time."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return max(1, math.ceil(min(cores, _quota())))


@cache
def _quota() -> float:
    """Return the processor time in a second that this process and its group may use."""
    return time_quota(GROUPS, OWN_GROUPS)


def time_quota(groups: Path, own_groups: Path) -> float:
    """Return the seconds of processor time in a second that control groups of Linux allow.

    Containers are limited in this way: they see all cores of the machine, and are held up where
    they use more than their share. Without a limit it is infinite.
    """
    try:
        memberships = own_groups.read_text().splitlines()
    except OSError:
        # not Linux
        return math.inf
    limit = math.inf
    for line in memberships:
        # number:controllers:path, in the second version 0::path
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = groups / "cpu" if controllers else groups
        place = root / path.lstrip("/")
        # a group has no more than those that it is part of; a container sees its own as the root
        for group in (place, *place.parents):
            limit = min(limit, _limit(group))
            if group == root:
                break
    return limit


def _limit(group: Path) -> float:
    """Return the limit of one group, in either version's files."""
    try:
        quota, period = (group / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            quota = (group / "cpu.cfs_quota_us").read_text()
            period = (group / "cpu.cfs_period_us").read_text()
        except OSError:
            return math.inf
    try:
        seconds = float(quota) / float(period)
    except (ValueError, ZeroDivisionError):
        # "max"
        return math.inf
    return seconds if seconds > 0 else math.inf
