"""Machine code on disk, so that the next process need not compile.

An entry's name is the SHA-256 of everything that decides its content: the program's text, the
processor, the versions. Its first bytes are the SHA-256 of the rest under a key of this user, so a
damaged, foreign or forged file is never loaded: it is compiled again. Files appear by renaming,
whole or not at all, so processes may share the folder. Nothing here ever raises to the caller: a
cache that cannot be read or written is only slower.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import os
import secrets
import stat
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from dalembert.errors import FileError
from dalembert.files import read_regular, write_whole

FORMAT = b"dalembert-code-1\n"
FOLDER_VARIABLE = "DALEMBERT_CACHE"
MAX_ENTRIES = 2000
MAX_BYTES = 64 << 20
KEY_BYTES = 32


def folder() -> Path | None:
    """Return the folder of the cache; None where the variable DALEMBERT_CACHE is empty.

    Without the variable: the user's own cache folder of the platform, None if he has no home.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    if given is not None:
        return Path(given) if given else None
    try:
        if sys.platform == "win32":
            base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
        elif sys.platform == "darwin":
            base = str(Path.home() / "Library" / "Caches")
        else:
            base = os.environ.get("XDG_CACHE_HOME", "")
            # the specification has relative ones ignored
            base = base if os.path.isabs(base) else str(Path.home() / ".cache")
    except RuntimeError:
        # no HOME, and a user that the system does not know: usual in containers
        return None
    return Path(base) / "dalembert"


def cached(parts: tuple[str, ...], build: Callable[[], bytes]) -> bytes:
    """Return what ``build`` gives, from disk if the same ``parts`` were built before."""
    place = folder()
    if place is None:
        return build()
    name = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    with contextlib.suppress(OSError):
        key = _user_key(place)
        found = _read(place / name, name, key)
        if found is not None:
            return found
        content = build()
        with contextlib.suppress(OSError):
            _write(place / name, name, key, content)
            _trim(place)
        return content
    return build()


def _seal(name: str, key: bytes, content: bytes) -> bytes:
    """Return the authentication of an entry: it binds the content to its name and this user."""
    return hmac.new(key, name.encode() + b"\0" + content, hashlib.sha256).digest()


def _read(path: Path, name: str, key: bytes) -> bytes | None:
    """Return the content of a sound entry, else None."""
    try:
        data = read_regular(path, MAX_BYTES, _is_mine)
    except FileError:
        return None
    head = len(FORMAT) + 32
    if data[: len(FORMAT)] != FORMAT:
        return None
    content = data[head:]
    return (
        content
        if hmac.compare_digest(data[len(FORMAT) : head], _seal(name, key, content))
        else None
    )


def _write(path: Path, name: str, key: bytes, content: bytes) -> None:
    """Write an entry with its authentication."""
    if len(content) <= MAX_BYTES - 64:
        _place(path, FORMAT + _seal(name, key, content) + content)


def _place(path: Path, data: bytes) -> None:
    """Write a private file; after a loss of power its seal tells whether it is whole."""
    write_whole(path, data, mode=0o600, durable=False)


@cache
def _user_key(place: Path) -> bytes:
    """Return this user's secret, made when the folder is first used.

    Raises:
        OSError: the folder cannot be private, or belongs to somebody else.
    """
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not _is_mine(place.stat()):
        raise PermissionError(f"{place} is not a private folder of this user")
    path = place / "key"
    for _ in range(2):
        try:
            key = read_regular(path, KEY_BYTES, _is_mine)
            if len(key) == KEY_BYTES:
                return key
        except FileError as error:
            if error.errno not in (errno.ENOENT, errno.EFBIG):
                raise
        # of two processes that start together one may use a key that the other replaces: what it
        # writes is compiled again later
        _place(path, secrets.token_bytes(KEY_BYTES))
    raise OSError(f"{path} cannot be read back")


def _is_mine(status: os.stat_result) -> bool:
    """Tell whether a file belongs to this user and nobody else may write it."""
    if not hasattr(os, "getuid"):
        return True
    shared = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return status.st_uid == os.getuid() and not shared


def _trim(place: Path) -> None:
    """Remove the oldest entries when there are too many, and what a killed process left."""
    entries = [entry for entry in os.scandir(place) if entry.name != "key"]
    if len(entries) <= MAX_ENTRIES:
        return
    entries.sort(key=lambda entry: entry.stat().st_mtime)
    for entry in entries[: len(entries) // 2]:
        with contextlib.suppress(OSError):
            os.unlink(entry.path)
