"""Standard output and standard error that take whatever is printed, on every machine."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from dalembert.errors import DalembertError


class CannotPrint(DalembertError, OSError):
    """Standard output that takes no more, as on a full disk."""


def open_streams() -> None:
    """Make standard output and standard error take every character.

    A pipe or a file gets UTF-8, unless PYTHONIOENCODING names another encoding: Windows would
    choose one without Greek letters. What an encoding lacks, such as that of a terminal, is written
    as an escape. A stream that was closed before the program began takes everything and keeps
    nothing.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            chosen = stream.isatty() or _is_chosen()
            stream.reconfigure(encoding=None if chosen else "utf-8", errors="backslashreplace")


@contextmanager
def printing() -> Iterator[None]:
    """Turn what the system says of standard output into an error of our own.

    Raises:
        CannotPrint: The output takes no more. A reader that has left is none: `BrokenPipeError`.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotPrint(cannot_print(error)) from None


def cannot_print(error: OSError) -> str:
    """Return in words that standard output takes no more."""
    if isinstance(error, CannotPrint):
        return str(error)
    return f"expected standard output to take the answer, got: {error.strerror or error}"


def drop_unprinted() -> None:
    """Forget what standard output did not take, which has been said.

    Python 3.15 keeps it and tries again when it ends: that would say so twice, with status 120.
    """
    try:
        with suppress(ValueError):  # it is closed
            sys.stdout.flush()
    except OSError:
        with suppress(OSError), open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), sys.stdout.fileno())


def _is_chosen() -> bool:
    """Tell whether the user names an encoding: PYTHONIOENCODING is encoding:errors."""
    return bool(os.environ.get("PYTHONIOENCODING", "").partition(":")[0])
