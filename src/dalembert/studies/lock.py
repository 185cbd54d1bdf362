"""One process at a time writes into the folder of a study."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dalembert.errors import FileError

NAME = "lock"
HELD = {errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK}
"""What the system says where another process holds the lock; anything else is no lock at all."""


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Hold the folder of a study; the system lets go of it when the process ends, however it does.

    On a file system without locks, as some networks have, the study goes on with a warning.

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
            if error.errno in HELD:
                raise FileError(
                    error.errno or 0,
                    f"expected the folder {str(folder)[:200]!r} for this process, got one in which "
                    "another process computes the same study: wait for it or end it",
                ) from None
            warnings.warn(
                f"the folder {str(folder)[:200]!r} cannot be locked ({error.strerror}): do not "
                "compute the same study in another process",
                # the call of the user
                stacklevel=5,
            )
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
