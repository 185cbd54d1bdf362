"""One process at a time writes into the folder of a study."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dalembert.errors import FileError

NAME = "lock"


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Hold the folder of a study; the system lets go of it when the process ends, however it does.

    Raises:
        FileError: another process holds it.
    """
    try:
        handle = os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise FileError(
            error.errno or 0,
            f"expected a folder to write, got {str(folder)[:200]!r}: {error.strerror}",
        ) from None
    try:
        try:
            _lock(handle)
        except OSError as error:
            raise FileError(
                error.errno or 0,
                f"expected the folder {str(folder)[:200]!r} for this process, got one in which "
                "another process computes the same study: wait for it or end it",
            ) from None
        yield
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    try:
        import fcntl
    except ImportError:
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
