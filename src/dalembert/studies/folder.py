"""The folder of a study: its files, each whole and complete or not there at all.

``study.json`` tells what is computed. ``data/`` has one Parquet file for each range of rows that is
done. The name of a file tells the range and a digest of the content, so that the list of names is
the state of the study: a file appears by renaming, when all of it is on the disk.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dalembert.errors import FileError
from dalembert.files import read_regular, write_whole

DATA = "data"
LETTERS = 16
FILE = re.compile(r"(\d{12})-(\d{12})-([0-9a-f]{16})\.parquet")
UNFINISHED = re.compile(r"\.[0-9a-f]{24}\.new")
LARGEST = 1 << 40


class DoneRange(NamedTuple):
    """A file with the rows from ``first`` to before ``last``."""

    first: int
    last: int
    path: Path

    def is_whole(self) -> bool:
        """Return whether the content is what was written."""
        try:
            return digest(read_regular(self.path, LARGEST)) == self.path.stem[-LETTERS:]
        except FileError:
            return False


def digest(data: bytes) -> str:
    """Return letters that another content would not have."""
    return hashlib.sha256(data).hexdigest()[:LETTERS]


def write_range(folder: Path, first: int, last: int, data: bytes) -> None:
    """Write a file of rows, durably.

    Raises:
        FileError: the disk is full or cannot be written; nothing of the file is there then.
    """
    write_whole(folder / DATA / f"{first:012}-{last:012}-{digest(data)}.parquet", data)


def done_ranges(folder: Path, num_rows: int, block: int) -> list[DoneRange]:
    """Return the files of a study in the order of their rows.

    Raises:
        FileError: two files have a row in common, or one has rows that the study has not.
    """
    data = folder / DATA
    if not data.is_dir():
        return []
    matches = ((path, FILE.fullmatch(path.name)) for path in data.iterdir())
    found = sorted(DoneRange(int(m[1]), int(m[2]), path) for path, m in matches if m)
    end = 0
    for one in found:
        is_cut = one.last % block and one.last != num_rows
        if one.first < end or one.first % block or is_cut or not one.first < one.last <= num_rows:
            raise FileError(
                errno.EINVAL,
                f"expected files of disjoint rows of this study, got {one.path.name!r} in "
                f"{str(data)!r}, which does not fit to the others: remove it if it is not yours",
            )
        end = one.last
    return found


def whole_and_damaged(
    folder: Path, num_rows: int, block: int
) -> tuple[tuple[DoneRange, ...], tuple[DoneRange, ...]]:
    """Return the files of a study that are as they were written, and the others.

    Raises:
        FileError: as `done_ranges`.
    """
    done = [(one, one.is_whole()) for one in done_ranges(folder, num_rows, block)]
    whole, damaged = ([one for one, so in done if so is wanted] for wanted in (True, False))
    return tuple(whole), tuple(damaged)


def listed(ranges: Sequence[DoneRange], most: int = 5) -> str:
    """Return the names of files, and which rows they have.

    >>> listed([DoneRange(4, 8, Path("a.parquet"))])
    "'a.parquet' (rows 4 to 7)"
    """
    named = [f"{x.path.name!r} (rows {x.first} to {x.last - 1})" for x in ranges[:most]]
    more = [f"{len(ranges) - most} more"] if len(ranges) > most else []
    return ", ".join(named + more)


def missing_ranges(done: Sequence[DoneRange], num_rows: int, chunk: int) -> Iterator[range]:
    """Yield the rows that are not done, at most ``chunk`` at a time.

    >>> list(missing_ranges([DoneRange(4, 8, Path())], 10, 3))
    [range(0, 3), range(3, 4), range(8, 10)]
    """
    starts = [0, *(one.last for one in done)]
    ends = [*(one.first for one in done), num_rows]
    for start, end in zip(starts, ends, strict=True):
        for first in range(start, end, chunk):
            yield range(first, min(first + chunk, end))


def remove_unfinished(folder: Path) -> None:
    """Remove what a process left that was killed while it wrote; only the owner may call this."""
    for place in (folder, folder / DATA):
        for path in place.iterdir():
            if UNFINISHED.fullmatch(path.name):
                with contextlib.suppress(OSError):
                    path.unlink()
