"""Files that a model names: found under one folder, or refused before anything is opened."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path, PurePosixPath

from dalembert.errors import FileError, InvalidMechanism
from dalembert.files import path_text, read_regular

# backslash and colon: Windows separators, drives, schemes; percent: escapes some readers undo
SUSPICIOUS = re.compile(r"[\\:\x00-\x1f\x7f]|%[0-9a-fA-F]{2}|^[~/]")


class Jail:
    """One folder; names of files resolve below it, symbolic links included.

    ``root`` None holds nothing: every name is refused.
    """

    def __init__(self, root: str | os.PathLike[str] | None) -> None:
        self.root = None if root is None else Path(path_text(root))
        self._real = None if self.root is None else Path(os.path.realpath(self.root))

    def find(self, *candidates: tuple[str, ...], where: str) -> Path | None:
        """Return the first candidate that is a regular file below the root, or None.

        Args:
            candidates: parts of a path from the root, each as the model wrote it.
            where: ``file:line``, for the message.

        Raises:
            InvalidMechanism: a path, or what it links to, leaves the root.
        """
        for parts in candidates:
            if self.root is None or self._real is None:
                raise InvalidMechanism(
                    f"{where}: expected a model in one text, got the file {parts[-1]!r}: load the "
                    "model from its file, or give root=, the folder that holds what it names"
                )
            path = self.root / inside(*parts, where=where)
            real = Path(os.path.realpath(path))
            if real != self._real and self._real not in real.parents:
                raise InvalidMechanism(
                    f"{where}: expected a file below {self.root}, got {parts[-1]!r}, a link that "
                    "leaves it: copy the file there, or give root=, a folder that holds both"
                )
            if os.path.lexists(real):
                if not stat.S_ISREG(os.lstat(real).st_mode):
                    raise InvalidMechanism(
                        f"{where}: expected a regular file, got {parts[-1]!r}, which is none"
                    )
                return path
        return None


def inside(*texts: str, where: str) -> str:
    """Return the joined path without dots; refuse whatever does not stay below the root.

    >>> inside("arm", "../meshes/./a.stl", where="arm/a.xml:3")
    'meshes/a.stl'
    """
    parts: list[str] = []
    for text in texts:
        if SUSPICIOUS.search(text):
            raise InvalidMechanism(
                f"{where}: expected a relative path with forward slashes, got {text!r}: absolute "
                "paths, addresses, drives and escapes are not followed"
            )
        for part in PurePosixPath(text).parts:
            if part != "..":
                parts.append(part)
            elif parts:
                parts.pop()
            else:
                raise InvalidMechanism(
                    f"{where}: expected a path below the model's folder, got {text!r}, which "
                    "leaves it: give root=, a folder that holds both"
                )
    return "/".join(parts)


def read_limited(path: Path, limit: int, where: str) -> bytes:
    """Return the bytes of a regular file that is at most ``limit`` long."""
    try:
        return read_regular(path, limit)
    except FileError as error:
        raise InvalidMechanism(f"{where}: {error}") from None
