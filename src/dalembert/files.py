"""Read and write files: regular ones of bounded size, and whole or not at all; bounded JSON."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from dalembert.errors import FileError

Path = str | os.PathLike[str]

# a pipe without a writer would hold us forever, and Windows would change line ends
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_PIECE = 1 << 28
# a file that nobody has made before us, also none that a planted link names
_WRITING = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)


def path_text(path: object) -> str:
    """Return a path as text.

    Raises:
        FileError: it is no path.
    """
    if not isinstance(path, str | bytes | os.PathLike):
        message = f"expected a path, got {type(path).__name__}: give text or a pathlib.Path"
        raise FileError(errno.EINVAL, message)
    with _own_errors(path, "find"):
        text = os.fsdecode(path)
        # half a surrogate pair has no bytes, and a path ends at NUL
        if b"\0" in os.fsencode(text):
            raise ValueError("embedded null byte")
    return text


def read_regular(
    path: Path, limit: int, accept: Callable[[os.stat_result], bool] | None = None
) -> bytes:
    """Return the bytes of a regular file that is at most ``limit`` long.

    Args:
        path: the file; a symbolic link is followed.
        limit: the most bytes that are read; a longer file is refused before any is.
        accept: tells from the file's status whether it may be read at all.

    Raises:
        FileError: there is none, it cannot be read, it is a folder, a pipe or a device, it is too
            long, or it is not accepted.
    """
    with _own_errors(path, "read"):
        handle = os.open(path, _READING)
        try:
            # the status of the file that is open, not of what the path names a moment later
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, f"not a regular file but {_kind(status.st_mode)}")
            if accept is not None and not accept(status):
                raise OSError(errno.EPERM, "not a private file of this user")
            if status.st_size > limit:
                raise OSError(errno.EFBIG, f"{status.st_size:,} bytes, more than {limit:,}")
            return _read_all(handle, status.st_size)
        finally:
            os.close(handle)


def _read_all(handle: int, size: int) -> bytes:
    parts, left = [], size + 1
    while left and (part := os.read(handle, min(left, _PIECE))):
        parts.append(part)
        left -= len(part)
    if left != 1:
        raise OSError(errno.EAGAIN, "its size changed while it was read")
    return b"".join(parts)


def write_whole(path: Path, data: bytes, *, mode: int | None = None, durable: bool = True) -> None:
    """Write a file that appears whole or not at all.

    The bytes go to a new file of unpredictable name in the same folder, which then takes the place
    of the old one by renaming. Whatever stops that, the old file stays as it was. A link in its
    place is replaced, and what it names is left alone.

    Args:
        path: where it shall be; its folder must exist.
        data: the content.
        mode: the permissions; by default those of the old file, or what the user's mask leaves.
        durable: whether the content is on the disk when this returns, safe from a loss of power.

    Raises:
        FileError: the disk is full, the folder is missing or cannot be written, or something other
            than a file is in the place.
    """
    with _own_errors(path, "write"):
        name = os.fspath(path)
        folder = os.path.dirname(name) or os.curdir
        old = _replaceable(name)
        # the name does not grow with that of the target, which may be as long as names can be
        new = os.path.join(folder, f".{secrets.token_hex(12)}.new")
        if mode is None and old is not None:
            mode = stat.S_IMODE(old.st_mode)
        handle = os.open(new, _WRITING, 0o666 if mode is None else mode)
        try:
            _fill(handle, data, None if old is None else mode, durable)
            os.replace(new, name)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(new)
            raise
        if durable:
            _sync_folder(folder)


def _replaceable(name: str) -> os.stat_result | None:
    """Return the status of the file that is to be replaced, or None where there is none."""
    try:
        status = os.lstat(name)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(status.st_mode):
        return None
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, f"{_kind(status.st_mode)} is in its place")
    # renaming asks only for the folder: what its owner protects is not ours to replace
    if not os.access(name, os.W_OK):
        raise OSError(errno.EACCES, "the file there is write-protected")
    return status


def _fill(handle: int, data: bytes, mode: int | None, durable: bool) -> None:
    """Write the content of a new file and close it."""
    try:
        if mode is not None and hasattr(os, "fchmod"):
            # give back what the user's mask took; some file systems have no permissions
            with contextlib.suppress(OSError):
                os.fchmod(handle, mode)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        if durable:
            os.fsync(handle)
    finally:
        os.close(handle)


def _sync_folder(folder: str) -> None:
    """Make the renaming durable; some systems and file systems cannot."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _kind(mode: int) -> str:
    kinds = {
        "a folder": stat.S_ISDIR,
        "a pipe": stat.S_ISFIFO,
        "a socket": stat.S_ISSOCK,
        "a device": lambda m: stat.S_ISCHR(m) or stat.S_ISBLK(m),
    }
    return next((name for name, is_kind in kinds.items() if is_kind(mode)), "something else")


@contextlib.contextmanager
def _own_errors(path: Path | bytes, verb: str) -> Iterator[None]:
    """Turn what the system says into our own error, with the path and the number of the error."""
    try:
        yield
    # ValueError: a name with NUL or half a surrogate pair
    except (OSError, ValueError) as error:
        number = getattr(error, "errno", None) or errno.EINVAL
        reason = getattr(error, "strerror", None) or str(error)
        name = os.fsdecode(path)
        kept = "; what was there before is unchanged" if verb == "write" else ""
        message = f"expected a file to {verb}, got {name[:200]!r}: {reason}{kept}"
        raise FileError(number, message, name) from None


def parse_json(
    text: str | bytes, max_values: int, parse_float: Callable[[str], object] = float
) -> object:
    """Return the data of a JSON text, bounded before it is parsed.

    Args:
        text: the text; bytes are UTF-8, UTF-16 or UTF-32.
        max_values: the most commas, brackets and braces, which bound the memory that it takes.
        parse_float: what becomes of numbers with a point or an exponent.

    Raises:
        ValueError: it is no JSON, has too many values, has one key twice in an object, or holds
            NaN or Infinity.
    """
    marks: tuple[Any, ...] = (b",", b"[", b"{") if isinstance(text, bytes) else (",", "[", "{")
    if sum(map(text.count, marks)) > max_values:
        raise ValueError(f"more than {max_values:,} values")
    try:
        return json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=parse_float,
            object_pairs_hook=_distinct,
        )
    except RecursionError:
        raise ValueError("lists or objects too deep inside each other") from None


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise ValueError(f"the key {twice[:40]!r} twice in one object")
    return found
