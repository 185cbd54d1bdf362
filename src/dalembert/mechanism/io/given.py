"""Tell what was given to be loaded: a path, the text of a file, or an open file."""

from __future__ import annotations

import re
from typing import Protocol, TypeGuard, runtime_checkable

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.xml.source import MAX_BYTES

HEAD = 4096
# what may stand before the first element of XML
PROLOGUE = re.compile(r"<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(\[.*?\])?[^>]*>", re.DOTALL)
ELEMENT = re.compile(r"<\s*([^\s<>/]{1,200})")


@runtime_checkable
class Readable(Protocol):
    """An open file, of text or of bytes."""

    def read(self, size: int = ..., /) -> str | bytes: ...


def text_of(source: object) -> str | bytes | None:
    """Return the text that was given, or that an open file holds; None for a path.

    Text is what starts with ``<`` (XML) or ``{`` (JSON), and all bytes.

    Raises:
        InvalidMechanism: the file is longer than a robot can be, or has something else than text.
    """
    if _is_readable(source):
        text = source.read(MAX_BYTES + 1)
        if not isinstance(text, str | bytes) or len(text) > MAX_BYTES:
            raise InvalidMechanism(
                f"expected an open file with at most {MAX_BYTES >> 20} MiB of text, got "
                f"{'more' if isinstance(text, str | bytes) else type(text).__name__}"
            )
        return text
    if isinstance(source, str):
        return source if source.lstrip("\ufeff \t\r\n")[:1] in ("<", "{") else None
    return bytes(source) if isinstance(source, bytes | bytearray) else None


def ending_of(text: str | bytes) -> str:
    """Return the ending of files that hold such text: by its first element or sign.

    >>> ending_of("<?xml version='1.0'?><!-- arm --><robot name='r'/>")
    '.urdf'

    Raises:
        InvalidMechanism: it starts as no known format does.
    """
    start = head_of(text)
    if start.startswith("{"):
        return ".json"
    found = ELEMENT.match(start)
    endings = {"robot": ".urdf", "mujoco": ".xml", "sdf": ".sdf"}
    if found is None or found[1].lower() not in endings:
        got = f"<{found[1][:40]}>" if found else repr(start[:40])
        raise InvalidMechanism(
            f"expected the text of a URDF (<robot>), of an MJCF (<mujoco>), of an SDF (<sdf>) or "
            f"of our JSON, got {got}"
        )
    return endings[found[1].lower()]


def head_of(text: str | bytes) -> str:
    """Return how a text starts, comments and declarations left out."""
    if isinstance(text, bytes):
        # in UTF-16 every second byte of these signs is zero
        text = text[: 16 * HEAD].replace(b"\0", b"").decode("latin-1").lstrip("ÿþï»¿")
    return PROLOGUE.sub("", text[: 8 * HEAD]).lstrip("\ufeff \t\r\n")


def _is_readable(source: object) -> TypeGuard[Readable]:
    return isinstance(source, Readable)
