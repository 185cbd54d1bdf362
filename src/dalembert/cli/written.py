"""Files that commands write: whole or not at all, and said so."""

import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from dalembert.cli.output import Part
from dalembert.errors import FileError
from dalembert.files import write_whole


def check_output(path: Path, endings: Sequence[str] = ()) -> None:
    """Check where a result goes before it is computed.

    Raises:
        FileError: the ending is none of these, there is no such folder, or it is one itself.
    """
    if endings and path.suffix.lower() not in endings:
        raise FileError(
            errno.EINVAL, f"expected a file ending {', '.join(endings)}, got {str(path)!r}"
        )
    folder = path.parent
    if not folder.is_dir():
        reason = os.strerror(errno.ENOENT)
        message = f"expected a folder to write into, got {str(folder)!r}: {reason}; make it first"
        raise FileError(errno.ENOENT, message)
    if path.is_dir() or not os.access(folder, os.W_OK):
        message = f"expected a file to write, got {str(path)!r}, which cannot be: name another"
        raise FileError(errno.EACCES, message)


def write_text(text: str | bytes, output: Path | None, name: str) -> Iterator[Part]:
    """Write a text to a file and yield where; without a file yield the text itself.

    Raises:
        FileError: the file cannot be written; an old one is unchanged.
    """
    if output is None:
        shown = text if isinstance(text, str) else text.decode("latin-1")
        yield Part(name, shown, shown.removesuffix("\n"))
        return
    data = text.encode() if isinstance(text, str) else text
    write_whole(output, data)
    yield Part("written", str(output), f"wrote {output} ({len(data):,} bytes)")
