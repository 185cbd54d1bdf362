"""Files that commands write: whole or not at all, and said so."""

from collections.abc import Iterator
from pathlib import Path

from dalembert.cli.output import Part
from dalembert.files import write_whole


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
